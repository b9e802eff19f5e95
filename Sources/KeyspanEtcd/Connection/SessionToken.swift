#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// The token with which a user asks the members of a cluster: one for all connections.
///
/// A member takes about 70 ms of a processor for each password, so the password is sent once for all who need a token, and after a failure
/// only after a pause, in which all who ask get that failure.
final class SessionToken: Sendable {
    /// A token, as the members gave it.
    struct Token: Sendable {
        /// The text; `nil` for a cluster without users.
        let text: String?
        fileprivate let number: UInt64
    }

    /// An authentication that is under way.
    fileprivate final class Attempt: Sendable {
        /// The connection that asks its member.
        let connection: ObjectIdentifier
        let isOver = Flag()
        let outcome = Locked<Result<Token, CallError>?>(nil)

        init(by connection: ObjectIdentifier) {
            self.connection = connection
        }
    }

    fileprivate struct State {
        var token: Token?
        var attempt: Attempt?
        /// The last failure, the connection that had it, and the time until which it is the answer for all whom it concerns.
        var failure: (error: CallError, connection: ObjectIdentifier, end: ContinuousClock.Instant)?
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))
        var lastNumber: UInt64 = 0
    }

    private let executor: CallExecutor
    private let state = Locked(State())

    /// - Parameter executor: Runs the authentications.
    init(on executor: CallExecutor) {
        self.executor = executor
    }

    /// The present token, without waiting for one.
    var known: Token? { state.withLock { $0.token } }

    /// Forgets a token that has ended, unless there is another one already.
    func forget(_ ended: Token) {
        state.withLock { $0.forget(ended) }
    }

    /// The present token, or a new one.
    ///
    /// - Parameters:
    ///   - ended: A token that the members no longer take.
    ///   - connection: The connection of the call. That the member of another one does not answer says nothing about this one's.
    ///   - authenticate: Asks a member for a token. Called for one of all who wait.
    func present(
        insteadOf ended: Token? = nil,
        over connection: ObjectIdentifier,
        by authenticate: @escaping @Sendable () async throws(CallError) -> String?
    ) async throws(CallError) -> Token {
        while true {
            let (known, attempt): (Result<Token, CallError>?, Attempt?) = state.withLock { state in
                if let ended { state.forget(ended) }
                if let token = state.token { return (.success(token), nil) }
                if let failure = state.failure, .now < failure.end,
                    failure.connection == connection || !failure.error.isFaultOfMember
                {
                    return (.failure(failure.error), nil)
                }
                return (nil, state.attempt)
            }
            if let known { return try known.get() }
            let present = attempt ?? begin(over: connection, authenticate)
            await present.isOver.wait()
            guard let outcome = present.outcome.withLock({ $0 }) else {
                throw CallError(kind: .unavailable, endpoint: "the cluster", reason: "the task was canceled")
            }
            if case .failure(let error) = outcome, error.isFaultOfMember, present.connection != connection { continue }
            return try outcome.get()
        }
    }

    /// Begins an authentication, unless that goes on already.
    private func begin(
        over connection: ObjectIdentifier,
        _ authenticate: @escaping @Sendable () async throws(CallError) -> String?
    ) -> Attempt {
        let new = Attempt(by: connection)
        let present = state.withLock { state in
            let present = state.attempt ?? new
            state.attempt = present
            return present
        }
        guard present === new else { return present }
        Task(executorPreference: executor) { [self] in
            let outcome: Result<String?, CallError>
            do throws(CallError) {
                outcome = .success(try await authenticate())
            } catch {
                outcome = .failure(error)
            }
            let result = state.withLock { $0.finish(outcome, of: connection) }
            new.outcome.withLock { $0 = result }
            new.isOver.set()
        }
        return new
    }
}

extension SessionToken.State {
    fileprivate mutating func forget(_ ended: SessionToken.Token) {
        if token?.number == ended.number { token = nil }
    }

    /// Notes the outcome of the authentication that was under way.
    fileprivate mutating func finish(
        _ outcome: Result<String?, CallError>,
        of connection: ObjectIdentifier
    ) -> Result<SessionToken.Token, CallError> {
        attempt = nil
        lastNumber += 1
        let result = outcome.map { [lastNumber] in SessionToken.Token(text: $0, number: lastNumber) }
        switch result {
        case .success(let new):
            (token, failure) = (new, nil)
            backoff.reset()
        case .failure(let error): failure = (error, connection, .now + backoff.next())
        }
        return result
    }
}
#endif
