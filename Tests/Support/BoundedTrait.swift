package import Testing

/// Ends a test that waits for a stream of changes after two minutes, and names it.
///
/// Canceling the task of the test ends its streams, so a lost change fails the test and does not stop the run.
package struct BoundedTrait: SuiteTrait, TestTrait, TestScoping {
    /// The number of looks, one in 100 ms, after which a test is ended.
    let looks: Int

    package var isRecursive: Bool { true }

    package init(looks: Int = 1_200) {
        self.looks = looks
    }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for _ in 0..<looks {
                        // The pace of the looks; a machine that is busy makes the limit longer.
                        guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return }
                    }
                    Issue.record("\(test.name) still waits for a change")
                }
                group.addTask { try await function() }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }
}

extension Trait where Self == BoundedTrait {
    /// Ends the tests after two minutes.
    package static var bounded: Self { BoundedTrait() }
}
