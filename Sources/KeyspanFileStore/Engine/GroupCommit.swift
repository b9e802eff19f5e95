internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// One thread's batch on its way to the file.
final class FileCommit: Sendable {
    let batch: PropertyListBatch
    /// The name of the thread's store, for errors.
    let store: String
    /// The writes of the batch.
    let writes: PendingWrites
    /// About how many bytes they take in a record.
    let size: Int
    /// Whether the batch depends on the values of the file.
    let isBinding: Bool
    /// Whether the change is quiet, whichever thread commits the batch.
    let isQuiet: Bool
    let scope = OperationScope.current
    let thread = ThreadIdentity.current
    /// When the thread asked for the file.
    let askedAt = LockPatience.now

    private let failure = Locked<BatchFailure?>(nil)
    fileprivate let wake = DispatchSemaphore(value: 0)

    /// Makes a commit on the thread that asks for it.
    init(of batch: PropertyListBatch, store: String) {
        self.batch = batch
        self.store = store
        var writes = PendingWrites()
        writes.append(batch)
        self.writes = writes
        var size = 0
        batch.writes.forEach { size += $0.key.utf8.count + ($0.value?.contentSize ?? 0) }
        self.size = size
        isBinding = batch.hasBindingExpectations
        isQuiet = batch.isQuietNow
    }

    /// Notes that the batch has not happened.
    func fail(_ error: BatchFailure) {
        failure.withLock { $0 = $0 ?? error }
    }

    /// Whether the batch has not happened.
    var hasFailed: Bool { failure.withLock { $0 != nil } }

    /// Whether the batch is in the file.
    var outcome: Result<Void, BatchFailure> {
        failure.withLock { $0.map { .failure($0) } ?? .success(()) }
    }
}

/// Threads that wait for a disk together: one of them commits the batches of all that wait, with one flush.
///
/// The first thread leads. Threads that come while it uses the disk wait, and one of them leads next. The lock of the file is
/// held until the flush ends, because a batch whose flush fails has not happened, so no process may have seen it.
final class GroupCommit: Sendable {
    private struct State {
        /// Whether a thread leads, or was woken to lead.
        var isLed = false
        /// The commits that no leader has taken yet; the first one is that of the next leader.
        var waiting: [FileCommit] = []
        /// How many threads may wait soon: those that wait now, and those whose batches were committed last.
        var expected = 0
        /// How many leaders do not wait for these, because they did not come the last time.
        var hurries = 0
    }

    private let state = Locked(State())

    /// The most batches of one record.
    private static let maximumCount = 64
    /// The most bytes of one record, unless its only batch has more.
    ///
    /// A larger record would save little time, and its text takes memory beside the batches.
    private static let maximumSize = 4 << 20
    /// How long a leader waits for the threads whose batches were committed last.
    ///
    /// They often have another batch soon. Without the wait they would come too late, and half of all threads would always wait
    /// for the flush of the others. Few disks flush in this time.
    private static let patience = Duration.microseconds(50)
    /// How many leaders do not wait after one has waited in vain.
    private static let hurriesAfterVainWait = 16

    /// The time in which one thread leads.
    final class Turn: Sendable {
        private let group: GroupCommit
        private let leader: FileCommit
        private let taken = Locked<[FileCommit]>([])

        fileprivate init(of leader: FileCommit, in group: GroupCommit) {
            self.leader = leader
            self.group = group
        }

        /// The commits of this turn: the leader's and those of the same kind that wait when this is called first.
        func commits() -> [FileCommit] {
            taken.withLock { taken in
                if taken.isEmpty { taken = group.take(with: leader) }
                return taken
            }
        }

        /// Notes that none of the commits of this turn has happened that has not failed already.
        ///
        /// If the leader has not come so far as to take others, only its own has failed.
        func fail(_ error: BatchFailure) {
            let commits = taken.withLock { $0 }
            for commit in commits.isEmpty ? [leader] : commits { commit.fail(error) }
        }

        /// Wakes the next leader, and the threads whose commits have their outcomes.
        func end() {
            group.endTurn(of: leader, count: taken.withLock { $0.count })
            for commit in taken.withLock({ $0 }) where commit !== leader { commit.wake.signal() }
        }
    }

    /// Commits a batch, and returns when it has an outcome.
    ///
    /// - Parameters:
    ///   - commit: The batch.
    ///   - lead: Commits this batch and others; must end the turn.
    func run(_ commit: FileCommit, leading lead: (FileCommit, Turn) -> Void) {
        let isLeader = state.withLock { state in
            state.waiting.append(commit)
            defer { state.isLed = true }
            return !state.isLed
        }
        if !isLeader {
            commit.wake.wait()
            // Another thread has taken the commit, or this one is to lead now.
            guard state.withLock({ $0.waiting.contains { $0 === commit } }) else { return }
        }
        gather()
        lead(commit, Turn(of: commit, in: self))
    }

    /// Lets the threads run whose batches were committed last, until all of them wait again or the time is over.
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

    private func take(with leader: FileCommit) -> [FileCommit] {
        state.withLock { state in
            var taken: [FileCommit] = []
            var size = 0
            state.waiting.removeAll { commit in
                guard commit.isBinding == leader.isBinding, taken.count < Self.maximumCount,
                    taken.isEmpty || commit.size <= Self.maximumSize - size
                else { return false }
                taken.append(commit)
                size += commit.size
                return true
            }
            return taken
        }
    }

    private func endTurn(of leader: FileCommit, count: Int) {
        let next = state.withLock { state in
            state.waiting.removeAll { $0 === leader }
            state.expected = count + state.waiting.count
            state.isLed = !state.waiting.isEmpty
            return state.waiting.first
        }
        next?.wake.signal()
    }
}
