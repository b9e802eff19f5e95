@_spi(StoreAuthors) import KeyspanCore

/// A store that breaks one promise, to show that the conformance checks notice.
final class BrokenStore: PropertyListStore {
    enum Fault: CaseIterable {
        case appliesPartsOfBatches
        case forgetsExpectations
        case takesLiveSnapshots
        case notifiesOutOfOrder
        case notifiesWhenNothingChanged
        case notifiesFromOneQueue
        case notifiesInBackground
        case notifiesWithinCalls
        case forgetsWhatIsQuiet
        case ignoresCancellation
        case registersLate
        case acceptsAnyKey
        case repeatsRevisions
        case numbersOneKeyOfBatches
        case mergesSpellings
        case keepsSpellings
        case forgetsWhatIsText
    }

    private typealias Observer = (keys: ObservedKeys, receive: @Sendable (PropertyListChange) -> Void)

    private struct State {
        var table = PropertyListTable()
        var observers: [Observer] = []
        var queueOfAll: StoreObservation?
        var calls = 0
        var heldBack: PropertyListChange?
    }

    let name = "broken store"
    private let fault: Fault?
    private let state = Locked(State())
    private let broadcaster = ChangeBroadcaster()
    private let counter = RevisionCounter()

    /// Makes a store; one without a fault keeps all promises.
    init(_ fault: Fault?) {
        self.fault = fault
        guard fault == .notifiesFromOneQueue else { return }
        let observation = broadcaster.register(.all, initial: nil) { [weak self] in self?.notifyAll(of: $0) }
        state.withLock { $0.queueOfAll = observation }
    }

    func revision(of stripe: KeyStripe) -> StoreRevision? {
        switch fault {
        case .repeatsRevisions: StoreRevision(store: 1, generation: 1)
        case .numbersOneKeyOfBatches: counter.current(of: stripe)
        default: nil
        }
    }

    func value(forKey key: String) -> PropertyListValue? {
        state.withLock { $0.table[key] }
    }

    func storedValue(forKey key: String) -> StoredValue? {
        value(forKey: key).map { StoredValue($0, isText: fault == .forgetsWhatIsText) }
    }

    func snapshot() -> PropertyListTable {
        state.withLock { state in
            state.calls += 1
            if fault == .takesLiveSnapshots, state.calls.isMultiple(of: 2) { state.table["left"] = .init(state.calls) }
            return state.table
        }
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        guard fault == .appliesPartsOfBatches, batch.operations.count > 1 else { return try applyWhole(batch) }
        for operation in batch.operations {
            try applyWhole(PropertyListBatch(operation))
        }
    }

    private func applyWhole(_ batch: PropertyListBatch) throws(StoreError) {
        let change = try state.withLock { (state) throws(StoreError) in
            let change = try apply(batch, to: &state)
            if let first = change.entries.first {
                counter.advance(after: PropertyListChange(first, isQuiet: false))
                enqueue(change, &state)
            }
            return change
        }
        if fault == .notifiesWithinCalls, !change.isEmpty { notifyAll(of: change) }
        broadcaster.deliver()
    }

    private func apply(_ batch: PropertyListBatch, to state: inout State) throws(StoreError) -> PropertyListChange {
        let before = state.table
        let batch = fault == .forgetsExpectations ? Self.withoutExpectations(batch) : batch
        if fault == .acceptsAnyKey, case .set(let value, let key)? = batch.operations.first, batch.operations.count == 1
        {
            state.table[key] = value
            return PropertyListChange(.init(key: key, old: before[key], new: value), isQuiet: batch.isQuietNow)
        }
        if case .set(let value, let key)? = batch.operations.first {
            if fault == .mergesSpellings {
                for other in state.table.sortedKeys where other == key && !other.utf8.elementsEqual(key.utf8) {
                    state.table[other] = nil
                }
            }
            if fault == .keepsSpellings, let new = value.stringValue, new == before[key]?.stringValue {
                return PropertyListChange(entries: [], isQuiet: batch.isQuietNow)
            }
        }
        let change = try state.table.apply(batch, store: name)
        if fault == .notifiesWhenNothingChanged, case .set(let value, let key)? = batch.operations.first {
            return PropertyListChange(.init(key: key, old: before[key], new: value), isQuiet: batch.isQuietNow)
        }
        guard fault == .forgetsWhatIsQuiet else { return change }
        return PropertyListChange(entries: change.entries, isInitial: false, isQuiet: false)
    }

    private func enqueue(_ change: PropertyListChange, _ state: inout State) {
        guard fault == .notifiesOutOfOrder else {
            return broadcaster.enqueue(change, deliveringInBackground: fault == .notifiesInBackground)
        }
        // Holds back every other change until after the next one.
        guard let earlier = state.heldBack else { return state.heldBack = change }
        state.heldBack = nil
        broadcaster.enqueue(change)
        broadcaster.enqueue(earlier)
    }

    /// Calls those observers that are not the broadcaster's.
    private func notifyAll(of change: PropertyListChange) {
        for observer in state.withLock(\.observers) {
            guard case .named(let names) = observer.keys else {
                observer.receive(change)
                continue
            }
            let entries = change.entries.filter { names.contains(UTF8Text($0.key)) }
            if entries.isEmpty { continue }
            observer.receive(.init(entries: entries, isInitial: false, isQuiet: change.isQuiet))
        }
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        switch fault {
        case .registersLate:
            Task.detached {
                try await Task.sleep(for: .milliseconds(2))
                self.register(keys, initial: false, receive).keep()
            }
            return StoreObservation {}
        case .ignoresCancellation:
            register(keys, initial: initial, receive).keep()
            return StoreObservation {}
        case .notifiesFromOneQueue, .notifiesWithinCalls:
            state.withLock { $0.observers.append((keys, receive)) }
            return StoreObservation { [weak self] in
                self?.state.withLock { $0.observers = [] }
            }
        default:
            return register(keys, initial: initial, receive)
        }
    }

    private func register(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        let observation = state.withLock { state in
            broadcaster.register(keys, initial: initial ? state.table : nil, receive)
        }
        broadcaster.deliver()
        return observation
    }

    func synchronize() {}

    private static func withoutExpectations(_ batch: PropertyListBatch) -> PropertyListBatch {
        var copy = PropertyListBatch()
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): copy.set(value, forKey: key)
            case .remove(let key): copy.remove(key)
            case .removeAll: copy.removeAll()
            }
        }
        return copy
    }
}

extension StoreObservation {
    private static let kept = Locked<[StoreObservation]>([])

    /// Lets the registration never end.
    fileprivate func keep() {
        Self.kept.withLock { $0.append(self) }
    }
}
