internal import Dispatch
import KeyspanCore

/// A wait for the lock of a journal in the kernel, which the caller can give up.
///
/// Only the kernel knows who waits, so only it can wake one process at a time, and in the order in which they came; Linux
/// does so since version 5.0. But `flock(2)` has no time limit, and a process that is stopped keeps its locks. Therefore the
/// call is made on a thread of its own, and the calling thread waits for that with a deadline.
///
/// A wait owns its journal. If it is given up, the journal stays with it, and is closed, with the lock, as soon as the call
/// returns. So no lock is ever held that nobody knows of.
final class LockWait: Sendable {
    private enum State {
        case waiting
        case ended(SystemCallError?)
        case givenUp
    }

    /// How a wait ended for the caller.
    enum Outcome {
        case locked
        /// The journal belongs to the wait from now on, and must not be used or closed.
        case givenUp
        case failed(SystemCallError)
    }

    /// The journals that a thread of this process waits for, by device and inode.
    private static let journals = Locked<Set<Journal>>([])

    private struct Journal: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private let state = Locked(State.waiting)
    private let end = DispatchSemaphore(value: 0)

    /// Begins to wait, unless a thread of this process waits for the same journal already.
    ///
    /// That keeps the number of threads, and of journals that have been given up, bounded: a file that stays locked may be
    /// asked for again and again.
    init?(for journal: JournalFile, _ mode: FileLockMode) throws(SystemCallError) {
        let signature = try journal.status().signature
        let identity = Journal(device: signature.device, inode: signature.inode)
        guard Self.journals.withLock({ $0.insert(identity).inserted }) else { return nil }
        // A queue of its own has a thread of its own, which may block.
        DispatchQueue(label: "keyspan.lock", qos: .userInitiated).async { [self] in
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
