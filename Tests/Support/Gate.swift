import Dispatch
import KeyspanCore
import KeyspanTesting
package import Testing

/// A gate at which a thread waits, at most a minute, until another one opens it.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waiting = Locked(0)

    package init() {}

    /// The number of threads that wait.
    package var waitingCount: Int { waiting.withLock(\.self) }

    /// Lets one thread pass, now or later.
    package func open() {
        semaphore.signal()
    }

    /// Waits until the gate is open, and returns whether it was opened in time.
    @discardableResult
    package func pass(sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        let isOpen = semaphore.isSignaled()
        #expect(isOpen, "the gate stays closed", sourceLocation: sourceLocation)
        return isOpen
    }
}

extension TestThread {
    /// Waits until the body has returned, and records an issue if that takes more than a minute.
    package func join(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(done.isSignaled(), "a thread has not ended", sourceLocation: sourceLocation)
    }
}

extension DispatchSemaphore {
    /// Waits for a signal, at most a minute, and returns whether it has come.
    fileprivate func isSignaled() -> Bool {
        var patience = Patience(.seconds(60))
        while !patience.isOver {
            if wait(within: patience.pause) { return true }
            patience.look {}
        }
        return false
    }
}
