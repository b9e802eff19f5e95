import Foundation
import Synchronization

/// A thread that waits awake for the word to begin, so that two threads work at the same time from the first moment.
final class SecondThread: Sendable {
    private enum Phase: Int, AtomicRepresentable {
        case starting, waiting, working, finished
    }

    private let phase = Atomic(Phase.starting)

    /// Starts the thread and returns when it waits.
    init(_ work: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            self.phase.store(.waiting, ordering: .releasing)
            self.wait(for: .working)
            work()
            self.phase.store(.finished, ordering: .releasing)
        }
        wait(for: .waiting)
    }

    /// Gives the word.
    func begin() {
        phase.store(.working, ordering: .releasing)
    }

    /// Returns when the work is done.
    func join() {
        wait(for: .finished)
    }

    private func wait(for awaited: Phase) {
        while phase.load(ordering: .acquiring) != awaited {}
    }
}
