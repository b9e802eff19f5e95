internal import Keyspan
public import KeyspanCore
public import Testing

/// Gives each test, and each case of a parameterised one, a standard store of its own, in memory.
///
/// Like the standard store of a program, it accepts registered defaults.
///
/// Tests with it can run in parallel and leave nothing behind:
///
/// ```swift
/// @Suite(.isolatedDefaults)
/// struct CounterTests {
///     @Test func startsAtZero() {
///         #expect(Defaults[Defaults.Key<Int>("count", default: 0)] == 0)
///     }
/// }
/// ```
///
/// It isolates everything that uses the standard store: `Defaults[.key]`, `@Default`, also with values that the property keeps, and
/// groups on the standard store. Keys that name a store (`suite:`) keep it. Detached tasks, threads and closures of dispatch
/// queues do not have the test's store, and neither has the body of a view that runs after the test: they use the store of the
/// process. Code that works in a dispatch queue takes the store along, as `Defaults.withStandardStore(_:operation:)` shows.
public struct IsolatedDefaultsTrait: SuiteTrait, TestTrait, TestScoping {
    private let values: PropertyListTable

    init(values: PropertyListTable) {
        self.values = values
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
        let memory = InMemoryStore(values, name: "store of \(test.name)")
        try await Defaults.withStandardStore(LayeredStore(registeringBelow: memory), operation: function)
    }
}

extension Trait where Self == IsolatedDefaultsTrait {
    /// Gives each test a standard store of its own, in memory and empty.
    public static var isolatedDefaults: Self { isolatedDefaults([:]) }

    /// Gives each test a standard store of its own, in memory, that begins with some values.
    ///
    /// - Parameter values: The stored values by the names of their keys.
    public static func isolatedDefaults(_ values: PropertyListTable) -> Self {
        IsolatedDefaultsTrait(values: values)
    }
}
