/// The effect of one batch: the keys whose values differ, each with the value before and after.
public struct PropertyListChange: Sendable {
    /// The change of one key.
    public struct Entry: Sendable, Hashable {
        /// The key.
        @UTF8Text public private(set) var key: String
        /// The value before with whether it was text that someone typed, or `nil` if the key was absent.
        @_spi(StoreAuthors) public let storedOld: StoredValue?
        /// The value after with whether it is text that someone typed, or `nil` if the key is absent now.
        @_spi(StoreAuthors) public let storedNew: StoredValue?

        /// The value before, or `nil` if the key was absent.
        public var old: PropertyListValue? { storedOld?.value }
        /// The value after, or `nil` if the key is absent now.
        public var new: PropertyListValue? { storedNew?.value }

        /// Makes an entry of values that are not text that someone typed.
        @_spi(StoreAuthors) public init(key: String, old: PropertyListValue?, new: PropertyListValue?) {
            self.init(key: key, storedOld: old.map { StoredValue($0) }, storedNew: new.map { StoredValue($0) })
        }

        /// Makes an entry.
        @_spi(StoreAuthors) public init(key: String, storedOld: StoredValue?, storedNew: StoredValue?) {
            self.key = key
            self.storedOld = storedOld
            self.storedNew = storedNew
        }
    }

    /// The keys that changed, each once, in no particular order.
    public var entries: [Entry] { storage.array }

    /// Whether this reports the values at the time of registration instead of a change; each `old` is `nil` then.
    public let isInitial: Bool

    /// Whether observers of keys are not notified, because the batch was made in ``Defaults/withoutPropagation(_:)``.
    ///
    /// Observers of the store are notified, and can recognize the change by this.
    public let isQuiet: Bool

    let storage: OneOrMany<Entry>

    /// The tables before and after, if names may lead into dictionaries that changed.
    private var changedTables: ChangedTables?

    /// Makes a change of one key.
    ///
    /// - Parameters:
    ///   - entry: The change of the key.
    ///   - isQuiet: Whether the batch that made it is quiet (``PropertyListBatch/isQuiet``).
    @_spi(StoreAuthors) public init(_ entry: Entry, isQuiet: Bool) {
        storage = .one(entry)
        isInitial = false
        self.isQuiet = isQuiet
    }

    /// Makes a change of several keys.
    ///
    /// - Parameters:
    ///   - entries: The changes of the keys, each key once.
    ///   - isInitial: Whether this reports the values at the time of registration.
    ///   - isQuiet: Whether the batch that made it is quiet (``PropertyListBatch/isQuiet``).
    @_spi(StoreAuthors) public init(entries: [Entry], isInitial: Bool = false, isQuiet: Bool) {
        storage = .many(entries)
        self.isInitial = isInitial
        self.isQuiet = isQuiet
    }

    /// Whether nothing changed.
    package var isEmpty: Bool { storage.isEmpty }

    /// The part that concerns some keys, or `nil` if none of it does; allocates nothing for a change of one key.
    func part(concerning names: Set<UTF8Text>) -> PropertyListChange? {
        if let tables = changedTables {
            // An observer can have thousands of names, and a change few.
            let candidates = tables.names.found?.intersection(names) ?? names
            let part = candidates.compactMap { tables.entry(named: $0.wrappedValue) }
            return part.isEmpty ? nil : PropertyListChange(entries: part, isInitial: isInitial, isQuiet: isQuiet)
        }
        if case .one(let entry) = storage { return names.contains(entry.key) ? self : nil }
        let part = entries.filter { names.contains($0.key) }
        guard !part.isEmpty else { return nil }
        return PropertyListChange(entries: part, isInitial: isInitial, isQuiet: isQuiet)
    }

    /// The entry of a key, or `nil` if that key did not change.
    public subscript(key: String) -> Entry? {
        entries.first { $0.key.hasSameUTF8(as: key) }
    }
}

// MARK: - Names that lead into dictionaries

/// The tables before and after a change of entries that names may lead into.
private final class ChangedTables: Sendable {
    let before: PropertyListTable
    let after: PropertyListTable
    let names: ChangedNames

    init(_ before: PropertyListTable, _ after: PropertyListTable, _ names: ChangedNames) {
        (self.before, self.after, self.names) = (before, after, names)
    }

    func entry(named name: String) -> PropertyListChange.Entry? {
        let (old, new) = (before[name], after[name])
        return old == new ? nil : PropertyListChange.Entry(key: name, old: old, new: new)
    }
}

extension PropertyListChange {
    /// The same change of entries, which names may lead into.
    ///
    /// - Parameters:
    ///   - before: The table before the change.
    ///   - after: The table after it.
    ///   - names: The names whose values may differ.
    func inside(_ before: PropertyListTable, _ after: PropertyListTable, _ names: ChangedNames) -> Self {
        var change = self
        change.changedTables = ChangedTables(before, after, names)
        return change
    }

    /// The same change of entries; names may lead into it if there are dictionaries.
    ///
    /// - Parameter table: The table after the change.
    func inside(_ table: PropertyListTable) -> PropertyListChange {
        if table.naming == nil || isInsideDictionaries { return self }
        var hasDictionaries = false
        storage.forEach { entry in
            // Another value may be in the shadow of an entry.
            if entry.old?.dictionaryValue != nil || entry.new?.dictionaryValue != nil || !table.isEntryAlone(entry.key)
            {
                hasDictionaries = true
            }
        }
        if !hasDictionaries { return self }
        var (before, names) = (table, ChangedNames())
        storage.forEach { entry in
            before.setEntry(entry.key, to: entry.old)
            names.insert(entry.key, entry.old, entry.new)
        }
        return inside(before, table, names)
    }

    /// The tables before and after; `nil` if each name that changed is that of an entry.
    package var tables: (before: PropertyListTable, after: PropertyListTable)? {
        changedTables.map { ($0.before, $0.after) }
    }

    /// Whether names may lead into what changed.
    var isInsideDictionaries: Bool { changedTables != nil }

    /// The stripes of all names whose values may differ; `nil` if these are too many.
    var stripes: Set<KeyStripe>? {
        if let changedTables { return changedTables.names.stripes }
        var stripes: Set<KeyStripe> = []
        storage.forEach { stripes.insert(KeyStripe(of: $0.key)) }
        return stripes
    }
}

/// The names whose values may differ.
struct ChangedNames: Sendable {
    /// The names; `nil` if there are too many.
    private(set) var found: Set<UTF8Text>? = []

    private var rest = 64

    /// Whether no name has changed.
    var isEmpty: Bool { found?.isEmpty == true }

    /// Their stripes; `nil` if there are too many names.
    var stripes: Set<KeyStripe>? { found.map { Set($0.map { KeyStripe(of: $0.wrappedValue) }) } }

    /// Adds all names.
    mutating func insertAll() {
        found = nil
    }

    /// Adds a name, and those that lead into its value.
    mutating func insert(_ name: String, _ old: PropertyListValue? = nil, _ new: PropertyListValue? = nil) {
        rest -= 1
        if rest < 0 { found = nil }
        guard found?.insert(name) != nil else { return }
        let (before, after) = (old?.dictionaryValue, new?.dictionaryValue)
        for (member, value) in before ?? [:] where after?[member] != value {
            insert("\(name).\(member)", value, after?[member])
        }
        for (member, value) in after ?? [:] where before?[member] == nil {
            insert("\(name).\(member)", nil, value)
        }
    }
}

/// The keys of a store of which an observer is notified.
public enum ObservedKeys: Sendable, Hashable {
    /// Every key.
    case all
    /// The keys of these names.
    case named(Set<UTF8Text>)

    /// The keys of these names; two spellings of one text are two names.
    public static func named(_ names: [String]) -> ObservedKeys {
        .named(Set(names.map { UTF8Text($0) }))
    }

    /// The part of a change that concerns these keys, or `nil` if none of it does.
    func filter(_ change: PropertyListChange) -> PropertyListChange? {
        guard case .named(let names) = self else { return change }
        return change.part(concerning: names)
    }

    /// The present values of these keys, as the first change that an observer receives.
    func initialChange(from table: PropertyListTable) -> PropertyListChange {
        let entries: [PropertyListChange.Entry] =
            switch self {
            case .all:
                // A name may lead elsewhere than to the entry that is listed.
                table.listed.storedValues.map {
                    PropertyListChange.Entry(key: $0.key, storedOld: nil, storedNew: $0.value)
                }
            case .named(let names):
                names.map { name in
                    let key = name.wrappedValue
                    return PropertyListChange.Entry(key: key, storedOld: nil, storedNew: table[stored: key])
                }
            }
        return PropertyListChange(entries: entries, isInitial: true, isQuiet: false)
    }
}

extension PropertyListChange: CustomStringConvertible {
    /// The changed keys with their values before and after, ordered by name; those of secret keys as well.
    public var description: String { entries.sorted { $0.key.utf8Precedes($1.key) }.description }
}

extension PropertyListChange.Entry: CustomStringConvertible {
    /// The key with its values before and after.
    public var description: String {
        "\(key.quoted): \(old?.description ?? "nil") → \(new?.description ?? "nil")"
    }
}
