#if Remote
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// The end of work that waits for too long.
@Suite(.bounded)
struct IdleWatchTests {
    private let clock = ManualClock()

    private func run(total: Duration? = nil, _ work: @escaping @Sendable (IdleWatch) async throws -> Void) async throws
    {
        let times = clock.clock(TestClock())
        try await IdleWatch.run(limit: .seconds(20), total: total, clock: times) { [clock] watch in
            try await eventually("the watch waits for the deadline", clock.waitingCount, is: 1)
            try await work(watch)
        }
    }

    @Test func `work that is silent for too long is ended`() async throws {
        let error = await #expect(throws: RemoteStoreError.self) {
            try await run { [clock] watch in
                clock.advance(by: .seconds(15))
                watch.noteActivity()
                clock.advance(by: .seconds(20))
                try await eventually("the work is canceled", Task.isCancelled, is: true)
            }
        }
        #expect(error?.kind == .timedOut && error?.reason == "the server sent nothing for 20.0 seconds")
    }

    @Test func `work that notes activity goes on`() async throws {
        try await run { [clock] watch in
            for _ in 0..<5 {
                clock.advance(by: .seconds(19))
                watch.noteActivity()
                clock.advance(by: .seconds(1))
                try await eventually("the watch waits for the next deadline", clock.waitingCount, is: 1)
                #expect(!Task.isCancelled)
            }
        }
        try await eventually("the watch has ended", clock.waitingCount, is: 0)
    }

    @Test func `work that takes too long in all is ended in spite of its activity`() async throws {
        let error = await #expect(throws: RemoteStoreError.self) {
            try await run(total: .seconds(60)) { [clock] watch in
                for _ in 0..<3 {
                    clock.advance(by: .seconds(10))
                    watch.noteActivity()
                    clock.advance(by: .seconds(10))
                }
                try await eventually("the work is canceled", Task.isCancelled, is: true)
            }
        }
        #expect(error?.kind == .timedOut && error?.reason == "the response was not complete after 60.0 seconds")
    }
}
#endif
