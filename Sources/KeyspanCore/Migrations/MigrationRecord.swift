/// What a store remembers of the migrations of one plan.
struct MigrationRecord {
    /// The name of the entry with the records of all plans, which no key of a program should have.
    static let entryName = "keyspan.migrations"

    /// The version that the values have.
    var version = 0

    /// The values that were copied from other stores and not yet removed there: for each move the entries there.
    var unfinishedMoves: TextDictionary<PropertyListDictionary> = [:]

    /// Reads the record of a plan.
    init(ofPlan plan: String, in stored: PropertyListValue?) {
        let record = stored?[plan]
        version = record?["version"]?.integerValue?.converted() ?? 0
        unfinishedMoves = record?["unfinishedMoves"]?.dictionaryValue?.compactMapValues(\.dictionaryValue) ?? [:]
    }

    /// The records of all plans with this one.
    func stored(ofPlan plan: String, among stored: PropertyListValue?) -> PropertyListValue {
        var records = stored?.dictionaryValue ?? [:]
        var record: PropertyListDictionary = ["version": PropertyListValue(version)]
        if !unfinishedMoves.isEmpty {
            record["unfinishedMoves"] = .dictionary(unfinishedMoves.mapValues { .dictionary($0) })
        }
        records[plan] = .dictionary(record)
        return .dictionary(records)
    }
}
