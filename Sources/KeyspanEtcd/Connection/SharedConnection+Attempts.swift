#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How connections are made, probed and lost.
extension SharedConnection {
    /// Makes an attempt as soon as its pause is over, if a store waits for one then.
    func attemptWhenDue() {
        let (isDue, delay): (Bool, Duration?) = state.withLock { state in
            guard !state.waiting.isEmpty, !state.isAttempting else { return (false, nil) }
            let now = ContinuousClock.now
            if state.earliest <= now {
                state.isAttempting = true
                return (true, nil)
            }
            if let alarm = state.alarm, alarm <= state.earliest { return (false, nil) }
            state.alarm = state.earliest
            return (false, state.earliest - now)
        }
        if isDue { Task(executorPreference: executor) { await self.attempt() } }
        if let delay {
            executor.run(after: delay) {
                self.state.withLock { $0.alarm = nil }
                self.attemptWhenDue()
            }
        }
    }

    /// Tries all addresses of one member.
    private func attempt() async {
        var turns = state.withLock { $0.turns }
        while true {
            do throws(CallError) {
                let address = try await turns.present(by: connector)
                let member = try await connector.connect(to: address)
                turns.end(wasConnected: true)
                return begin(member, turns)
            } catch {
                let isOver = turns.isAtLastAddress || state.withLock { $0.waiting.isEmpty }
                turns.end(wasConnected: false)
                if isOver { return fail(error, turns) }
            }
        }
    }

    /// Lets all waiting stores use a new connection.
    private func begin(_ member: any MemberConnection, _ turns: MemberTurns) {
        let (link, joined) = state.withLock { state in
            let link = MemberLink(state.nextNumber(), to: member)
            (state.isAttempting, state.turns) = (false, turns)
            state.uses.append(Use(link: link))
            return (link, state.beginSessionsOfWaiting())
        }
        for (waiter, session) in joined { waiter.continuation.resume(returning: .success(session)) }
        if joined.isEmpty { closeIfUnused(link) }
        Task(executorPreference: executor) { self.end(link, because: await member.waitUntilEnded()) }
        probeLater(link)
        // For the stores that the member has no room for.
        attemptWhenDue()
    }

    /// Passes the failure of an attempt on to all waiting stores.
    private func fail(_ error: CallError, _ turns: MemberTurns) {
        let waiting = state.withLock { state in
            (state.isAttempting, state.turns) = (false, turns)
            state.earliest = .now + state.backoff.next()
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.continuation.resume(returning: .failure(error)) }
        // A store may have begun to wait meanwhile.
        attemptWhenDue()
    }

    /// Ends the sessions of a connection that was lost.
    private func end(_ link: MemberLink, because error: CallError) {
        let longest = min(identity.callTimeout / 3, .seconds(1))
        let sessions: [ClusterSession] = state.withLock { state in
            guard let place = state.place(of: link) else { return [] }
            let use = state.uses.remove(at: place)
            state.pause(after: use)
            state.earliest = max(state.earliest, .now + longest * Double.random(in: 0..<1))
            return Array(use.sessions.values)
        }
        for session in sessions { session.finish(.lost(error)) }
    }
}

// MARK: - Probes

extension SharedConnection {
    /// The time between two probes, in call timeouts.
    private static let probeInterval = 10

    /// Asks the member of a connection from time to time, and ends the connection if it does not answer.
    ///
    /// The pings of the transport find a member that does not answer at all. One whose disk hangs still answers these and keeps its watches
    /// open, and has no changes to send; but a read that all members agree on waits in vain.
    private func probeLater(_ link: MemberLink) {
        executor.run(after: identity.callTimeout * Self.probeInterval) { [weak self, weak link] in
            guard let self, let link, state.withLock({ $0.place(of: link) != nil }) else { return }
            Task(executorPreference: executor) {
                await self.probe(link)
                self.probeLater(link)
            }
        }
    }

    /// Asks the member of a connection now, and trusts it again if it answers.
    func probe(_ link: MemberLink) async {
        let key = state.withLock { state in
            state.place(of: link).flatMap { state.uses[$0].sessions.first?.value.probed }
        }
        guard let key else { return }
        let began = Date()
        do throws(CallError) {
            try await link.member.probe(key)
        } catch {
            // A busy member, or one without a leader, has answered, and serves nobody better now than before.
            if error.kind == .unavailable { link.member.end(because: error) }
            return
        }
        link.noteProof(at: began)
        let joined = state.withLock { state in
            if let place = state.place(of: link) { state.uses[place].isSuspect = false }
            return state.beginSessionsOfWaiting()
        }
        for (waiter, session) in joined { waiter.continuation.resume(returning: .success(session)) }
    }
}
#endif
