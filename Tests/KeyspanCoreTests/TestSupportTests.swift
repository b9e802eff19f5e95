import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The means by which tests wait and choose: a failure ends in time, and says what is needed to understand it.
@Suite(.bounded) struct TestSupportTests {
    @Test func `a wait that fails names what was awaited and what is there instead`() async throws {
        try await withKnownIssue {
            try await eventually("the number is three", 2, is: 3, within: .zero)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["waited 0.0 seconds until the number is three; found: 2"]
        }
    }

    @Test func `a test that waits for a stream without an end is ended, and named`() async throws {
        let (changes, feed) = AsyncStream.makeStream(of: Int.self)
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await BoundedTrait(looks: 1).provideScope(for: test, testCase: nil) {
                for await _ in changes {}
            }
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["\(test.name) still waits for a change"]
        }
        feed.finish()
    }

    @Test func `the failure of a random test says how to repeat it`() {
        let comments = Recorder<String>()
        withKnownIssue {
            Issue.record("a law is broken")
        } matching: { issue in
            for comment in IssueHandlingTrait.seeded.handleIssue(issue)?.comments ?? [] {
                comments.record(comment.rawValue)
            }
            return true
        }
        #expect(comments.values.contains { $0.contains("KEYSPAN_SEED=\(SeededGenerator.seedOfRun)") })
    }
}
