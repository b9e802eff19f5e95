extension Defaults {
    /// The values of a store as they were at one instant.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let host = Key<String>("host", default: "localhost")
    ///     static let port = Key<Int>("port", default: 8080)
    /// }
    ///
    /// let snapshot = Defaults(InMemoryStore()).snapshot()
    /// let (port, host) = (snapshot[.port], snapshot[.host])
    /// ```
    ///
    /// Reading takes no lock, and decodes no value again that has not changed. Holding a snapshot does not slow down writes.
    public struct Snapshot: Sendable {
        /// The stored values.
        public var table: PropertyListTable { state.table }

        @usableFromInline let state: StoreState

        init(_ store: any PropertyListStore) {
            state = StoreState(of: store)
        }

        /// The value of a key at that instant, or its default; as the subscript of ``Defaults``.
        public subscript<Value>(key: Key<Value>) -> Value {
            @inlinable get { key.value(in: state) }
        }

        /// The value of a key at that instant; an error if there is one that cannot be used.
        ///
        /// - Throws: ``ReadError``, as ``Defaults/value(for:)``.
        @inlinable
        public func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
            try storedValue(for: key) ?? key.defaultValue
        }

        /// The value of a key at that instant, or `nil` if there was none; an error if it cannot be used.
        ///
        /// - Throws: ``ReadError``, as ``Defaults/storedValue(for:)``.
        @inlinable
        public func storedValue<Value>(for key: Key<Value>) throws(ReadError) -> Value? {
            try key.strictValue(in: state)
        }

        /// Whether readers of the store saw a value for the key, readable or not; see ``Defaults/hasValue(for:)``.
        public func hasValue(for key: AnyKey) -> Bool {
            key.entryNames.contains { table[$0] != nil }
        }
    }

    /// All values of one instant between two batches; takes one lock and copies nothing.
    public func snapshot() -> Snapshot { Snapshot(store) }
}

extension Defaults.Snapshot: CustomStringConvertible {
    /// All stored values, those of secret keys as well.
    public var description: String { table.description }
}
