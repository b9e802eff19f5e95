/// The last value that a key decoded, with the stored value it came from and the state it was read at.
///
/// A value is decoded again only if its stored form differs, not whenever the store changed somewhere. Two threads that
/// read one key at the same time do not wait: the second one reads past the cache.
@usableFromInline
struct DecodedCache<Value>: ~Copyable, Sendable {
    // Unchecked for the reason given at `Key`, which is the only owner: it hands one value to all its readers.
    @usableFromInline
    struct Shared: @unchecked Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(value: Value) {
            self.value = value
        }
    }

    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var revision: StoreRevision
        @usableFromInline let stored: PropertyListValue?
        /// Whether no part of the stored value was left out.
        @usableFromInline let isWhole: Bool
        @usableFromInline let shared: Shared

        @inlinable
        init(revision: StoreRevision, stored: PropertyListValue?, isWhole: Bool, shared: Shared) {
            self.revision = revision
            self.stored = stored
            self.isWhole = isWhole
            self.shared = shared
        }
    }

    @usableFromInline let entry = Locked<Entry?>(nil)

    init() {}

    /// The value read at exactly that state, or `nil`.
    @inlinable
    func value(at revision: StoreRevision) -> Value? {
        let shared = entry.withLockIfAvailable { $0?.revision == revision ? $0?.shared : nil }
        return (shared ?? nil)?.value
    }

    /// The value decoded from an equal stored value of the same store, which is then good for the new state too.
    @inlinable
    func value(for stored: PropertyListValue?, at revision: StoreRevision) -> Value? {
        let shared = entry.withLock { entry -> Shared? in
            guard let kept = entry, kept.revision.store == revision.store, kept.stored == stored else { return nil }
            if kept.revision.generation < revision.generation { entry?.revision = revision }
            return kept.shared
        }
        return shared?.value
    }

    /// Whether an equal stored value was decoded without leaving out a part; `nil` if none was.
    func isWhole(_ stored: PropertyListValue) -> Bool? {
        entry.withLock { $0?.stored == stored ? $0?.isWhole : nil }
    }

    /// Keeps a value for that state.
    @inlinable
    func keep(_ value: Value, from stored: PropertyListValue?, isWhole: Bool, at revision: StoreRevision) {
        let new = Entry(revision: revision, stored: stored, isWhole: isWhole, shared: Shared(value: value))
        let replaced = entry.withLock { entry in
            defer { entry = new }
            return entry
        }
        // Released here, not under the lock: releasing a value can run anyone's `deinit`.
        _ = consume replaced
    }
}
