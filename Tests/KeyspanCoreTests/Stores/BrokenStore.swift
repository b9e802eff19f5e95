import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// A store that breaks one promise, to show that the conformance checks notice.
///
/// Its values are on a ``SharedMedium``. A batch with expectations is decided there; others wait in memory for the next of these, or for
/// `synchronize()`.
final class BrokenStore: PropertyListStore {
    enum Fault: CaseIterable {
        // With one store.
        case appliesPartsOfBatches
        case forgetsExpectations
        case takesLiveSnapshots
        case notifiesOutOfOrder
        case notifiesWhenNothingChanged
        case notifiesFromOneQueue
        case notifiesInBackground
        case notifiesWithinCalls
        case notifiesUnderTheLock
        case enqueuesOutsideTheLock
        case forgetsToDeliver
        case forgetsWhatIsQuiet
        case ignoresCancellation
        case registersLate
        case acceptsAnyKey
        case repeatsRevisions
        case numbersOneKeyOfBatches
        case mergesSpellings
        case keepsSpellings
        case forgetsWhatIsText
        // With several stores, or with a medium that fails.
        case decidesInMemory
        case hidesWhatDecidedAConflict
        case synchronizesNothing
        case publishesBeforeTheCommit
        case rewritesTheWholeMedium
        case makesTheMediumAnew
        case hidesThatItCouldNotSynchronize
    }

    private typealias Observer = (keys: ObservedKeys, receive: @Sendable (PropertyListChange) -> Void)

    private struct State {
        /// What readers see: the medium as it was last seen, and the waiting batches.
        var table: PropertyListTable
        var waiting: [PropertyListBatch] = []
        var observers: [Observer] = []
        var queueOfAll: StoreObservation?
        var calls = 0
        var heldBack: PropertyListChange?
    }

    let name = "broken store"
    private let fault: Fault?
    private let medium: SharedMedium
    private let state: Locked<State>
    private let broadcaster = ChangeBroadcaster()
    private let counter = RevisionCounter()

    /// Opens a store; one without a fault keeps all promises.
    init(_ fault: Fault?, on medium: SharedMedium = SharedMedium()) throws(StoreError) {
        self.fault = fault
        self.medium = medium
        if fault == .makesTheMediumAnew {
            let isThere = try medium.transact { $0 != nil }
            // Paces the openings: each takes longer than the one before, so that it makes the medium after that has been written.
            usleep(medium.countOpening() * 3_000)
            if !isThere { try medium.transact { $0 = [:] } }
        }
        let table = try medium.transact { values in
            values = values ?? [:]
            return values ?? [:]
        }
        state = Locked(State(table: table))
        guard fault == .notifiesFromOneQueue else { return }
        let observation = broadcaster.register(.all, initial: nil) { [weak self] in self?.notifyAll(of: $0) }
        state.withLock { $0.queueOfAll = observation }
    }

    /// Hides from a check with one store at a time that `synchronize()` did nothing.
    deinit {
        try? state.withLock { (state) throws(StoreError) in try commitWaiting(&state) }
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

    // MARK: - Writing

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        defer { deliver() }
        guard fault == .appliesPartsOfBatches, batch.operations.count > 1 else { return try applyWhole(batch) }
        for operation in batch.operations {
            try applyWhole(PropertyListBatch(operation))
        }
    }

    private func applyWhole(_ batch: PropertyListBatch) throws(StoreError) {
        if fault == .publishesBeforeTheCommit, !batch.expectations.isEmpty { return try publishAndCommit(batch) }
        let change = try state.withLock { (state) throws(StoreError) in
            let change = try apply(batch, to: &state)
            if let first = change.entries.first {
                counter.advance(after: PropertyListChange(first, isQuiet: false))
                if fault != .enqueuesOutsideTheLock { enqueue(change, &state) }
            }
            if fault == .notifiesUnderTheLock { broadcaster.deliver() }
            return change
        }
        if fault == .enqueuesOutsideTheLock { broadcaster.enqueue(change) }
        if fault == .notifiesWithinCalls, !change.isEmpty { notifyAll(of: change) }
    }

    private func publishAndCommit(_ batch: PropertyListBatch) throws(StoreError) {
        let change = try state.withLock { (state) throws(StoreError) in
            try commitWaiting(&state)
            let change = try state.table.apply(batch, store: name)
            broadcaster.enqueue(change)
            return change
        }
        do throws(StoreError) {
            try medium.transact { (values) throws(StoreError) in
                var table = values ?? [:]
                _ = try table.apply(batch, store: name)
                values = table
            }
        } catch {
            state.withLock { state in for entry in change.entries { state.table[entry.key] = entry.old } }
            throw error
        }
    }

    private func apply(_ batch: PropertyListBatch, to state: inout State) throws(StoreError) -> PropertyListChange {
        let isDecidedHere = batch.expectations.isEmpty || fault == .decidesInMemory || fault == .forgetsExpectations
        if !isDecidedHere { return try decide(batch, &state) }
        let before = state.table
        let batch = fault == .forgetsExpectations ? batch.withoutExpectations : batch
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
        state.waiting.append(batch.withoutExpectations)
        if fault == .notifiesWhenNothingChanged, case .set(let value, let key)? = batch.operations.first {
            return PropertyListChange(.init(key: key, old: before[key], new: value), isQuiet: batch.isQuietNow)
        }
        guard fault == .forgetsWhatIsQuiet else { return change }
        return PropertyListChange(entries: change.entries, isInitial: false, isQuiet: false)
    }

    /// Applies a batch on the medium, behind those that wait.
    private func decide(_ batch: PropertyListBatch, _ state: inout State) throws(StoreError) -> PropertyListChange {
        try commitWaiting(&state)
        let (truth, change, error) = try medium.transact {
            values -> (PropertyListTable, PropertyListChange?, StoreError?) in
            let before = values ?? [:]
            var table = before
            do throws(StoreError) {
                let change = try table.apply(batch, store: name)
                values = table
                return (before, change, nil)
            } catch {
                return (before, nil, error)
            }
        }
        if error == nil || fault != .hidesWhatDecidedAConflict { adopt(truth, &state) }
        if let error { throw error }
        if let change { for entry in change.entries { state.table[entry.key] = entry.new } }
        return change ?? PropertyListChange(entries: [], isQuiet: batch.isQuietNow)
    }

    private func commitWaiting(_ state: inout State) throws(StoreError) {
        if state.waiting.isEmpty { return }
        let (waiting, table) = (state.waiting, state.table)
        let truth = try medium.transact { (values) throws(StoreError) -> PropertyListTable in
            var truth = values ?? [:]
            for batch in waiting { _ = try truth.apply(batch, store: name) }
            values = fault == .rewritesTheWholeMedium ? table : truth
            return values ?? [:]
        }
        state.waiting = []
        adopt(truth, &state)
    }

    /// Makes visible what other stores have written.
    private func adopt(_ truth: PropertyListTable, _ state: inout State) {
        let before = state.table
        let keys = Set(before.map { UTF8Text($0.key) } + truth.map { UTF8Text($0.key) }).map(\.wrappedValue)
        let entries = keys.filter { before[$0] != truth[$0] }.map {
            PropertyListChange.Entry(key: $0, old: before[$0], new: truth[$0])
        }
        state.table = truth
        if entries.isEmpty { return }
        let change = PropertyListChange(entries: entries, isInitial: false, isQuiet: false)
        counter.advance(after: change)
        broadcaster.enqueue(change, deliveringInBackground: true)
    }

    func synchronize() throws(StoreError) {
        if fault == .synchronizesNothing { return }
        do throws(StoreError) {
            try state.withLock { (state) throws(StoreError) in try commitWaiting(&state) }
        } catch {
            if fault != .hidesThatItCouldNotSynchronize { throw error }
        }
        deliver()
    }

    // MARK: - Notifying

    private func deliver() {
        if fault != .forgetsToDeliver { broadcaster.deliver() }
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
            // The observer is registered when it is too late for the first change.
            let count = Locked(0)
            return register(keys, initial: false) { change in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if !isFirst { receive(change) }
            }
        case .ignoresCancellation:
            register(keys, initial: initial, receive).keep()
            return StoreObservation {}
        case .notifiesFromOneQueue, .notifiesWithinCalls:
            if initial { register(keys, initial: true, receive).cancel() }
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
        deliver()
        return observation
    }
}

extension PropertyListBatch {
    init(_ operations: [Operation]) {
        self.init()
        for operation in operations {
            switch operation {
            case .set(let value, let key): set(value, forKey: key)
            case .remove(let key): remove(key)
            case .removeAll: removeAll()
            }
        }
    }

    fileprivate var withoutExpectations: PropertyListBatch {
        var copy = PropertyListBatch(operations)
        copy.isQuiet = isQuiet
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
