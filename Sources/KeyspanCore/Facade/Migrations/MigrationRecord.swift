/// A store's record of the migrations of one plan.
///
/// Programs of several versions read and write it, and each preserves the parts that it does not know.
struct MigrationRecord {
    /// The name of the entry with the records of all plans, which a program must not use for a key.
    static let entryName = LibraryEntries.migrations

    /// The number of collections around the entries of a move: all plans, one plan, and its moves.
    private static let levelsAround = 3

    private let plan: String
    private var records: PropertyListDictionary
    private var record: PropertyListDictionary
    private var moves: PropertyListDictionary

    /// Reads the record of a plan.
    ///
    /// - Throws: `ValueDecodingError` for a value that is not a record. It must not be replaced, because the version of the values
    ///   is unknown then.
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

    /// The entries that a move copied from another store and has not yet removed there.
    func unfinishedMove(named name: String) -> PropertyListDictionary? {
        RecordedEntries.entries(moves[name])
    }

    /// Notes the entries that a move copied from another store.
    mutating func note(_ copied: PropertyListDictionary, ofMove name: String) {
        moves[name] = RecordedEntries.stored(copied, within: Self.levelsAround)
    }

    /// Notes that a move's originals are removed, unless the same move has copied other entries since.
    mutating func finish(_ copied: PropertyListDictionary, ofMove name: String) {
        if unfinishedMove(named: name) == copied { moves[name] = nil }
    }

    /// The stored form of all plans' records, this one included.
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
        .unreadable(found, reason: "it is not a record of migrations")
    }
}
