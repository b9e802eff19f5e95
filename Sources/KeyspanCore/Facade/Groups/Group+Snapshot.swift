extension Defaults.Group {
    /// The values of a group's keys as they were at one instant, as properties.
    ///
    /// ```swift
    /// struct PoolKeys: KeyGroup {
    ///     let host = Key<String>("host", default: "localhost")
    ///     let port = Key<Int>("port", default: 5432)
    /// }
    ///
    /// let pool = Defaults.Group<PoolKeys>(InMemoryStore()).snapshot()
    /// print("\(pool.host):\(pool.port)")
    /// ```
    ///
    /// Values are read as from the group: a value that its key cannot use is reported to ``Defaults/onProblem(_:)`` and reads as the
    /// default. Reading takes no lock, and holding a snapshot does not slow down writes. A nested group is a snapshot of the same
    /// instant.
    @dynamicMemberLookup
    public struct Snapshot: Sendable {
        let keys: Keys
        let prefix: Prefix
        let state: StoreState

        /// The value of a key at that instant, or its default.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.Key<Value>>) -> Value { self[path] }

        /// The value of a key at that instant, or its default.
        public subscript<Value>(path: KeyPath<Keys, Defaults.Key<Value>>) -> Value {
            keys[keyPath: path].prefixed(by: prefix).value(in: state)
        }

        /// The value of a throwing key at that instant, or its default.
        ///
        /// - Throws: ``Defaults/ReadError`` if there was a value that cannot be used.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.ThrowingKey<Value>>) -> Value {
            get throws(Defaults.ReadError) { try value(for: path) }
        }

        /// The values of a nested group.
        public subscript<Nested: KeyGroup>(
            dynamicMember path: KeyPath<Keys, Nested>
        ) -> Defaults.Group<Nested>.Snapshot {
            .init(keys: keys[keyPath: path], prefix: prefix, state: state)
        }

        /// The values of a nested group with a prefix.
        public subscript<Nested>(
            dynamicMember path: KeyPath<Keys, Defaults.Prefixed<Nested>>
        ) -> Defaults.Group<Nested>.Snapshot {
            let nested = keys[keyPath: path]
            return .init(keys: nested.keys, prefix: nested.prefix.appended(to: prefix), state: state)
        }

        /// The value of a key at that instant, or its default if there was none; an error if there was one that cannot be used.
        ///
        /// - Throws: ``Defaults/ReadError``, as ``Defaults/value(for:)``.
        public func value<Value>(
            for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
        ) throws(Defaults.ReadError) -> Value {
            let key = keys[keyPath: path].typedVariant(prefixedBy: prefix)
            return try key.strictValue(in: state) ?? key.defaultValue
        }

        /// The value of a key at that instant, or `nil` if there was none; an error if it cannot be used.
        ///
        /// - Throws: ``Defaults/ReadError``, as ``Defaults/storedValue(for:)``.
        public func storedValue<Value>(
            for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
        ) throws(Defaults.ReadError) -> Value? {
            try keys[keyPath: path].typedVariant(prefixedBy: prefix).strictValue(in: state)
        }

        /// Whether there was a value for a key, readable or not.
        public func hasValue(for path: KeyPath<Keys, some Defaults.AnyKey>) -> Bool {
            keys[keyPath: path].untypedVariant(prefixedBy: prefix).entryNames.contains { state.table[$0] != nil }
        }
    }

    /// The values of all keys of the group at one instant between two batches; takes one lock and copies nothing.
    public func snapshot() -> Snapshot { Snapshot(keys: keys, prefix: prefix, state: StoreState(of: store)) }
}

extension Defaults.Group.Snapshot: CustomStringConvertible {
    /// The stored values of the group's keys without those of secret ones, ordered by name.
    public var description: String {
        let keys = keys.allKeys(prefix: prefix)
        let secrets = SecretPlaces(of: keys, in: state.table)
        return keys.flatMap(\.entryNames).reduce(into: PropertyListDictionary()) { entries, name in
            entries[name] = secrets.shownValue(named: name)
        }
        .description
    }
}
