internal import Synchronization

extension Defaults {
    /// Runs an operation in which the static members of `Defaults` use another store than the rest of the process.
    ///
    /// This is how a test has settings of its own while others run beside it (`KeyspanTesting` has a trait for tests), and how a
    /// program previews what a change of settings does:
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let theme = Key<String>("theme", default: "light")
    /// }
    ///
    /// func render() -> String { "a page in \(Defaults[.theme])" }
    ///
    /// let preview = Defaults.withStandardStore(InMemoryStore(Defaults.snapshot().table)) {
    ///     Defaults[.theme] = "dark"
    ///     return render()
    /// }
    /// ```
    ///
    /// **It isolates** what goes through the standard store while the operation runs: the static members of `Defaults`,
    /// properties with `@Default` that name no store, `Defaults.standard`, and groups that are made without a store. Tasks that
    /// the operation starts have the same store, also after it has returned. What is made of the store keeps it: a
    /// `Defaults.standard`, a group, an observation.
    ///
    /// **It does not isolate** keys and properties that name a store (`suite:`, `in:`), detached tasks, other threads and
    /// closures of dispatch queues, and what is called after the operation, such as the body of a SwiftUI view, which reads
    /// the store of the process again: give such a view a store, or a group on one. Handlers of `onProblem(_:)`, iCloud, the
    /// environment and files belong to the process. Values in the store itself are not copied: hand over a store of its own.
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
