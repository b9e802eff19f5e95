internal import KeyspanCore

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
    /// **It does not isolate** keys and properties that name a store (`suite:`, `in:`), detached tasks, and code that runs on
    /// another thread or later, such as a closure of a dispatch queue or the body of a SwiftUI view: that uses the store of the
    /// process. A closure takes the store along, in an operation of its own:
    ///
    /// ```swift
    /// import Dispatch
    ///
    /// func renderInBackground(_ queue: DispatchQueue) {
    ///     let store = Defaults.standard.store
    ///     queue.async {
    ///         Defaults.withStandardStore(store) { print(render()) }
    ///     }
    /// }
    /// ```
    ///
    /// For the preview of a view there is ``preview(on:content:)``. Observers are called in the operation that makes the change,
    /// whichever thread calls them. Handlers of `onProblem(_:)`, iCloud, the environment and files belong to the process.
    /// Values in the store itself are not copied: hand over a store of its own.
    ///
    /// - Parameters:
    ///   - store: The standard store of the operation.
    ///   - operation: The operation.
    /// - Returns: What the operation returns.
    public static func withStandardStore<Result>(
        _ store: any PropertyListStore,
        operation: () throws -> Result
    ) rethrows -> Result {
        StandardStore.allowScopes()
        return try OperationScope.run(changing: { $0.standard = StandardScope(store) }, operation)
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
        StandardStore.allowScopes()
        let change = { (scope: inout OperationScope) in scope.standard = StandardScope(store) }
        return try await OperationScope.run(changing: change, isolation: isolation, operation)
    }
}
