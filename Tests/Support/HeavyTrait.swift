import KeyspanTesting
package import Testing

/// Runs tests that occupy a processor for seconds, or start many processes, beside the cooperative pool and at most four at a
/// time.
///
/// The pool has as many threads as the machine has processors. Tests that occupy all of them would hold up every task of the
/// tests that wait for a watcher or a timer.
package struct HeavyTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(available: 4)

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.turns.take()
        defer { Self.turns.giveBack() }
        try await withTaskExecutorPreference(TestThreadExecutor.shared) { try await function() }
    }
}

extension Trait where Self == HeavyTrait {
    /// Runs the tests beside the cooperative pool, at most four of them at a time.
    package static var heavy: Self { HeavyTrait() }
}
