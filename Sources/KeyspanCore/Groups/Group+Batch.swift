extension Defaults.Group {
    /// Several writes to the keys of a group that take effect together; what the closures of ``update(_:)`` and
    /// ``commit(_:)`` get.
    ///
    /// Reading gives what the batch has written, and else the state of the store in which the batch began.
    @dynamicMemberLookup
    public struct Batch: ~Copyable {
        private var batch: Defaults.Batch
        private let keys: Keys
        private let prefix: Prefix

        /// Takes the writes of a batch, which ``exchange(_:)`` gives back.
        init(keys: Keys, prefix: Prefix, borrowing batch: inout Defaults.Batch) {
            self.keys = keys
            self.prefix = prefix
            self.batch = batch.makeEmpty()
            exchange(&batch)
        }

        /// Exchanges the writes of two batches.
        mutating func exchange(_ other: inout Defaults.Batch) {
            swap(&batch, &other)
        }

        /// The value of a key as it will be.
        ///
        /// A value that cannot be written makes the whole batch fail.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.Key<Value>>) -> Value {
            mutating get { self[path] }
            set { self[path] = newValue }
        }

        /// The value of a key as it will be.
        ///
        /// A value that cannot be written makes the whole batch fail.
        public subscript<Value>(path: KeyPath<Keys, Defaults.Key<Value>>) -> Value {
            mutating get { batch[key(path)] }
            set { batch[key(path)] = newValue }
        }

        // A group's batch cannot be copied, so it is lent for as long as the access lasts. Swift has no other words for that.

        /// The writes to a group inside the group.
        public subscript<Nested: KeyGroup>(
            dynamicMember path: KeyPath<Keys, Nested>
        ) -> Defaults.Group<Nested>.Batch {
            mutating _read {
                var nested = Defaults.Group<Nested>.Batch(keys: keys[keyPath: path], prefix: prefix, borrowing: &batch)
                defer { nested.exchange(&batch) }
                yield nested
            }
            _modify {
                var nested = Defaults.Group<Nested>.Batch(keys: keys[keyPath: path], prefix: prefix, borrowing: &batch)
                defer { nested.exchange(&batch) }
                yield &nested
            }
        }

        /// The writes to a group with a prefix inside the group.
        public subscript<Nested>(
            dynamicMember path: KeyPath<Keys, Defaults.Prefixed<Nested>>
        ) -> Defaults.Group<Nested>.Batch {
            mutating _read {
                var nested = nestedBatch(keys[keyPath: path])
                defer { nested.exchange(&batch) }
                yield nested
            }
            _modify {
                var nested = nestedBatch(keys[keyPath: path])
                defer { nested.exchange(&batch) }
                yield &nested
            }
        }

        /// Adds a write, or throws and leaves the batch as it was.
        ///
        /// - Throws: ``Defaults/WriteError`` if the value has no stored form or breaks a rule of the key.
        public mutating func set<Value>(
            _ value: Value,
            for path: KeyPath<Keys, Defaults.Key<Value>>
        ) throws(Defaults.WriteError) {
            try batch.set(value, for: key(path))
        }

        /// Adds a write to a key that throws, or throws and leaves the batch as it was.
        ///
        /// - Throws: ``Defaults/WriteError`` if the value has no stored form or breaks a rule of the key.
        public mutating func set<Value>(
            _ value: Value,
            for path: KeyPath<Keys, Defaults.ThrowingKey<Value>>
        ) throws(Defaults.WriteError) {
            try batch.set(value, for: keys[keyPath: path].key.prefixed(by: prefix))
        }

        /// Adds the removal of the value of a key, so that it has its default again.
        public mutating func reset<Key: Defaults.AnyKey>(_ path: KeyPath<Keys, Key>) {
            batch.reset(keys[keyPath: path].untyped.prefixed(by: prefix))
        }

        /// Adds the removal of the values of all keys of the group, and of no others.
        public mutating func resetAll() {
            batch.reset(keys.allKeys(prefix: prefix))
        }

        private func key<Value>(_ path: KeyPath<Keys, Defaults.Key<Value>>) -> Defaults.Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }

        private mutating func nestedBatch<Nested>(
            _ nested: Defaults.Prefixed<Nested>
        ) -> Defaults.Group<Nested>.Batch {
            Defaults.Group<Nested>.Batch(
                keys: nested.keys,
                prefix: nested.prefix.appended(to: prefix),
                borrowing: &batch
            )
        }
    }
}
