#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The connection to a cluster that all stores of the process share which have the same members, protection, user and call timeout.
///
/// The stores have one TCP connection to one member. There is another one, to the next member, only for a store that the first one did not
/// answer as it should while it still answers others, for stores that connect before it has answered a probe, and for more stores than it has
/// streams.
///
/// Attempts are made while a store waits for one, one at a time, with pauses that grow. The pause after a lost connection is random, so that
/// the processes of a cluster do not come back all at once.
final class SharedConnection: Sendable {
    /// What stores that share a connection have in common.
    struct Identity: Sendable, Hashable {
        let members: Set<Endpoint>
        let security: EtcdSecurity
        let credentials: EtcdCredentials?
        let callTimeout: Duration
        /// Where the names of the members are known.
        let network: ObjectIdentifier
    }

    private struct Weak {
        weak var connection: SharedConnection?
    }

    private static let all = Locked<[Identity: Weak]>([:])

    /// The connection of all stores with an identity, which exists as long as one of them.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - endpoints: The members, in the order in which they are tried.
    ///   - connector: Makes the connector of a new connection, for the executor on which it runs.
    static func of(
        _ identity: Identity,
        at endpoints: [Endpoint],
        _ connector: (CallExecutor) -> any MemberConnector
    ) -> SharedConnection {
        if let present = all.withLock({ $0[identity]?.connection }) { return present }
        let new = SharedConnection(identity, at: endpoints, connector)
        // A new one that is not needed ends without the lock, which its end takes.
        return withExtendedLifetime(new) {
            all.withLock { all in
                if let present = all[identity]?.connection { return present }
                all[identity] = Weak(connection: new)
                return new
            }
        }
    }

    /// How long a connection stays open for the next session after the last one.
    private static let lingering = Duration.milliseconds(100)

    let executor: CallExecutor
    let identity: Identity
    let connector: any MemberConnector
    let state: Locked<State>

    private init(
        _ identity: Identity,
        at endpoints: [Endpoint],
        _ connector: (CallExecutor) -> any MemberConnector
    ) {
        let executor = CallExecutor.next()
        (self.identity, self.executor, self.connector) = (identity, executor, connector(executor))
        state = Locked(State(turns: MemberTurns(of: endpoints)))
    }

    deinit {
        let identity = identity
        // Returned, so that the lock's holder does not release another one, whose end takes the lock too.
        _ = Self.all.withLock { all in
            let present = all[identity]?.connection
            if present == nil { all[identity] = nil }
            return present
        }
    }

    // MARK: - Sessions

    /// Begins a session on the present connection, or on the next one.
    ///
    /// - Parameters:
    ///   - avoided: The numbers of connections that the session must not use.
    ///   - probed: A key that probes of the connection may read.
    ///   - isNew: Whether the store has not asked before. For the first such store in a second, the pauses between attempts begin anew.
    /// - Throws: The failure of the first attempt that ends from here on.
    func join(avoiding avoided: Set<UInt64>, probing probed: Data, isNew: Bool) async throws(CallError)
        -> ClusterSession
    {
        let number = state.withLock { $0.nextNumber() }
        let outcome: Result<ClusterSession, CallError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Result<ClusterSession, CallError>? = state.withLock { state in
                    if Task.isCancelled { return .failure(.canceled) }
                    let waiter = Waiter(avoided: avoided, probed: probed, continuation: continuation)
                    if let session = state.beginSession(of: waiter) { return .success(session) }
                    state.waiting[number] = waiter
                    if isNew { state.hurry() }
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) } else { attemptWhenDue() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(
                returning: .failure(.canceled)
            )
        }
        return try outcome.get()
    }

    /// Ends a session, and the connection with the last one.
    func leave(_ session: ClusterSession) {
        let link = session.link
        let step: Step = state.withLock { state in
            guard let place = state.place(of: link) else { return .none }
            let wasSuspect = state.uses[place].isSuspect
            if case .givenUp = session.ending {
                if !wasSuspect { state.pause(after: state.uses[place]) }
                state.uses[place].isSuspect = true
            }
            state.uses[place].sessions[ObjectIdentifier(session)] = nil
            if session.isEstablished { state.uses[place].hasServed = true }
            let use = state.uses[place]
            guard use.sessions.isEmpty else { return use.isSuspect && !wasSuspect ? .probe : .none }
            if !use.isSuspect { return .linger }
            state.uses.remove(at: place)
            return .close
        }
        switch step {
        case .none: break
        case .probe: Task(executorPreference: executor) { await self.probe(link) }
        case .linger: executor.run(after: Self.lingering) { self.closeIfUnused(link) }
        case .close: link.member.end(because: .unused(link))
        }
    }

    private enum Step {
        case none
        case probe
        case linger
        case close
    }

    func closeIfUnused(_ link: MemberLink) {
        let isUnused = state.withLock { state in
            guard let place = state.place(of: link), state.uses[place].sessions.isEmpty else { return false }
            state.uses.remove(at: place)
            return true
        }
        if isUnused { link.member.end(because: .unused(link)) }
    }
}

extension CallError {
    /// The failure of a store that no longer waits.
    fileprivate static var canceled: CallError {
        CallError(kind: .unavailable, endpoint: "the cluster", reason: "the task was canceled")
    }

    /// The end of a connection that no store uses.
    fileprivate static func unused(_ link: MemberLink) -> CallError {
        CallError(kind: .unavailable, endpoint: "\(link.member.address)", reason: "no store uses the connection")
    }
}
#endif
