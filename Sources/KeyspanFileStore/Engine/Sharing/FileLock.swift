internal import Dispatch
internal import KeyspanCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Which processes the lock of a file excludes.
package enum FileLockMode: Sendable {
    /// Writers: for readers of a file that is in several parts.
    case shared
    /// All others: for writers.
    case exclusive

    /// Whether the lock is for a writer.
    var isExclusive: Bool {
        switch self {
        case .exclusive: true
        case .shared: false
        }
    }
}

/// How long a process waits for a file that another one has locked.
///
/// The limit is measured by the clock, however long each pause or system call really takes.
package struct LockPatience: Sendable {
    /// An instant of the clock that measures the limit; it stops while the machine sleeps.
    package typealias Instant = SuspendingClock.Instant

    /// The longest time to wait.
    package let limit: Duration
    private let sleep: @Sendable (Duration) -> Void

    /// The pause between two attempts where the kernel cannot wake this process.
    private static let pause = Duration.milliseconds(5)

    /// Makes a time limit.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait.
    ///   - sleep: Stops the thread for a time.
    package init(limit: Duration, sleep: @escaping @Sendable (Duration) -> Void = Self.stopThread) {
        self.limit = limit
        self.sleep = sleep
    }

    /// The current instant.
    package static var now: Instant { SuspendingClock.now }

    /// Repeats an attempt until it succeeds.
    ///
    /// - Parameters:
    ///   - deadline: When to give up; at least one attempt is made.
    ///   - isDone: Makes an attempt and returns whether it succeeded.
    /// - Returns: Whether an attempt succeeded.
    package func wait<Failure: Error>(
        until deadline: Instant,
        for isDone: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        while try !isDone() {
            let rest = Self.now.duration(to: deadline)
            if rest <= .zero { return false }
            // Processes that failed at the same moment must not all retry at the same moment.
            pause(min(rest, Self.pause * Double.random(in: 0.5...1)))
        }
        return true
    }

    /// Stops the thread for a time.
    func pause(_ duration: Duration) {
        if duration > .zero { sleep(duration) }
    }

    /// Stops the calling thread.
    package static func stopThread(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which is harmless.
        nanosleep(&time, nil)
    }
}

/// Divides the use of a lock that several processes want into turns of some milliseconds.
///
/// The kernel wakes the next process when a lock is released, but gives the lock to the first process that asks. That is often
/// the process that has just released it, because it is running. Within a turn this is an advantage: on a busy machine, waking
/// a process takes longer than writing a batch. But a turn must end, or the others would wait forever. So a process
/// that had to wait for the lock, and therefore knows that others want it, pauses when its turn is over.
struct LockTurns: Sendable {
    /// When this process got the lock after a wait; `nil` if it did not wait, or if no other process took the lock in a pause.
    private var begin: LockPatience.Instant?
    private var release: LockPatience.Instant?

    /// Long enough for some batches, and short enough for dozens of processes to have their turn within the lock's time limit.
    private static let length = Duration.milliseconds(20)
    /// Long enough for the next process to be woken on a busy machine.
    ///
    /// The pause is wasted only if no other process waits anymore.
    private static let pause = Duration.milliseconds(10)

    /// How long to wait before asking for the lock.
    func pause(at now: LockPatience.Instant) -> Duration {
        guard let begin, let release, begin.duration(to: release) >= Self.length else { return .zero }
        return max(Self.pause - release.duration(to: now), .zero)
    }

    /// Notes that the lock was taken.
    ///
    /// - Parameters:
    ///   - hasWaited: Whether another process had it.
    ///   - hasPaused: Whether others could have taken it before.
    mutating func lockWasTaken(afterWait hasWaited: Bool, afterPause hasPaused: Bool, at now: LockPatience.Instant) {
        if hasWaited {
            begin = now
        } else if hasPaused {
            begin = nil
        }
        release = nil
    }

    /// Notes that the lock was released.
    mutating func lockWasReleased(at now: LockPatience.Instant) {
        if release == nil { release = now }
    }
}

/// A wait for the lock of a journal in the kernel, which the caller can give up.
///
/// Only the kernel knows the waiting processes, so only it can wake them one at a time and in the order of their arrival, as
/// Linux does since version 5.0. But `flock(2)` has no time limit, and a process that is stopped keeps its locks. So the call is
/// made on a thread of its own, and the calling thread waits for that thread with a deadline.
///
/// A wait owns its journal. If it is given up, it keeps the journal, and closes it, which releases the lock, as soon as the call
/// returns. So no lock is leaked.
final class LockWait: Sendable {
    private enum State {
        case waiting
        case ended(SystemCallError?)
        case givenUp
    }

    /// How a wait ended for the caller.
    enum Outcome {
        case locked
        /// The journal now belongs to the wait, and must not be used or closed.
        case givenUp
        case failed(SystemCallError)
    }

    /// The journals for which a thread of this process waits, by device and inode.
    private static let journals = Locked<Set<Journal>>([])

    private struct Journal: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private let state = Locked(State.waiting)
    private let end = DispatchSemaphore(value: 0)

    /// Begins to wait, unless a thread of this process already waits for the same journal.
    ///
    /// This bounds the number of threads, and of journals that have been given up, for a file that stays locked and is
    /// asked for repeatedly.
    init?(for journal: JournalFile, _ mode: FileLockMode) {
        let identity = Journal(device: journal.opened.signature.device, inode: journal.opened.signature.inode)
        guard Self.journals.withLock({ $0.insert(identity).inserted }) else { return nil }
        BlockingThread.run { [self] in
            run(journal, mode)
            Self.journals.withLock { _ = $0.remove(identity) }
            end.signal()
        }
    }

    /// Waits until the lock is taken, or gives up.
    func outcome(before deadline: LockPatience.Instant) -> Outcome {
        let rest = LockPatience.now.duration(to: deadline)
        _ = end.wait(timeout: .now() + .nanoseconds(rest.wholeNanoseconds))
        return state.withLock { state in
            switch state {
            case .ended(nil): return .locked
            case .ended(let error?): return .failed(error)
            case .waiting, .givenUp:
                state = .givenUp
                return .givenUp
            }
        }
    }

    private func run(_ journal: JournalFile, _ mode: FileLockMode) {
        var failure: SystemCallError?
        do throws(SystemCallError) {
            try journal.waitForLock(mode)
        } catch {
            failure = error
        }
        let isGivenUp = state.withLock { state in
            if case .givenUp = state { return true }
            state = .ended(failure)
            return false
        }
        if isGivenUp { journal.close() }
    }
}
