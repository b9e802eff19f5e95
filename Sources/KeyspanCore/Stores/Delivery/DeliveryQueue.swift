internal import DequeModule
internal import Dispatch

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The calls of one handler: in order, never two at once, each on a thread that has a reason to make it.
///
/// This is the rule of <doc:ObservingChanges> for one observer. A thread appends an element, under a lock of its own if the
/// order matters, and then calls ``deliver(through:on:)`` without a lock. If no thread is calling the handler, it calls it
/// itself, for the elements before its own as well. If another thread is, or the same one further up its stack, that one
/// goes on with this element, so threads never wait for one another and a handler that appends does not call itself.
///
/// A thread takes over at most ``foreignLimit`` elements of others behind its own. A background thread delivers the rest, until
/// the queue is empty or a thread that has appended an element takes it back. A thread delivers all elements before its own,
/// because no other thread is about to.
final class DeliveryQueue<Element: Sendable>: Sendable {
    private enum Duty {
        /// No thread calls the handler or is about to.
        case idle
        /// The first calls are those of the thread that made the queue.
        case reserved(ThreadIdentity)
        /// A thread calls the handler.
        case busy
        /// A background thread is about to call it.
        case scheduled
    }

    private struct State {
        var elements: Deque<(element: Element, thread: ThreadIdentity, scope: OperationScope?)> = []
        /// How many elements were ever appended, and how many have left the queue.
        var appended: UInt64 = 0
        var taken: UInt64 = 0
        var duty: Duty
        var isCancelled = false

        /// The next step of the thread that calls the handler and must deliver the elements up to a number.
        mutating func nextStep(on thread: ThreadIdentity?, through number: UInt64, _ takenOver: inout Int) -> Step {
            guard let first = elements.first else {
                duty = .idle
                return .end
            }
            if let thread, first.thread != thread, taken >= number {
                guard takenOver < foreignLimit else {
                    duty = .scheduled
                    return .handOver
                }
                takenOver += 1
            }
            elements.removeFirst()
            taken += 1
            return .call(first.element, first.scope)
        }
    }

    private enum Step {
        case call(Element, OperationScope?)
        case handOver
        case end
    }

    /// How many elements of other threads a thread delivers at most behind its own.
    private static var foreignLimit: Int { 8 }

    private let state: Locked<State>
    private let handle: @Sendable (Element) -> Void

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - thread: The thread that makes the first calls, if it must be a certain one. Until its first call of
    ///     ``deliver(through:on:)``, or ``endReservation(on:)``, no other thread delivers.
    ///   - handle: The handler.
    init(reservedFor thread: ThreadIdentity? = nil, _ handle: @escaping @Sendable (Element) -> Void) {
        state = Locked(State(duty: thread.map(Duty.reserved) ?? .idle))
        self.handle = handle
    }

    /// Puts an element behind all others; calls nothing.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - thread: The present thread.
    ///   - scope: The scope that the handler is called in, whichever thread calls it.
    /// - Returns: Its number, for ``deliver(through:on:)``.
    func append(
        _ element: Element,
        by thread: ThreadIdentity,
        in scope: OperationScope? = .current
    ) -> UInt64 {
        state.withLock { state in
            state.appended += 1
            if state.isCancelled {
                state.taken = state.appended
            } else {
                state.elements.append((element, thread, scope))
            }
            return state.appended
        }
    }

    /// Calls the handler for the elements up to a number, unless that is done already or another thread is at it.
    ///
    /// Called without any lock.
    func deliver(through number: UInt64, on thread: ThreadIdentity) {
        let begins = state.withLock { state in
            guard state.taken < number else { return false }
            switch state.duty {
            case .busy: return false
            case .reserved(let owner) where owner != thread: return false
            // Too much lies before it.
            case .scheduled where number - state.taken > UInt64(Self.foreignLimit): return false
            case .idle, .reserved, .scheduled: break
            }
            state.duty = .busy
            return true
        }
        if begins { callHandler(on: thread, through: number) }
    }

    /// Lets a background thread call the handler, unless a thread is at it.
    ///
    /// - Parameter isHere: Whether the calling thread is such a thread.
    func deliverInBackground(onThisThread isHere: Bool = false) {
        let begins = state.withLock { state in
            guard case .idle = state.duty, !state.elements.isEmpty else { return false }
            state.duty = isHere ? .busy : .scheduled
            return true
        }
        guard begins else { return }
        if isHere { callHandler(on: nil) } else { schedule() }
    }

    /// Ends the reservation, if it has not ended yet, and delivers what waits.
    func endReservation(on thread: ThreadIdentity) {
        let begins = state.withLock { state in
            guard case .reserved = state.duty else { return false }
            state.duty = .busy
            return true
        }
        if begins { callHandler(on: thread) }
    }

    /// Lets no further call of the handler begin.
    func cancel() {
        // Released here, not under the lock.
        let elements = state.withLock { state in
            defer { state.elements = [] }
            state.isCancelled = true
            state.taken = state.appended
            return state.elements
        }
        withExtendedLifetime(elements) {}
    }

    /// Calls the handler until the queue is empty or the rest is handed over.
    ///
    /// - Parameters:
    ///   - thread: The present thread; `nil` stands for a background thread.
    ///   - number: The last element that the thread has to deliver, whatever lies before it.
    private func callHandler(on thread: ThreadIdentity?, through number: UInt64 = 0) {
        // Changes that the handler makes are not part of a quiet closure whose write happens to call it.
        QuietScope.leave {
            var takenOver = 0
            while true {
                switch state.withLock({ $0.nextStep(on: thread, through: number, &takenOver) }) {
                case .call(let element, let scope): OperationScope.run(in: scope) { handle(element) }
                case .handOver: return schedule()
                case .end: return
                }
            }
        }
    }

    private func schedule() {
        // A queue of its own, so that a handler that waits holds up no other observer.
        DispatchQueue(label: "keyspan.observer").async { self.deliverAll() }
    }

    private func deliverAll() {
        let begins = state.withLock { state in
            guard case .scheduled = state.duty else { return false }
            state.duty = .busy
            return true
        }
        if begins { callHandler(on: nil) }
    }
}

/// One thread of the process, distinct from all others that run at the same time.
///
/// A thread may have the identity of one that has ended.
package struct ThreadIdentity: Sendable, Hashable {
    private let value: UInt

    /// The thread that asks; costs a call of the C library that reads a register.
    package static var current: ThreadIdentity {
        // An address or an integer of its size, depending on the system.
        withUnsafeBytes(of: pthread_self()) { ThreadIdentity(value: $0.load(as: UInt.self)) }
    }
}
