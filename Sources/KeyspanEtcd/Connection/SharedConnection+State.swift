#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SharedConnection {
    /// A store that waits for a connection.
    struct Waiter {
        let avoided: Set<UInt64>
        let probed: Data
        let continuation: CheckedContinuation<Result<ClusterSession, CallError>, Never>
    }

    /// A connection with its sessions.
    struct Use {
        let link: MemberLink
        var sessions: [ObjectIdentifier: ClusterSession] = [:]
        /// Whether it has not answered a store as it should, and no probe since.
        var isSuspect = false
        /// Whether a session that has left it had its watch.
        var hasServed = false
    }

    /// Everything that changes.
    struct State {
        /// The open connections, the oldest first.
        var uses: [Use] = []
        var waiting: [UInt64: Waiter] = [:]
        var turns: MemberTurns
        var isAttempting = false
        var backoff = Backoff(first: .milliseconds(20), longest: .seconds(5))
        /// The time before which no attempt is made.
        var earliest = ContinuousClock.now
        /// The time at which the next attempt is looked after.
        var alarm: ContinuousClock.Instant?
        /// The last time at which the pauses began anew for a new store.
        var lastHurry: ContinuousClock.Instant?
        private var lastNumber: UInt64 = 0

        init(turns: MemberTurns) {
            self.turns = turns
        }

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        func place(of link: MemberLink) -> Int? { uses.firstIndex { $0.link === link } }

        /// Begins a session on the oldest connection that a store may use.
        mutating func beginSession(of waiter: Waiter) -> ClusterSession? {
            let place = uses.firstIndex { use in
                !use.isSuspect && !waiter.avoided.contains(use.link.number)
                    && use.sessions.count < use.link.sessionLimit
            }
            guard let place else { return nil }
            let session = ClusterSession(over: uses[place].link, probing: waiter.probed)
            uses[place].sessions[ObjectIdentifier(session)] = session
            return session
        }

        /// Begins the sessions of all waiting stores that may use one of the connections.
        mutating func beginSessionsOfWaiting() -> [(Waiter, ClusterSession)] {
            var joined: [(Waiter, ClusterSession)] = []
            for (number, waiter) in waiting {
                guard let session = beginSession(of: waiter) else { continue }
                waiting[number] = nil
                joined.append((waiter, session))
            }
            return joined
        }

        /// Makes the pause after a connection that is lost or answers a store no longer.
        ///
        /// One that no store could use is like an attempt that has failed, so that the pauses grow.
        mutating func pause(after use: Use) {
            if use.hasServed || use.sessions.values.contains(where: \.isEstablished) { backoff.reset() }
            earliest = max(earliest, .now + backoff.next())
        }

        /// Lets the pauses between attempts begin anew, at most once a second, however many stores are opened.
        mutating func hurry() {
            let now = ContinuousClock.now
            if let lastHurry, now - lastHurry < .seconds(1) { return }
            lastHurry = now
            backoff.reset()
            earliest = min(earliest, now + backoff.next())
        }
    }
}
#endif
