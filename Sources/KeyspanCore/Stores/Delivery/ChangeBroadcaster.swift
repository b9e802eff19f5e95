internal import DequeModule
internal import Synchronization

/// Notifies the observers of one store of its changes, each in the order in which they were applied.
///
/// This is the part of promise 4 that every store needs; <doc:ObservingChanges> says what observers see of it. A store owns
/// one and uses it in two steps: under its own lock, right after a change, it calls ``enqueue(_:deliveringInBackground:)``; after it has released
/// the lock, it calls ``deliver()`` on the same thread. Because changes are enqueued under the store's lock, their order is
/// that of the writes.
///
/// Each observer has a queue of its own. A thread serves only the queues that its own changes are in, so it neither waits for
/// an observer that another thread is calling nor calls one that its changes do not concern.
@_spi(StoreAuthors) public final class ChangeBroadcaster: Sendable {
    typealias Queue = DeliveryQueue<PropertyListChange>

    /// The delivery that a thread still owes for a change that it has enqueued.
    private struct Debt {
        let queue: Queue
        let number: UInt64
        let thread: ThreadIdentity
        let isForBackground: Bool

        func settle(onFreeThread isFree: Bool) {
            if isForBackground {
                queue.deliverInBackground(onThisThread: isFree)
            } else {
                queue.deliver(through: number, on: thread)
            }
        }
    }

    private struct State {
        var observers = ObserverIndex()
        var debts: Deque<Debt> = []

        /// Takes the first debt of a thread, or its first one for background threads; most often it is the first of all.
        mutating func takeDebt(of thread: ThreadIdentity, onlyForBackground: Bool) -> Debt? {
            if !onlyForBackground, debts.first?.thread == thread { return debts.popFirst() }
            return debts.firstIndex { $0.thread == thread && (!onlyForBackground || $0.isForBackground) }.map {
                debts.remove(at: $0)
            }
        }
    }

    private let state = Locked(State())
    private let observedStripes = StripeSet()
    private let debtCount = Atomic(0)

    /// Makes a broadcaster without observers.
    @_spi(StoreAuthors) public init() {}

    /// Registers an observer; called under the store's lock, and followed by ``deliver()`` without it on the same thread.
    ///
    /// - Parameters:
    ///   - keys: The keys to observe.
    ///   - table: The present values, if the observer is to receive those first. They are delivered by this thread.
    ///   - receive: The observer.
    /// - Returns: The registration, which the store returns to its caller.
    @_spi(StoreAuthors) public func register(
        _ keys: ObservedKeys,
        initial table: PropertyListTable?,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let thread = ThreadIdentity.current
        let queue = Queue(reservedFor: table == nil ? nil : thread, receive)
        let number = table.map { queue.append(keys.initialChange(from: $0), by: thread) }
        state.withLock { state in
            state.observers.add(queue, of: keys, observedStripes)
            if let number {
                state.debts.append(Debt(queue: queue, number: number, thread: thread, isForBackground: false))
            }
            debtCount.store(state.debts.count, ordering: .relaxed)
        }
        return StoreObservation { [weak self] in
            queue.cancel()
            self?.remove(queue, of: keys)
        }
    }

    /// Whether anyone observes the store; one atomic load.
    ///
    /// Under the store's lock `false` means that no change made now concerns anyone, because registering needs that lock.
    @_spi(StoreAuthors) public var isObserved: Bool { !observedStripes.isEmpty }

    /// Whether anyone observes a key that may be one of those that a batch writes; two or three atomic loads for a key.
    ///
    /// Under the store's lock `false` means that no change by the batch concerns anyone.
    func isConcerned(by batch: PropertyListBatch) -> Bool {
        if !isObserved { return false }
        var isConcerned = false
        batch.writes.forEach { isConcerned = isConcerned || self.isConcerned(by: $0.stripe) }
        return isConcerned
    }

    /// Whether anyone observes a key of a stripe, or of any for all keys.
    func isConcerned(by stripe: KeyStripe) -> Bool {
        isObserved && (stripe == .all || observedStripes.contains(.all) || observedStripes.contains(stripe))
    }

    /// Puts a change into the queues of all observers that it concerns; called under the store's lock.
    ///
    /// ``deliver()`` follows on the same thread. Costs a few atomic loads if nobody observes the store, and otherwise a step for
    /// each observer of the same ``KeyStripe``.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - isForBackground: Whether background threads call the observers, one thread for each. This is for changes that a store
    ///     did not make but found, such as those of another process: an observer that waits then delays neither other
    ///     observers nor the thread that found them.
    @_spi(StoreAuthors)
    public func enqueue(_ change: PropertyListChange, deliveringInBackground isForBackground: Bool = false) {
        enqueue(change, deliveringInBackground: isForBackground, in: isForBackground ? nil : .current)
    }

    /// Puts a change into the queues of all observers that it concerns, which are called in a scope, and by a thread that then
    /// calls ``deliver()``.
    func enqueue(
        _ change: PropertyListChange,
        deliveringInBackground isForBackground: Bool,
        by thread: @autoclosure () -> ThreadIdentity = .current,
        in scope: @autoclosure () -> OperationScope?
    ) {
        guard isObserved else { return }
        let thread = thread()
        let scope = scope()
        state.withLock { state in
            state.observers.forEach(concernedBy: change) { queue, part in
                let number = queue.append(part, by: thread, in: scope)
                state.debts.append(Debt(queue: queue, number: number, thread: thread, isForBackground: isForBackground))
            }
            debtCount.store(state.debts.count, ordering: .relaxed)
        }
    }

    /// Calls the observers for what this thread has enqueued, except those that another thread is calling.
    ///
    /// Called without any lock, after each ``enqueue(_:deliveringInBackground:)``. Costs one atomic load if no thread has
    /// anything to deliver.
    @_spi(StoreAuthors) public func deliver() {
        deliver(onFreeThread: false)
    }

    /// Calls the observers as ``deliver()`` does.
    ///
    /// - Parameter isFree: Whether nothing waits for this thread. It then calls the last observer itself that a background thread
    ///   would call, which saves waking that thread.
    func deliver(onFreeThread isFree: Bool) {
        // What this thread has enqueued, it has counted itself.
        guard debtCount.load(ordering: .relaxed) > 0 else { return }
        let thread = ThreadIdentity.current
        // One by one, so that an observer that writes finds the rest, and delivers it before its own change.
        while let (debt, isLast) = takeDebt(of: thread) {
            debt.settle(onFreeThread: isFree && isLast)
        }
    }

    /// Lets background threads call the observers that they are to call for what this thread has enqueued.
    func deliverInBackground() {
        guard debtCount.load(ordering: .relaxed) > 0 else { return }
        while let (debt, _) = takeDebt(of: .current, onlyForBackground: true) {
            debt.settle(onFreeThread: false)
        }
    }

    private func takeDebt(
        of thread: ThreadIdentity,
        onlyForBackground: Bool = false
    ) -> (debt: Debt, isLast: Bool)? {
        state.withLock { state in
            defer { debtCount.store(state.debts.count, ordering: .relaxed) }
            return state.takeDebt(of: thread, onlyForBackground: onlyForBackground).map { debt in
                (debt, !state.debts.contains { $0.thread == thread })
            }
        }
    }

    private func remove(_ queue: Queue, of keys: ObservedKeys) {
        // The caller retains the queue, so the observer is not released under the lock.
        state.withLock { state in
            state.observers.remove(queue, of: keys, observedStripes)
            state.debts.removeAll { $0.queue === queue }
            debtCount.store(state.debts.count, ordering: .relaxed)
        }
    }
}

/// One registration of an observer at a store; it ends when it is cancelled or released, whichever comes first.
public final class StoreObservation: Sendable {
    private let onCancel: Locked<(@Sendable () -> Void)?>

    /// Makes a registration, for a store that does not use ``ChangeBroadcaster``.
    ///
    /// - Parameter onCancel: Ends the registration; called once at most, without a lock.
    @_spi(StoreAuthors) public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Locked(onCancel)
    }

    /// Ends the registration: no call to the observer begins after this returns, not even for changes applied before.
    ///
    /// A call that had already begun on another thread may still be running. Does nothing the second time.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    deinit {
        cancel()
    }
}
