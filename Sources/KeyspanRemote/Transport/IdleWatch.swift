#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The time that limits a connection, which tests let pass.
struct ConnectionClock: Sendable {
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Returns at a time, or before if the task is canceled.
    var sleep: @Sendable (_ end: ContinuousClock.Instant) async -> Void = { end in
        try? await Task.sleep(until: end, clock: .continuous)
    }
}

/// Ends work that waits for the other side of a connection for too long.
final class IdleWatch: Sendable {
    /// The work was ended.
    struct Expired: Error {
        let limit: Duration
        /// Whether the limit was that of the whole work.
        let isTotal: Bool
    }

    private struct State {
        var limit: Duration
        var deadline: ContinuousClock.Instant
        /// When the whole work has to be done.
        let end: ContinuousClock.Instant?
        /// Whether the other side may be silent.
        var isResting = false
        /// Whether the work has ended by itself, or was ended.
        var isDone = false
        var isExpired = false
        /// Ends at the deadline, or when there is an earlier one.
        var sleep: Task<Void, Never>?
    }

    private let clock: ConnectionClock
    private let state: Locked<State>

    private init(limit: Duration, total: Duration?, clock: ConnectionClock) {
        self.clock = clock
        let start = clock.now()
        let end = total.map { start + $0 }
        state = Locked(State(limit: limit, deadline: min(start + limit, end ?? start + limit), end: end))
    }

    /// Notes that something has arrived; the next thing must within the limit, which may be another one from now on.
    func noteActivity(limit: Duration? = nil) {
        let now = clock.now()
        let late = state.withLock { state -> Task<Void, Never>? in
            let before = state.deadline
            state.limit = limit ?? state.limit
            state.isResting = false
            state.deadline = min(now + state.limit, state.end ?? now + state.limit)
            return state.deadline < before ? state.sleep : nil
        }
        late?.cancel()
    }

    /// Lets the other side be silent until the next activity.
    func rest() {
        state.withLock { $0.isResting = true }
    }

    /// Runs work, and cancels it if nothing arrives for a time.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - total: The time for all of the work; `nil` for any.
    ///   - clock: The clock that measures both.
    ///   - work: The work, which notes what arrives.
    /// - Throws: ``Expired`` if it was canceled for that; otherwise the error of the work.
    static func run<Result: Sendable>(
        limit: Duration,
        total: Duration? = nil,
        clock: ConnectionClock,
        _ work: @escaping @Sendable (IdleWatch) async throws -> Result
    ) async throws -> Result {
        let watch = IdleWatch(limit: limit, total: total, clock: clock)
        let task = Task {
            defer { watch.finish() }
            return try await work(watch)
        }
        let timer = Task {
            while !Task.isCancelled, !watch.state.withLock(\.isDone) {
                await watch.sleep()
                if watch.expireIfDue() { task.cancel() }
            }
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let state = watch.state.withLock { $0 }
        // A body can also end without an error when its task is canceled.
        if !state.isExpired { return try result.get() }
        let isTotal = state.deadline == state.end
        throw Expired(limit: isTotal ? total ?? state.limit : state.limit, isTotal: isTotal)
    }

    /// Returns at the deadline, or before if the task is canceled or the deadline becomes an earlier one.
    private func sleep() async {
        let sleep = state.withLock { state in
            let deadline = state.deadline
            let sleep = Task { [clock] in await clock.sleep(deadline) }
            state.sleep = sleep
            return sleep
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    /// Notes that the work is done, whose result counts although it is awaited only after the deadline.
    private func finish() {
        state.withLock { $0.isDone = true }
    }

    private func expireIfDue() -> Bool {
        let now = clock.now()
        return state.withLock { state in
            if state.isDone || state.deadline > now { return false }
            if state.isResting, state.end.map({ $0 > now }) ?? true {
                state.deadline = min(now + state.limit, state.end ?? now + state.limit)
                return false
            }
            (state.isDone, state.isExpired) = (true, true)
            return true
        }
    }
}
#endif
