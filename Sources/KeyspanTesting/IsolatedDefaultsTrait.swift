internal import Keyspan
@_spi(StoreAuthors) public import KeyspanCore
public import Testing

/// Gives each test, and each case of a parameterised one, a standard store of its own, in memory.
///
/// Like the standard store of a program, it accepts registered defaults.
///
/// Tests with it can run in parallel and leave nothing behind:
///
/// ```swift
/// extension Defaults.Keys {
///     static let count = Key<Int>("count", default: 0)
/// }
///
/// @Suite(.isolatedDefaults { $0[.count] = 3 })
/// struct CounterTests {
///     @Test func startsAtThree() {
///         #expect(Defaults[.count] == 3)
///     }
/// }
/// ```
///
/// It isolates everything that uses the standard store: `Defaults[.key]`, `@Default`, also with values that the property keeps, and
/// groups made by `Defaults.Group.init()`, also those in static constants. Keys that name a store (`suite:`) keep it, and so do a
/// `Defaults.standard` and an observation: one in a static constant stays with the store of the test that made it. Detached tasks,
/// threads and closures of dispatch queues do not have the test's store, and neither has the body of a view that runs after the test:
/// they use the store of the process, which is reported as an ``IsolationNotice`` once for each test. Code that works in a dispatch
/// queue takes the store along, as `Defaults.withStandardStore(_:operation:)` shows.
public struct IsolatedDefaultsTrait: SuiteTrait, TestTrait, TestScoping {
    private let begin: @Sendable (inout Defaults.Batch) throws -> Void

    init(_ begin: @escaping @Sendable (inout Defaults.Batch) throws -> Void) {
        self.begin = begin
    }

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        // A suite has no case; each of its tests gets a store.
        testCase == nil ? nil : self
    }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await isolate(test.name, function)
    }

    /// Runs an operation as a test of that name.
    func isolate(_ name: String, _ operation: @Sendable () async throws -> Void) async throws {
        let store = LayeredStore(registeringBelow: InMemoryStore(name: "store of \(name)"))
        try setBeginning(of: store)
        let isolation = IsolatedTests.begin(name)
        defer { IsolatedTests.end(isolation) }
        try await Defaults.withStandardStore(store, operation: operation)
    }

    private func setBeginning(of store: any PropertyListStore) throws { try Defaults(store).commit(begin) }
}

extension Trait where Self == IsolatedDefaultsTrait {
    /// Gives each test a standard store of its own, in memory and empty.
    public static var isolatedDefaults: Self { IsolatedDefaultsTrait { _ in } }

    /// Gives each test a standard store of its own, in memory, that begins with some values.
    ///
    /// - Parameter begin: Sets the values, as for `Defaults.commit(_:)`. A value that its key cannot store fails the test.
    public static func isolatedDefaults(_ begin: @escaping @Sendable (inout Defaults.Batch) throws -> Void) -> Self {
        IsolatedDefaultsTrait(begin)
    }
}

/// Code outside of a test has used the standard store of the process while tests with ``IsolatedDefaultsTrait`` ran: probably a detached
/// task, a thread or a closure of a dispatch queue that one of them has started.
///
/// It reaches `Defaults.onProblem(_:)` as the notice of a `storeNotice`, once for each test.
public struct IsolationNotice: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store.
    public let store: String
    /// The names of the isolated tests that ran and were not named before, sorted.
    public let tests: [String]

    /// The notice in one sentence.
    public var description: String {
        "\(store): code without a test's own store used the standard store of the process while isolated tests ran "
            + "(\(tests.shortList())); pass the store to it with Defaults.withStandardStore(_:operation:)."
    }
}

@_spi(StoreAuthors) extension IsolationNotice: ProblemDetails {
    /// The code may have changed the settings of whoever runs the tests.
    public var severity: Defaults.Problem.Severity { .warning }

    public var fields: [String: String] { ["kind": "isolation"] }
}

/// The tests with ``IsolatedDefaultsTrait`` that run.
private enum IsolatedTests {
    private struct State {
        var names: [Int: String] = [:]
        var count = 0
        /// Those that no notice has named.
        var unnamed: Set<Int> = []
    }

    private static let state = Locked(State())

    // Seen for as long as the process lives, because a task can outlive its test.
    private static let witnessing: Void = Defaults.witnessStandardStore(noticeUse)

    static func begin(_ name: String) -> Int {
        witnessing
        return state.withLock { state in
            state.count += 1
            state.names[state.count] = name
            state.unnamed.insert(state.count)
            return state.count
        }
    }

    static func end(_ number: Int) {
        state.withLock { state in
            state.names[number] = nil
            state.unnamed.remove(number)
        }
    }

    @Sendable private static func noticeUse(of store: any PropertyListStore) {
        // A test without the trait uses the store of the process on purpose.
        guard Test.current == nil else { return }
        let names = state.withLock { state in
            defer { state.unnamed = [] }
            return state.unnamed.compactMap { state.names[$0] }
        }
        if names.isEmpty { return }
        let notice = IsolationNotice(store: store.name, tests: names.sorted())
        Defaults.Problem.storeNotice(name: store.name, notice: notice).report()
    }
}
