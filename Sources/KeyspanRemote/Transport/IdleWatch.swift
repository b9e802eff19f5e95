#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// Ends work that waits for the other side of a connection for too long.
final class IdleWatch: Sendable {
    private let limit: Duration
    private let clock: RemoteClock
    private let deadline: Locked<ContinuousClock.Instant>

    private init(limit: Duration, clock: RemoteClock) {
        (self.limit, self.clock) = (limit, clock)
        deadline = Locked(clock.now() + limit)
    }

    /// Notes that something has arrived; the next thing must within the limit.
    func noteActivity() {
        let next = clock.now() + limit
        deadline.withLock { $0 = next }
    }

    /// Runs work, and cancels it if nothing arrives for a time.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - total: The time for all of the work; `nil` for any.
    ///   - clock: The clock that measures both.
    ///   - work: The work, which notes what arrives.
    /// - Throws: ``RemoteStoreError`` of the kind `timedOut` if it was canceled for that; otherwise the error of the work.
    static func run<Result: Sendable>(
        limit: Duration,
        total: Duration? = nil,
        clock: RemoteClock,
        _ work: @escaping @Sendable (IdleWatch) async throws -> Result
    ) async throws -> Result {
        let watch = IdleWatch(limit: limit, clock: clock)
        let end = total.map { clock.now() + $0 }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work(watch) }
            group.addTask {
                while !Task.isCancelled {
                    let deadline = watch.deadline.withLock(\.self)
                    let isTotal = end.map { $0 < deadline } ?? false
                    let next = isTotal ? end ?? deadline : deadline
                    if next <= clock.now() { throw Self.expired(isTotal ? total ?? limit : limit, isTotal: isTotal) }
                    await clock.sleep(next)
                }
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }

    private static func expired(_ limit: Duration, isTotal: Bool) -> RemoteStoreError {
        let reason = isTotal ? "the response was not complete after \(limit)" : "the server sent nothing for \(limit)"
        return RemoteStoreError(.timedOut, reason, "look after the server and the network; the store tries again")
    }
}
#endif
