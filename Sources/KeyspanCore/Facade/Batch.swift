extension Defaults {
    /// Several writes that take effect together, for the closures of ``update(_:)`` and ``commit(_:)``.
    ///
    /// Reading returns the values written to the batch, and otherwise those that the store had at the first read.
    public struct Batch: ~Copyable {
        @usableFromInline var edit: PropertyListEdit
        @usableFromInline var failure: WriteError?

        @usableFromInline let store: any PropertyListStore

        /// Makes a batch to exchange, or whose edit is exchanged, because a copy would count each reference once more.
        init(placeholderFor store: any PropertyListStore) {
            edit = PropertyListEdit()
            self.store = store
        }

        /// The value of a key after the batch.
        ///
        /// Setting a value that cannot be written makes the whole batch fail.
        public subscript<Value>(key: Key<Value>) -> Value {
            @inlinable
            mutating get {
                key.value(of: key.storedForm(in: &edit), in: store)
            }
            @inlinable
            set {
                do {
                    try set(newValue, for: key)
                } catch {
                    failure = failure ?? error
                }
            }
        }

        /// The value of a key after the batch; an error if there is one that cannot be used.
        ///
        /// - Throws: ``ReadError``, as ``Defaults/value(for:)``.
        public mutating func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
            try key.strictValue(of: key.coding.stored(under: key.name, in: &edit), in: store) ?? key.defaultValue
        }

        /// Adds a write, or throws and leaves the batch unchanged.
        ///
        /// - Throws: ``WriteError`` if the value has no stored form or breaks a rule of the key.
        @inlinable
        public mutating func set<Value>(_ value: Value, for key: Key<Value>) throws(WriteError) {
            try write(value, for: key)
        }

        @inlinable
        mutating func write<Value>(_ value: Value, for key: TypedKey<Value>) throws(WriteError) {
            do throws(WriteError.Cause) {
                try key.write(value, into: &edit)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
        }

        /// Adds the removal of the values of these keys, so that each key has its default again.
        public mutating func reset(_ keys: AnyKey...) {
            reset(keys)
        }

        /// Adds the removal of the values of these keys, so that each key has its default again.
        public mutating func reset(_ keys: [AnyKey]) {
            for key in keys { key.remove(from: &edit) }
        }

        /// Adds the removal of all values, including values that no key names; see ``Defaults/removeAll()``.
        public mutating func removeAll() {
            edit.removeAllButRecord()
        }
    }
}

extension Defaults {
    /// Writes several values in one batch: readers see all of them or none, and observers are notified once.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let host = Key<String>("host", default: "localhost")
    ///     static let port = Key<Int>("port", default: 8080)
    /// }
    ///
    /// let defaults = Defaults(InMemoryStore())
    /// defaults.update {
    ///     $0[.host] = "example.com"
    ///     $0[.port] += 1
    /// }
    /// ```
    ///
    /// If a value cannot be written, or the store refuses, that is reported to ``onProblem(_:)``, and none of the batch
    /// happens. ``commit(_:)`` throws instead.
    ///
    /// - Parameter change: Makes the batch. It is called again if another writer changes a value that it has read, and should
    ///   have no effects other than reading and writing the batch.
    public func update(_ change: (inout Batch) -> Void) {
        do {
            try commit { (batch) throws(WriteError) in
                change(&batch)
            } storeFailure: {
                $0
            }
        } catch {
            error.report()
        }
    }

    /// Writes several values in one batch, or throws and changes nothing.
    ///
    /// - Parameter change: Makes the batch, as for ``update(_:)``. An error that it throws ends the batch.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or ``WriteError`` if a value cannot be written or the store refuses.
    @discardableResult
    public func commit<Result>(_ change: (inout Batch) throws -> Result) throws -> Result {
        try commit(change) { $0 }
    }

    /// Writes several values in one batch, and returns when they are durable, without blocking a thread.
    ///
    /// Observers run on a thread of the library, not on the caller's actor.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure is called: the caller's.
    ///   - change: Makes the batch, as for ``update(_:)``. An error that it throws ends the batch.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or ``WriteError`` if a value cannot be written or the store refuses. If the store's error
    ///   is ``StoreError/Code/notDurable``, readers see the batch, and a later `synchronize()` tries again to make it durable.
    @discardableResult
    public func commit<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Batch) throws -> Result
    ) async throws -> Result {
        try await store.edit(isolation: isolation) { (edit: inout PropertyListEdit) throws(any Error) -> Result in
            try apply(change, to: &edit) { $0 }
        } storeFailure: { error in
            writeError(for: error)
        }
    }

    private func commit<Result, Failure: Error>(
        _ change: (inout Batch) throws(Failure) -> Result,
        storeFailure: (WriteError) -> Failure
    ) throws(Failure) -> Result {
        try store.edit { (edit) throws(Failure) -> Result in
            try apply(change, to: &edit, batchFailure: storeFailure)
        } storeFailure: { error in
            storeFailure(writeError(for: error))
        }
    }

    /// Makes a batch in a new edit, which is of no more use if that fails.
    private func apply<Result, Failure: Error>(
        _ change: (inout Batch) throws(Failure) -> Result,
        to edit: inout PropertyListEdit,
        batchFailure: (WriteError) -> Failure
    ) throws(Failure) -> Result {
        var batch = Batch(placeholderFor: store)
        swap(&edit, &batch.edit)
        let result = try change(&batch)
        if let failure = batch.failure { throw batchFailure(failure) }
        swap(&edit, &batch.edit)
        return result
    }

    private func writeError(for error: StoreError) -> WriteError {
        WriteError(key: error.key ?? "", store: store.name, cause: .store(error))
    }
}
