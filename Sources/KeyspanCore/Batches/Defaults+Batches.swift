extension Defaults {
    /// Writes several values in one batch: readers see all of them or none, and observers hear of them once.
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
    /// A value that cannot be written, or a store that refuses, is reported to ``onProblem(_:)``, and nothing of the batch
    /// happens. ``commit(_:)`` throws instead.
    ///
    /// - Parameter change: Makes the batch. It is called again if another writer changes a value that it has read, so that
    ///   no change is lost; it should do nothing else than read and write the batch.
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
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error, or ``WriteError`` if a value cannot be written or the store refuses.
    @discardableResult
    public func commit<Result>(_ change: (inout Batch) throws -> Result) throws -> Result {
        try commit(change) { $0 }
    }

    private func commit<Result, Failure: Error>(
        _ change: (inout Batch) throws(Failure) -> Result,
        storeFailure: (WriteError) -> Failure
    ) throws(Failure) -> Result {
        try store.edit { (edit) throws(Failure) -> Result in
            var batch = Batch(edit, of: store)
            let result = try change(&batch)
            if let failure = batch.failure { throw storeFailure(failure) }
            edit = batch.edit
            return result
        } storeFailure: { error in
            storeFailure(WriteError(key: error.key ?? "", store: store.name, cause: .store(error)))
        }
    }
}
