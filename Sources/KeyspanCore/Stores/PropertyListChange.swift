/// What one batch changed: the keys whose values differ, each with the value before and after.
public struct PropertyListChange: Sendable {
    /// The change of one key.
    public struct Entry: Sendable, Hashable {
        /// The key.
        public let key: String
        /// The value before, or `nil` if the key was absent.
        public let old: PropertyListValue?
        /// The value after, or `nil` if the key is absent now.
        public let new: PropertyListValue?

        /// Makes an entry.
        public init(key: String, old: PropertyListValue?, new: PropertyListValue?) {
            self.key = key
            self.old = old
            self.new = new
        }
    }

    /// The keys that changed, each once, in no particular order.
    public var entries: [Entry] { storage.array }

    /// Whether this reports the values at the time of registration instead of a change; each `old` is `nil` then.
    public let isInitial: Bool

    private let storage: OneOrMany<Entry>

    /// Makes a change.
    public init(entries: [Entry], isInitial: Bool = false) {
        storage = .many(entries)
        self.isInitial = isInitial
    }

    /// Makes a change of one key.
    public init(_ entry: Entry) {
        storage = .one(entry)
        isInitial = false
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { storage.isEmpty }

    /// The entry of a key, or `nil` if that key did not change.
    public subscript(key: String) -> Entry? {
        entries.first { $0.key == key }
    }
}
