/// What a store remembers of the migrations of one plan.
///
/// Programs of several versions read and write it. What one of them does not know stays as it is.
struct MigrationRecord {
    /// The name of the entry with the records of all plans, which no key of a program should have.
    static let entryName = "keyspan.migrations"

    /// How many collections are around the entries of a move: all plans, one of them, and its moves.
    private static let levelsAround = 3

    private let plan: String
    private var records: PropertyListDictionary
    private var record: PropertyListDictionary
    private var moves: PropertyListDictionary

    /// Reads the record of a plan.
    ///
    /// - Throws: `ValueDecodingError` for something else than a record, which is not to be replaced: the version that the
    ///   values have is not known then.
    init(ofPlan plan: String, in stored: PropertyListValue?) throws(ValueDecodingError) {
        self.plan = plan
        records = try Self.dictionary(stored)
        record = try Self.dictionary(records[plan])
        moves = try Self.dictionary(record[Part.moves])
        switch record[Part.version] {
        case nil: version = 0
        case let found?:
            guard let number: Int = found.integerValue?.converted() else { throw Self.error(found) }
            version = number
        }
    }

    /// The version that the values have.
    var version: Int {
        didSet { record[Part.version] = PropertyListValue(version) }
    }

    /// The values that were copied from another store by a move, and not yet removed there: the entries there.
    func unfinishedMove(named name: String) -> PropertyListDictionary? {
        RecordedEntries.entries(moves[name])
    }

    /// Notes that values were copied from another store by a move.
    mutating func note(_ copied: PropertyListDictionary, ofMove name: String) {
        moves[name] = RecordedEntries.stored(copied, within: Self.levelsAround)
    }

    /// Notes that the originals of a move are removed, unless the same move has copied something else since.
    mutating func finish(_ copied: PropertyListDictionary, ofMove name: String) {
        if unfinishedMove(named: name) == copied { moves[name] = nil }
    }

    /// The records of all plans with this one, as they are stored.
    var stored: PropertyListValue {
        var (records, record) = (records, record)
        record[Part.moves] = moves.isEmpty ? nil : .dictionary(moves)
        records[plan] = .dictionary(record)
        return .dictionary(records)
    }

    private enum Part {
        static let version = "version"
        static let moves = "unfinishedMoves"
    }

    private static func dictionary(_ stored: PropertyListValue?) throws(ValueDecodingError) -> PropertyListDictionary {
        switch stored {
        case .dictionary(let entries)?: return entries
        case nil: return [:]
        case let other?: throw error(other)
        }
    }

    private static func error(_ found: PropertyListValue) -> ValueDecodingError {
        .unreadable(found, reason: "it is no record of migrations")
    }
}

extension PropertyListEdit {
    /// Removes all keys but the record of migrations: the values are new from here on, and of the shape that it names.
    mutating func removeAllButRecord() {
        let record = replacedValue(forKey: MigrationRecord.entryName)?.value
        removeAll()
        if let record { self[MigrationRecord.entryName] = record }
    }
}
