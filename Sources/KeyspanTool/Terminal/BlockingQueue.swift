import DequeModule
import Dispatch
import KeyspanCore

/// Hands elements from any threads to one that waits for them, in the order in which they came.
final class BlockingQueue<Element: Sendable>: Sendable {
    private let elements = Locked(Deque<Element>())
    /// Counts the elements, so that a thread can wait for the next one.
    private let count = DispatchSemaphore(value: 0)

    /// Adds an element; never waits.
    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
        count.signal()
    }

    /// Takes the first element, and waits for it if there is none.
    func popFirst() -> Element {
        while true {
            count.wait()
            if let element = elements.withLock({ $0.popFirst() }) { return element }
        }
    }
}
