extension Defaults.Group {
    /// Several writes to the keys of a group that take effect together, for the closures of ``update(_:)`` and ``commit(_:)``.
    ///
    /// Reading returns the values written to the batch, and otherwise those that the store had at the first read.
    @dynamicMemberLookup
    public struct Batch: ~Copyable {
        @usableFromInline var batch: Defaults.Batch
        @usableFromInline let keys: Keys
        @usableFromInline let prefix: Prefix

        /// Takes the writes of a batch over, until ``exchange(_:)`` gives them back.
        fileprivate init(keys: Keys, prefix: Prefix, takingOver batch: inout Defaults.Batch) {
            self.keys = keys
            self.prefix = prefix
            self.batch = Defaults.Batch(placeholderFor: batch.store)
            exchange(&batch)
        }

        /// Exchanges the writes of two batches.
        fileprivate mutating func exchange(_ other: inout Defaults.Batch) {
            swap(&batch, &other)
        }

        /// The value of a key after the batch.
        ///
        /// Setting a value that cannot be written makes the whole batch fail.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.Key<Value>>) -> Value {
            @inlinable mutating get { self[path] }
            @inlinable set { self[path] = newValue }
        }

        /// The value of a key after the batch.
        ///
        /// Setting a value that cannot be written makes the whole batch fail.
        public subscript<Value>(path: KeyPath<Keys, Defaults.Key<Value>>) -> Value {
            @inlinable mutating get { batch[key(path)] }
            @inlinable set { batch[key(path)] = newValue }
        }

        /// The writes to a nested group.
        public subscript<Nested: KeyGroup>(
            dynamicMember path: KeyPath<Keys, Nested>
        ) -> Defaults.Group<Nested>.Batch {
            mutating _read { yield self[nested: keys[keyPath: path], prefix] }
            _modify { yield &self[nested: keys[keyPath: path], prefix] }
        }

        /// The writes to a nested group with a prefix.
        public subscript<Nested>(
            dynamicMember path: KeyPath<Keys, Defaults.Prefixed<Nested>>
        ) -> Defaults.Group<Nested>.Batch {
            mutating _read {
                let nested = keys[keyPath: path]
                yield self[nested: nested.keys, nested.prefix.appended(to: prefix)]
            }
            _modify {
                let nested = keys[keyPath: path]
                yield &self[nested: nested.keys, nested.prefix.appended(to: prefix)]
            }
        }

        // A batch cannot be copied, so the batch of a nested group takes the writes over while it is accessed. Only coroutines
        // can do that: they give the writes back when the access ends, even if the caller throws.
        private subscript<Nested>(nested keys: Nested, prefix: Prefix) -> Defaults.Group<Nested>.Batch {
            mutating _read {
                var nested = Defaults.Group<Nested>.Batch(keys: keys, prefix: prefix, takingOver: &batch)
                defer { nested.exchange(&batch) }
                yield nested
            }
            _modify {
                var nested = Defaults.Group<Nested>.Batch(keys: keys, prefix: prefix, takingOver: &batch)
                defer { nested.exchange(&batch) }
                yield &nested
            }
        }

        /// Adds a write, or throws and leaves the batch unchanged.
        ///
        /// - Throws: ``Defaults/WriteError`` if the value has no stored form or breaks a rule of the key.
        public mutating func set<Value>(
            _ value: Value,
            for path: KeyPath<Keys, some Defaults.TypedKey<Value>>
        ) throws(Defaults.WriteError) {
            try batch.write(value, for: keys[keyPath: path].typedVariant(prefixedBy: prefix))
        }

        /// Adds the removal of the value of a key, so that the key has its default again.
        public mutating func reset(_ path: KeyPath<Keys, some Defaults.AnyKey>) {
            batch.reset(keys[keyPath: path].untypedVariant(prefixedBy: prefix))
        }

        /// Adds the removal of the values of all keys of the group, and of no others.
        public mutating func resetAll() {
            batch.reset(keys.allKeys(prefix: prefix))
        }

        @inlinable
        func key<Value>(_ path: KeyPath<Keys, Defaults.Key<Value>>) -> Defaults.Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }
    }
}

extension Defaults.Group {
    /// Writes several values in one batch: readers see all of them or none, and observers are notified once.
    ///
    /// ```swift
    /// struct WindowKeys: KeyGroup {
    ///     let width = Key<Int>("width", default: 800)
    ///     let height = Key<Int>("height", default: 600)
    /// }
    ///
    /// let window = Defaults.Group<WindowKeys>(InMemoryStore())
    /// window.update {
    ///     $0.width *= 2
    ///     $0.height *= 2
    /// }
    /// ```
    ///
    /// If a value cannot be written, or the store refuses, that is reported to ``Defaults/onProblem(_:)``, and none of the batch
    /// happens. ``commit(_:)`` throws instead.
    ///
    /// - Parameter change: Makes the batch. It is called again if another writer changes a value that it has read, and should
    ///   have no effects other than reading and writing the batch.
    public func update(_ change: (inout Batch) -> Void) {
        defaults.update { batch in
            withGroup(of: &batch) { change(&$0) }
        }
    }

    /// Writes several values in one batch, or throws and changes nothing.
    ///
    /// - Parameter change: Makes the batch, as for ``update(_:)``. An error that it throws ends the batch.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or ``Defaults/WriteError`` if a value cannot be written or the store refuses.
    @discardableResult
    public func commit<Result>(_ change: (inout Batch) throws -> Result) throws -> Result {
        try defaults.commit { batch in
            try withGroup(of: &batch) { try change(&$0) }
        }
    }

    /// Writes several values in one batch, and returns when they are durable, without blocking a thread.
    ///
    /// Observers run on a thread of the library, not on the caller's actor.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure is called: the caller's.
    ///   - change: Makes the batch, as for ``update(_:)``. An error that it throws ends the batch.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or ``Defaults/WriteError`` if a value cannot be written or the store refuses.
    @discardableResult
    public func commit<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Batch) throws -> Result
    ) async throws -> Result {
        try await defaults.commit(isolation: isolation) { batch in
            try withGroup(of: &batch) { try change(&$0) }
        }
    }

    private func withGroup<Result>(
        of batch: inout Defaults.Batch,
        _ change: (inout Batch) throws -> Result
    ) rethrows -> Result {
        var grouped = Batch(keys: keys, prefix: prefix, takingOver: &batch)
        defer { grouped.exchange(&batch) }
        return try change(&grouped)
    }
}
