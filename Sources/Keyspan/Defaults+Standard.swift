internal import KeyspanCore

extension Defaults {
    /// The program's standard store: the one chosen with ``bootstrap(_:)``, or else the platform's.
    ///
    /// On Apple platforms, the platform's standard store is `UserDefaults.standard`. On Linux it is a `JSONFileStore` with the
    /// file `$XDG_CONFIG_HOME/<program>/defaults.json`, or `~/.config/<program>/defaults.json` without that variable, above a
    /// domain for registered defaults; see `register(_:)`. The first use opens it and reads the file. If the file cannot be
    /// opened, the failure is reported to `onProblem(_:)`, the values live in memory, `synchronize()` throws the reason, and
    /// the file stays as it is. As soon as the file can be read, its values appear, and keys written meanwhile keep their
    /// new values.
    ///
    /// The first use opens the store while other threads that use it wait. Once it is open for all of them, the same thread
    /// reports problems of opening it, and registers the defaults of properties made before, in order. Handlers and defaults
    /// may use the store by then; another thread may read before a default that is still being registered.
    ///
    /// The value keeps the store that is the standard store now. In a `static let` that would be the store of the isolated test that
    /// happened to come first, so declare a computed property, or use a group made by `Defaults.Group.init()`.
    @inlinable
    public static var standard: Defaults { Defaults(StandardStore.current) }

    /// Chooses the standard store of this process, once, at its start.
    ///
    /// - Parameter store: The store that the static members of `Defaults` use.
    /// - Throws: ``BootstrapError`` if the store was chosen or used before; the first choice stays.
    public static func bootstrap(_ store: any PropertyListStore) throws(BootstrapError) {
        try StandardStore.choose(store)
    }

    /// The reason why the standard store could not be chosen.
    public enum BootstrapError: Error, Sendable, Hashable {
        /// It was chosen before.
        case alreadyBootstrapped
        /// It was used before, so values may have been read from another store.
        case alreadyInUse
    }
}

extension Defaults.BootstrapError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        switch self {
        case .alreadyBootstrapped:
            "The standard store was chosen before; call Defaults.bootstrap(_:) once, at the start of the program."
        case .alreadyInUse:
            "The standard store was used before it was chosen; call Defaults.bootstrap(_:) before any key is read."
        }
    }
}

extension Defaults.Group {
    /// Makes access to the values of a group's keys in the standard store, whatever their suites.
    ///
    /// The group and its nested groups ask for the standard store at each access, as `Defaults[.key]` does, so you can keep one in a
    /// static constant; making it does not open the store. In an operation with a standard store of its own, such as an isolated test,
    /// they use that one. An observation, a stream or a snapshot stays with the store that was the standard store when it was made.
    ///
    /// ```swift
    /// struct AppKeys: KeyGroup {
    ///     let launchCount = Key<Int>("launchCount", default: 0)
    /// }
    ///
    /// enum App {
    ///     static let settings = Defaults.Group<AppKeys>()
    /// }
    /// ```
    public init() {
        self.init(in: StandardStore.place)
    }
}

// MARK: - Another standard store for an operation or a preview

extension Defaults {
    /// Runs an operation in which the static members of `Defaults` use a different store from the rest of the process.
    ///
    /// Tests use this to have their own settings while other tests run in parallel (`KeyspanTesting` has a trait for that),
    /// and a program can use it to preview a change of settings:
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let theme = Key<String>("theme", default: "light")
    /// }
    ///
    /// func render() -> String { "a page in \(Defaults[.theme])" }
    ///
    /// let preview = Defaults.withStandardStore(InMemoryStore(Defaults.standard.snapshot().table)) {
    ///     Defaults[.theme] = "dark"
    ///     return render()
    /// }
    /// ```
    ///
    /// **Isolated**: everything that goes through the standard store while the operation runs, that is the static members of
    /// `Defaults`, properties with `@Default` without a suite, `Defaults.standard`, and groups made without a store. Tasks
    /// started by the operation use the same store, even after the operation has returned. A `Defaults.standard` or an observation
    /// made in the operation keeps its store. A group does not: it asks for the standard store at each access.
    ///
    /// **Not isolated**: keys and properties with a suite, detached tasks, and code that runs on another thread or later,
    /// such as a closure on a dispatch queue or the body of a SwiftUI view. Those use the store of the process. A closure can
    /// take the store along, in an operation of its own:
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
    /// on whichever thread. Handlers of `onProblem(_:)`, iCloud, the environment and files belong to the process.
    /// Values are not copied into the given store.
    ///
    /// - Parameters:
    ///   - store: The standard store of the operation.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    public static func withStandardStore<Result>(
        _ store: any PropertyListStore,
        operation: () throws -> Result
    ) rethrows -> Result {
        StandardStore.allowScopes()
        return try OperationScope.run(changing: { $0.standard = TrackedStore(store) }, operation)
    }

    /// Runs an operation in which the static members of `Defaults` use a different store from the rest of the process.
    ///
    /// - Parameters:
    ///   - store: The standard store of the operation, and of the tasks that it starts, except detached ones.
    ///   - isolation: The actor on which the operation runs: the caller's.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    public static func withStandardStore<Result>(
        _ store: any PropertyListStore,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        StandardStore.allowScopes()
        let change = { (scope: inout OperationScope) in scope.standard = TrackedStore(store) }
        return try await OperationScope.run(changing: change, isolation: isolation, operation)
    }

    /// Makes content whose code uses another standard store, even the code that runs later: the preview of a view.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let accent = Key<String>("accent", default: "blue")
    /// }
    ///
    /// struct Page {
    ///     @Default(.accent) var accent
    ///     var text: String { "a page in \(accent)" }
    /// }
    ///
    /// let page = Defaults.preview(on: InMemoryStore(["accent": "red"])) { Page() }
    /// print(page.text)  // prints: a page in red
    /// ```
    ///
    /// The body of a view runs after the closure that made the view has returned, so `withStandardStore(_:operation:)` does
    /// not reach it. From this call on, the static members of `Defaults`, properties with `@Default` without a suite, and
    /// groups made without a store use the given store **in the whole process**, on every thread, except in operations with a
    /// store of their own. The last call counts: if one process shows two previews at once, both read the store of the later
    /// one. The store of the process itself stays as it is, and can still be chosen with ``bootstrap(_:)``. The stores of all
    /// previews are kept until the process ends.
    ///
    /// This is meant for previews, and for programs that show made-up values, for example in screenshots. Tests use
    /// `withStandardStore(_:operation:)`, which does not affect other tests. Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - store: The store. `LayeredStore(registeringBelow:)` makes one with a domain for registered defaults.
    ///   - content: Makes the content.
    /// - Returns: The content.
    public static func preview<Content>(
        on store: any PropertyListStore,
        content: () throws -> Content
    ) rethrows -> Content {
        StandardStore.show(store)
        return try content()
    }

    /// Calls a closure at each use of the standard store of the process, outside of operations with a store of their own; set once, for
    /// tests.
    package static func witnessStandardStore(_ use: @escaping @Sendable (any PropertyListStore) -> Void) {
        StandardStore.setWitness(use)
    }
}
