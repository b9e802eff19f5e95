@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanRemote

/// A clock whose time passes only when a test says so.
final class ManualClock: Sendable {
    private typealias Waiting = (end: ContinuousClock.Instant, thread: AsyncStream<Never>.Continuation)

    private let state = Locked<(now: ContinuousClock.Instant, waiting: [Waiting])>((.now, []))

    /// The clock of a store.
    ///
    /// - Parameter dates: The clock that has the date.
    func clock(_ dates: TestClock) -> RemoteClock {
        RemoteClock(
            date: { dates.now },
            now: { self.state.withLock(\.now) },
            sleep: { await self.sleep(until: $0) }
        )
    }

    /// The number of tasks that wait for a time.
    var waitingCount: Int { state.withLock(\.waiting.count) }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.waiting.filter { $0.end <= state.now }
            state.waiting.removeAll { $0.end <= state.now }
            return due
        }
        for (_, thread) in due { thread.finish() }
    }

    private func sleep(until end: ContinuousClock.Instant) async {
        let (stream, thread) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.now < end { state.waiting.append((end, thread)) } else { thread.finish() }
        }
        // A canceled task ends the iteration.
        for await _ in stream {}
    }
}
