internal import Synchronization

extension Defaults {
    /// Runs an operation in which the static members of `Defaults` use another store than the rest of the process.
    ///
    /// This is how a test or a preview has settings of its own while others run beside it: `KeyspanTesting` has a trait
    /// for tests. The tasks that the operation starts have the same store, but for detached ones. Keys that name a store
    /// (`suite:`) keep it.
    ///
    /// - Parameters:
    ///   - store: The standard store of the operation.
    ///   - operation: The operation.
    /// - Returns: What the operation returns.
    public static func withStandardStore<Result>(
        _ store: any PropertyListStore,
        operation: () throws -> Result
    ) rethrows -> Result {
        StandardStore.isScoped.store(true, ordering: .relaxed)
        return try StandardStore.$ofOperation.withValue(StandardScope(store), operation: operation)
    }

    /// Runs an operation in which the static members of `Defaults` use another store than the rest of the process.
    ///
    /// - Parameters:
    ///   - store: The standard store of the operation, and of the tasks that it starts, but for detached ones.
    ///   - isolation: The actor on which the operation runs: the caller's.
    ///   - operation: The operation.
    /// - Returns: What the operation returns.
    public static func withStandardStore<Result>(
        _ store: any PropertyListStore,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        StandardStore.isScoped.store(true, ordering: .relaxed)
        let scope = StandardScope(store)
        return try await StandardStore.$ofOperation.withValue(scope, operation: operation, isolation: isolation)
    }
}
