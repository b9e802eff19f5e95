import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// The end of work that waits for too long.
@Suite
struct IdleWatchTests {
    private let clock = ManualClock()

    private func run(total: Duration? = nil, _ work: @escaping @Sendable (IdleWatch) async throws -> Void) async throws
    {
        try await IdleWatch.run(limit: .seconds(20), total: total, clock: clock.clock) { [clock] watch in
            try await eventually("the watch waits for the deadline", clock.waitingCount, is: 1)
            try await work(watch)
        }
    }

    private func expectExpiry(
        total: Duration? = nil,
        _ work: @escaping @Sendable (IdleWatch) async throws -> Void
    ) async {
        await #expect(throws: IdleWatch.Expired.self) {
            try await run(total: total) { watch in
                try await work(watch)
                try await eventually("the work is canceled", Task.isCancelled, is: true)
            }
        }
    }

    @Test func `work that has rested is ended like any other`() async throws {
        await expectExpiry { [clock] watch in
            watch.rest()
            clock.advance(by: .seconds(100))
            watch.noteActivity()
            clock.advance(by: .seconds(20))
        }
    }

    @Test func `work that rests is not ended`() async throws {
        try await run { [clock] watch in
            watch.rest()
            for _ in 0..<3 {
                clock.advance(by: .seconds(20))
                try await eventually("the watch waits for the next deadline", clock.waitingCount, is: 1)
            }
        }
    }

    @Test func `a shorter limit counts at once`() async throws {
        await expectExpiry { [clock] watch in
            watch.noteActivity(limit: .seconds(10))
            clock.advance(by: .seconds(10))
        }
    }

    @Test func `work that takes too long in all is ended while it rests`() async throws {
        await expectExpiry(total: .seconds(60)) { [clock] watch in
            watch.rest()
            clock.advance(by: .seconds(60))
        }
    }
}
