#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// Ends work that waits for the other side of a connection for too long.
final class IdleWatch: Sendable {
    /// The work was ended.
    struct Expired: Error {
        let limit: Duration
    }

    private struct State {
        var limit: Duration
        var deadline: ContinuousClock.Instant
        var isExpired = false
    }

    private let state: Locked<State>

    private init(limit: Duration) {
        state = Locked(State(limit: limit, deadline: .now + limit))
    }

    /// Notes that something has arrived; the next thing must within the limit, which may be another one from now on.
    func noteActivity(limit: Duration? = nil) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.limit = limit ?? state.limit
            state.deadline = now + state.limit
        }
    }

    /// Runs work, and cancels it if nothing arrives for a time.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - work: The work, which notes what arrives.
    /// - Throws: ``Expired`` if it was canceled for that; otherwise the error of the work.
    static func run<Result: Sendable>(
        limit: Duration,
        _ work: @escaping @Sendable (IdleWatch) async throws -> Result
    ) async throws -> Result {
        let watch = IdleWatch(limit: limit)
        let task = Task { try await work(watch) }
        let timer = Task {
            while !Task.isCancelled {
                let deadline = watch.state.withLock(\.deadline)
                try await Task.sleep(until: deadline, clock: .continuous)
                guard watch.expireIfDue() else { continue }
                task.cancel()
                return
            }
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            let (isExpired, limit) = watch.state.withLock { ($0.isExpired, $0.limit) }
            throw isExpired ? Expired(limit: limit) : error
        }
    }

    private func expireIfDue() -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            if state.deadline > now { return false }
            state.isExpired = true
            return true
        }
    }
}
#endif
