/// What one batch changed: the keys whose values differ, each with the value before and after.
public struct PropertyListChange: Sendable, Hashable {
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
    public let entries: [Entry]

    /// Whether this reports the values at the time of registration instead of a change; each `old` is `nil` then.
    public let isInitial: Bool

    /// Makes a change.
    public init(entries: [Entry], isInitial: Bool = false) {
        self.entries = entries
        self.isInitial = isInitial
    }

    /// The entry of a key, or `nil` if that key did not change.
    public subscript(key: String) -> Entry? {
        entries.first { $0.key == key }
    }
}
