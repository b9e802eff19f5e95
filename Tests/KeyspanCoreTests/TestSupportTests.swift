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

    @Test func `a pause counts once a task of the pool has run, and 50 ms of it at most`() {
        var now = ContinuousClock.now
        let waiting = Recorder<@Sendable () -> Void>()
        var patience = Patience(.milliseconds(120), now: { now }, start: waiting.record)

        // The pool runs nothing.
        now += .milliseconds(100)
        patience.look {}
        #expect(!patience.isOver && waiting.count == 1)

        for (pause, isOver) in [(900, false), (60, false), (19, false), (1, true)] {
            waiting.values.last?()
            now += .milliseconds(pause)
            patience.look {}
            #expect(patience.isOver == isOver, "after \(pause) ms")
        }
        #expect(waiting.count == 5)
    }

    @Test func `a look counts whole, and a pool that runs nothing anymore ends the wait`() {
        var now = ContinuousClock.now
        var patience = Patience(.milliseconds(100), now: { now }, start: { _ in })
        patience.look { now += .milliseconds(60) }
        #expect(!patience.isOver)
        var slow = patience
        slow.look { now += .milliseconds(40) }
        #expect(slow.isOver)

        now += .milliseconds(899)
        patience.look {}
        #expect(!patience.isOver)
        now += .milliseconds(1)
        #expect(patience.isOver)
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
