import Dispatch
import Foundation
import Synchronization

/// A thread that waits awake for the word to begin, so that two threads work at the same time from the first moment.
final class SecondThread: Sendable {
    private enum Phase: Int, AtomicRepresentable {
        case starting, waiting, working
    }

    private let phase = Atomic(Phase.starting)
    private let finished = DispatchSemaphore(value: 0)

    /// Starts the thread and returns when it waits.
    init(_ work: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            self.phase.store(.waiting, ordering: .releasing)
            self.wait(for: .working)
            work()
            self.finished.signal()
        }
        wait(for: .waiting)
    }

    /// Gives the word.
    func begin() {
        phase.store(.working, ordering: .releasing)
    }

    /// Sleeps until the work is done.
    func join() {
        finished.wait()
    }

    private func wait(for awaited: Phase) {
        while phase.load(ordering: .acquiring) != awaited {}
    }
}
