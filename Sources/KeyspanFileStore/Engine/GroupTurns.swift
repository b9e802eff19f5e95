internal import Dispatch
internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A thread's request for work with the disk that one thread can do for several.
protocol GroupRequest: AnyObject, Sendable {
    associatedtype Failure: Error

    /// About how many bytes the request writes.
    var size: Int { get }
    /// Wakes the thread when the request has its outcome, or when the thread is to lead.
    var wake: DispatchSemaphore { get }

    /// Whether the turn of a thread may include the request.
    func canShareTurn(of leader: Self) -> Bool
    /// Notes that the work failed, unless the request has failed already.
    func fail(_ error: Failure)
}

/// Threads that wait for a disk together: one of them works for all that wait, with one flush.
///
/// The first thread leads. Threads that come while it uses the disk wait, and one of them leads next. A leader does nothing in its
/// turn that may wait for another thread of the group. It calls no code of the program but validations, whose calls throw in place of
/// waiting for one; see `Examination`.
final class GroupTurns<Request: GroupRequest>: Sendable {
    private struct State {
        /// Whether a thread leads, or was woken to lead.
        var isLed = false
        /// The requests that no leader has taken yet; the first one is that of the next leader.
        var waiting: [Request] = []
        /// How many threads may wait soon: those that wait now, and those that had the last turn.
        var expected = 0
        /// How many leaders do not wait for these, because they did not come the last time.
        var hurries = 0
    }

    private let state = Locked(State())

    /// The most requests of one turn.
    private static var maximumCount: Int { 64 }
    /// The most bytes of one turn, unless its only request has more.
    ///
    /// A larger record would save little time, and its text takes memory beside the batches.
    private static var maximumSize: Int { 4 << 20 }
    /// How long a leader waits for the threads that had the last turn.
    ///
    /// They often have another request soon. Without the wait they would come too late, and half of all threads would always
    /// wait for the flush of the others. Few disks flush in this time.
    private static var patience: Duration { .microseconds(50) }
    /// How many leaders do not wait after one has waited in vain.
    private static var hurriesAfterVainWait: Int { 16 }

    /// The time in which one thread leads.
    final class Turn: Sendable {
        private let group: GroupTurns
        private let leader: Request
        private let taken = Locked<[Request]>([])

        fileprivate init(of leader: Request, in group: GroupTurns) {
            self.leader = leader
            self.group = group
        }

        /// The requests of this turn: the leader's and those that can share it and wait when this is called first.
        func requests() -> [Request] {
            taken.withLock { taken in
                if taken.isEmpty { taken = group.take(with: leader) }
                return taken
            }
        }

        /// Notes that all requests of this turn have failed.
        ///
        /// If the leader has not come so far as to take others, only its own has failed.
        func fail(_ error: Request.Failure) {
            let requests = taken.withLock { $0 }
            for request in requests.isEmpty ? [leader] : requests { request.fail(error) }
        }

        /// Notes that the leader's request has failed, and leaves the others to the next turns.
        func failLeader(_ error: Request.Failure) {
            leader.fail(error)
            let others = taken.withLock { taken in
                defer { taken = [leader] }
                return taken.filter { $0 !== leader }
            }
            group.putBack(others)
        }

        /// Wakes the next leader, and the threads whose requests have their outcomes.
        func end() {
            group.endTurn(of: leader, count: taken.withLock { $0.count })
            for request in taken.withLock({ $0 }) where request !== leader { request.wake.signal() }
        }
    }

    /// Returns when a request has an outcome.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - lead: Does the work of this request and others; must end the turn.
    func run(_ request: Request, leading lead: (Request, Turn) -> Void) {
        let isLeader = state.withLock { state in
            state.waiting.append(request)
            defer { state.isLed = true }
            return !state.isLed
        }
        if !isLeader {
            request.wake.wait()
            // Another thread has taken the request, or this one is to lead now.
            guard state.withLock({ $0.waiting.contains { $0 === request } }) else { return }
        }
        gather()
        lead(request, Turn(of: request, in: self))
    }

    /// Lets the threads run that had the last turn, until all of them wait again or the time is over.
    private func gather() {
        let (present, expected) = state.withLock { state in
            if state.hurries > 0 {
                state.hurries -= 1
                return (0, 0)
            }
            return (state.waiting.count, min(state.expected, Self.maximumCount))
        }
        guard present < expected else { return }
        let end = LockPatience.now + Self.patience
        while state.withLock({ $0.waiting.count < expected }), LockPatience.now < end { sched_yield() }
        state.withLock { state in
            if state.waiting.count == present { state.hurries = Self.hurriesAfterVainWait }
        }
    }

    private func take(with leader: Request) -> [Request] {
        state.withLock { state in
            var taken: [Request] = []
            var size = 0
            state.waiting.removeAll { request in
                guard request.canShareTurn(of: leader), taken.count < Self.maximumCount,
                    taken.isEmpty || request.size <= Self.maximumSize - size
                else { return false }
                taken.append(request)
                size += request.size
                return true
            }
            return taken
        }
    }

    private func putBack(_ requests: [Request]) {
        state.withLock { $0.waiting.insert(contentsOf: requests, at: 0) }
    }

    private func endTurn(of leader: Request, count: Int) {
        let next = state.withLock { state in
            state.waiting.removeAll { $0 === leader }
            state.expected = count + state.waiting.count
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.wake.signal()
    }
}
