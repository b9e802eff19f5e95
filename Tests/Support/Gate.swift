import Dispatch
import KeyspanCore
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
        let isOpen = semaphore.wait(timeout: .now() + 60) == .success
        #expect(isOpen, "the gate stays closed", sourceLocation: sourceLocation)
        return isOpen
    }
}
