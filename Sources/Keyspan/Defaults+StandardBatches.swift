/// Batches and snapshots of the standard store, or of another one.
extension Defaults {
    /// Writes several values in one batch: readers see all of them or none, and observers hear of them once.
    ///
    /// Behaves like the method of instances. All keys are written to the one store, whatever store they name.
    ///
    /// - Parameters:
    ///   - suite: The store; the standard store if `nil`.
    ///   - change: Makes the batch; it can be called more than once.
    public static func update(suite: (any PropertyListStore)? = nil, _ change: (inout Batch) -> Void) {
        named(suite).update(change)
    }

    /// Writes several values in one batch, or throws and changes nothing.
    ///
    /// - Parameters:
    ///   - suite: The store; the standard store if `nil`.
    ///   - change: Makes the batch; it can be called more than once. An error that it throws ends the batch.
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error, or `WriteError` if a value cannot be written or the store refuses.
    @discardableResult
    public static func commit<Result>(
        suite: (any PropertyListStore)? = nil,
        _ change: (inout Batch) throws -> Result
    ) throws -> Result {
        try named(suite).commit(change)
    }

    /// All values of a store as they are at one instant between two batches.
    ///
    /// - Parameter suite: The store; the standard store if `nil`.
    public static func snapshot(suite: (any PropertyListStore)? = nil) -> Snapshot {
        named(suite).snapshot()
    }

    /// Typed access to a store, or to the standard one.
    static func named(_ suite: (any PropertyListStore)?) -> Defaults {
        suite.map(Defaults.init) ?? .standard
    }
}
