internal import DequeModule
internal import Synchronization

/// Carries the changes of one store to its observers, in the order in which they were applied.
///
/// This is the part of promise 4 that every store needs. A store owns one and uses it in two steps: under its own lock,
/// right after a change, it calls ``enqueue(_:)``; after it has let go of the lock it calls ``deliver()``. Because changes
/// enter the queue under the store's lock, their order is the order of the writes, and because one thread at a time
/// takes from the queue, no observer can see them in another one. A thread that finds another one delivering returns at
/// once, so an observer that writes to the store does not call itself, and threads never wait for one another.
public final class ChangeBroadcaster: Sendable {
    private final class Observer: Sendable {
        let keys: ObservedKeys
        let receive: @Sendable (PropertyListChange) -> Void
        let isCancelled = Atomic(false)

        init(keys: ObservedKeys, receive: @escaping @Sendable (PropertyListChange) -> Void) {
            self.keys = keys
            self.receive = receive
        }
    }

    private struct State {
        var observers: [Observer] = []
        var queue: Deque<(Observer, PropertyListChange)> = []
        var isDelivering = false
    }

    private let state = Locked(State())
    private let observerCount = Atomic(0)

    /// Makes a broadcaster without observers.
    public init() {}

    /// Registers an observer; called under the store's lock, and followed by ``deliver()`` without it.
    ///
    /// - Parameters:
    ///   - keys: The keys to hear about.
    ///   - table: The present values, if the observer is to hear those first.
    ///   - receive: The observer.
    /// - Returns: The registration, which the store hands to its caller.
    public func register(
        _ keys: ObservedKeys,
        initial table: PropertyListTable?,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let observer = Observer(keys: keys, receive: receive)
        state.withLock { state in
            state.observers.append(observer)
            observerCount.store(state.observers.count, ordering: .relaxed)
            if let table {
                state.queue.append((observer, keys.initialChange(from: table)))
            }
        }
        return StoreObservation { [weak self] in
            observer.isCancelled.store(true, ordering: .sequentiallyConsistent)
            self?.remove(observer)
        }
    }

    /// Whether anyone observes the store; one atomic load.
    ///
    /// Under the store's lock `false` means that no change made now concerns anyone, because registering needs that lock.
    public var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Puts a change into the queue of all observers that it concerns; called under the store's lock.
    ///
    /// Costs one atomic load if nobody observes the store.
    public func enqueue(_ change: PropertyListChange) {
        guard isObserved else { return }
        state.withLock { state in
            for observer in state.observers {
                if let change = observer.keys.filter(change) {
                    state.queue.append((observer, change))
                }
            }
        }
    }

    /// Calls the observers for everything in the queue, unless another thread is doing that already.
    ///
    /// Called without any lock, after each ``enqueue(_:)``.
    public func deliver() {
        guard isObserved, let first = beginDelivery() else { return }
        // What observers change is their doing, not that of the closure whose write happens to call them.
        QuietScope.leave {
            deliver(from: first)
        }
    }

    private func deliver(from first: (Observer, PropertyListChange)) {
        var next = first
        while true {
            let (observer, change) = next
            if !observer.isCancelled.load(ordering: .sequentiallyConsistent) {
                observer.receive(change)
            }
            guard let following = nextDelivery() else { return }
            next = following
        }
    }

    private func beginDelivery() -> (Observer, PropertyListChange)? {
        state.withLock { state in
            guard !state.isDelivering, let first = state.queue.popFirst() else { return nil }
            state.isDelivering = true
            return first
        }
    }

    private func nextDelivery() -> (Observer, PropertyListChange)? {
        state.withLock { state in
            let next = state.queue.popFirst()
            state.isDelivering = next != nil
            return next
        }
    }

    private func remove(_ observer: Observer) {
        state.withLock { state in
            state.observers.removeAll { $0 === observer }
            state.queue.removeAll { $0.0 === observer }
            observerCount.store(state.observers.count, ordering: .relaxed)
        }
    }
}
