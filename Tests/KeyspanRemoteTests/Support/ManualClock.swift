#if Remote
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport

@testable import KeyspanRemote

/// A clock whose time passes only when a test says so, or from one deadline to the next while a store is at rest.
final class ManualClock: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A time that the clock can tell from the pauses of a store: the end of a request or a stream that stays silent.
    static let timeout = timeout(of: .seconds(30))

    /// - Parameter duration: Less than the time that a whole document may take.
    static func timeout(of duration: Duration) -> Duration {
        duration + Duration(secondsComponent: 0, attosecondsComponent: 1)
    }

    private enum Side {
        /// A task of a store, in a pause.
        case pause
        /// A task of a store that watches a connection.
        case watch
        /// The connection that is watched.
        case connection
    }

    private struct Waiting {
        let end: Instant?
        let side: Side
        let task: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Instant
        var waiting: [Int: Waiting] = [:]
        var canceled: Set<Int> = []
        var count = 0
        /// The test that waits until a number of parts of a store wait for something.
        var rest: (parts: Int, test: CheckedContinuation<Void, Never>)?

        /// Whether each part of the store waits for the clock, and has a connection that waits if it watches one.
        func isAtRest(_ parts: Int) -> Bool {
            let (watches, connections) = (count(.watch), count(.connection))
            return watches == connections && count(.pause) + watches == parts
        }

        func count(_ side: Side) -> Int { waiting.values.count { $0.side == side } }
    }

    private let start: Instant
    private let dates: TestClock?
    private let state: Locked<State>

    /// - Parameter dates: The clock that has the date, whose time passes with that of this one.
    init(moving dates: TestClock? = nil) {
        start = .now
        self.dates = dates
        state = Locked(State(now: start))
    }

    /// The clock of a store.
    ///
    /// - Parameter dates: The clock that has the date.
    func clock(_ dates: TestClock) -> RemoteClock {
        RemoteClock(date: { dates.now }, now: { self.now }, sleep: { await self.sleep(until: $0) })
    }

    var now: Instant { state.withLock(\.now) }

    /// The number of tasks that wait for a time.
    var waitingCount: Int { state.withLock { $0.count(.pause) + $0.count(.watch) } }

    /// The times for which tasks wait, the next one first.
    var pauses: [Duration] {
        state.withLock { state in
            state.waiting.values.compactMap { waiting in waiting.end.map { state.now.duration(to: $0) } }.sorted()
        }
    }

    func advance(by duration: Duration) { advance(to: now + duration) }

    private func advance(to time: Instant) {
        let (passed, due) = state.withLock { state in
            let passed = state.now.duration(to: time)
            state.now = time
            let due = state.waiting.filter { $0.value.end.map { $0 <= time } ?? false }
            for number in due.keys { state.waiting[number] = nil }
            return (passed, due.values)
        }
        dates?.advance(by: passed.seconds)
        for waiting in due { waiting.task.resume() }
    }

    // MARK: - The store and its connections

    private func sleep(until end: Instant) async {
        let isWatch = start.duration(to: end).components.attoseconds % Self.grain == 1
        await wait(until: end, isWatch ? .watch : .pause)
    }

    /// Waits as a connection does, which the store watches.
    ///
    /// - Parameter duration: The time; `nil` for as long as the store waits.
    func passOnConnection(_ duration: Duration? = nil) async {
        await wait(until: duration.map { now + $0 }, .connection)
    }

    /// Ends the waiting of all connections before its time.
    func wakeConnections() {
        let connections = state.withLock { state in
            let connections = state.waiting.filter { $0.value.side == .connection }
            for number in connections.keys { state.waiting[number] = nil }
            return connections.values
        }
        for connection in connections { connection.task.resume() }
    }

    private func wait(until end: Instant?, _ side: Side) async {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                let waits = state.withLock { state in
                    if state.canceled.contains(number) || end.map({ $0 <= state.now }) ?? false { return false }
                    state.waiting[number] = Waiting(end: end, side: side, task: task)
                    return true
                }
                if waits { noteRest() } else { task.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.canceled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            waiting?.task.resume()
        }
        state.withLock { _ = $0.canceled.remove(number) }
    }

    // MARK: - Simulation

    /// The parts of a second to which the time is rounded, so that the ends of timeouts stay apart: a microsecond.
    private static let grain: Int64 = 1_000_000_000_000

    /// Returns when all parts of a store wait for the clock or for a connection, so that nothing happens before time passes.
    ///
    /// - Parameter parts: The number of parts: one that asks for documents, and one that has a stream. The store must have
    ///   ``timeout(of:)`` in its options.
    func rest(of parts: Int) async {
        await withCheckedContinuation { test in
            state.withLock { $0.rest = (parts, test) }
            noteRest()
        }
    }

    private func noteRest() {
        let test = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let rest = state.rest, state.isAtRest(rest.parts) else { return nil }
            state.rest = nil
            return rest.test
        }
        test?.resume()
    }

    /// Lets a time pass from one deadline to the next, each time that the store is at rest.
    func run(for duration: Duration, parts: Int) async {
        let end = now + duration
        while true {
            await rest(of: parts)
            let next = state.withLock { $0.waiting.values.compactMap(\.end).min() }
            guard let next, rounded(next) <= end else { break }
            advance(to: rounded(next))
        }
        advance(to: end)
        await rest(of: parts)
    }

    private func rounded(_ time: Instant) -> Instant {
        let rest = start.duration(to: time).components.attoseconds % Self.grain
        return rest == 0 ? time : time + Duration(secondsComponent: 0, attosecondsComponent: Self.grain - rest)
    }
}
#endif
