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
        case reusesRevisions
        case mergesKeysAtDots
        case turnsInnerDatesIntoText
        case cutsLongKeys
        case cutsLongTexts
        case cutsLongBatches
        case checksOneExpectation
        case expectsOnlyOfWrittenKeys
        case skipsBatchesWithoutWrites
        case hidesRemovalsOfAll
        case forgetsTheNinthObserver
        case forgetsObserversOfObservers
        case callsWhatAnotherCanceled
        case notifiesFromOneQueuePerKey
        // With one store after another on one medium.
        case keepsWhatIsRemoved
        case removesAllFirst
        case keepsTheLastBatches
        case writesNothingWhenOpenedAgain
        // With several stores, or with a medium that fails.
        case decidesInMemory
        case hidesWhatDecidedAConflict
        case synchronizesNothing
        case publishesBeforeTheCommit
        case rewritesTheWholeMedium
        case makesTheMediumAnew
        case hidesThatItCouldNotSynchronize
        case makesUpForTheLastBatchOnly
        case hidesValuesWithoutTheMedium
        case synchronizesForOneThread
        case losesWhatWaitsInAConflict
        case skipsWhatItSees
        case adoptsSilently
        case adoptsTwice
        case adoptsInParts
        case adoptsUnderTheOldRevision
        case adoptsTheDecidingKeyOnly
    }

    private typealias Observer = (id: Int, keys: ObservedKeys, receive: @Sendable (PropertyListChange) -> Void)

    private struct State {
        /// What readers see: the medium as it was last seen, and the waiting batches.
        var table: PropertyListTable
        var waiting: [PropertyListBatch] = []
        var observers: [Observer] = []
        var observerCount = 0
        var queues: [ObservedKeys: StoreObservation] = [:]
        var calls = 0
        var heldBack: PropertyListChange?
    }

    let name = "broken store"
    private let fault: Fault?
    private let medium: SharedMedium
    private let state: Locked<State>
    private let broadcaster = ChangeBroadcaster()
    private let counter = RevisionCounter()
    private let isOpenedAgain: Bool
    private let isSynchronizing = Locked(false)
    @TaskLocal private static var isCallingObserver = false

    /// Opens a store; one without a fault keeps all promises.
    init(_ fault: Fault?, on medium: SharedMedium = SharedMedium()) throws(StoreError) {
        self.fault = fault
        self.medium = medium
        let opening = medium.countOpening()
        isOpenedAgain = opening > 1
        if fault == .makesTheMediumAnew {
            let isThere = try medium.transact { $0 != nil }
            // Paces the openings: each takes longer than the one before, so that it makes the medium after that has been written.
            usleep(opening * 3_000)
            if !isThere { try medium.transact { $0 = [:] } }
        }
        let table = try medium.transact { values in
            values = values ?? [:]
            return values ?? [:]
        }
        state = Locked(State(table: table))
        if fault == .notifiesFromOneQueue { state.withLock { openQueue(of: .all, &$0) } }
    }

    private func openQueue(of keys: ObservedKeys, _ state: inout State) {
        let isOfAll = fault == .notifiesFromOneQueue
        state.queues[keys] = broadcaster.register(keys, initial: nil) { [weak self] change in
            self?.notifyAll(of: change, registeredFor: isOfAll ? nil : keys)
        }
    }

    /// Hides from a check with one store at a time that `synchronize()` did nothing.
    deinit {
        try? state.withLock { (state) throws(StoreError) in try commitWaiting(&state) }
    }

    func revision(of stripe: KeyStripe) -> StoreRevision? {
        switch fault {
        case .repeatsRevisions: StoreRevision(store: 1, generation: 1)
        case .reusesRevisions:
            StoreRevision(
                store: counter.current(of: .all).store,
                generation: counter.current(of: stripe).generation % 16
            )
        default: counter.current(of: stripe)
        }
    }

    func value(forKey key: String) -> PropertyListValue? {
        state.withLock { $0.table[fault == .cutsLongKeys ? String(key.prefix(200)) : key] }
    }

    func storedValue(forKey key: String) -> StoredValue? {
        value(forKey: key).map { StoredValue($0, isText: fault == .forgetsWhatIsText) }
    }

    func snapshot() -> PropertyListTable {
        if fault == .hidesValuesWithoutTheMedium, (try? medium.transact { _ in true }) == nil { return [:] }
        return state.withLock { state in
            state.calls += 1
            if fault == .takesLiveSnapshots, state.calls.isMultiple(of: 2) { state.table["left"] = .init(state.calls) }
            return state.table
        }
    }

    // MARK: - Writing

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        defer { deliver() }
        let batch = altered(batch)
        guard fault == .appliesPartsOfBatches, batch.operations.count > 1 else { return try applyWhole(batch) }
        for operation in batch.operations {
            try applyWhole(PropertyListBatch(operation))
        }
    }

    /// The batch that a store applies which takes it for another one.
    private func altered(_ batch: PropertyListBatch) -> PropertyListBatch {
        let (operations, expectations) = (batch.operations, batch.expectations)
        switch fault {
        case .cutsLongKeys:
            return PropertyListBatch(
                operations.map {
                    if case .set(let value, let key) = $0 { .set(value, key: String(key.prefix(200))) } else { $0 }
                }
            ).expecting(expectations)
        case .cutsLongTexts:
            return batch.mapValues { value, _ in value.stringValue.map { .string(String($0.prefix(65_536))) } ?? value }
        case .turnsInnerDatesIntoText:
            return batch.mapValues { value, _ in
                guard case .array(let values) = value else { return value }
                return .array(values.map { if case .date(let date) = $0 { .string("\(date)") } else { $0 } })
            }
        case .cutsLongBatches: return PropertyListBatch(Array(operations.prefix(16))).expecting(expectations)
        case .checksOneExpectation: return batch.expecting(Array(expectations.prefix(1)))
        case .expectsOnlyOfWrittenKeys where !operations.isEmpty:
            return batch.expecting(
                expectations.filter { expectation in
                    operations.contains { if case .set(_, expectation.key) = $0 { true } else { false } }
                }
            )
        case .skipsBatchesWithoutWrites: return operations.isEmpty ? batch.expecting([]) : batch
        default: return batch
        }
    }

    private func applyWhole(_ batch: PropertyListBatch) throws(StoreError) {
        if fault == .publishesBeforeTheCommit, !batch.expectations.isEmpty { return try publishAndCommit(batch) }
        let change = try state.withLock { (state) throws(StoreError) in
            let change = try apply(batch, to: &state)
            if let first = change.entries.first {
                let isNumberedWhole = fault != .numbersOneKeyOfBatches
                counter.advance(after: isNumberedWhole ? change : PropertyListChange(first, isQuiet: false))
                let isHidden = fault == .hidesRemovalsOfAll && batch.operations.contains(.removeAll)
                if fault != .enqueuesOutsideTheLock, !isHidden { enqueue(change, &state) }
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
        let batch = fault == .forgetsExpectations ? batch.expecting([]) : batch
        if fault == .acceptsAnyKey, case .set(let value, let key)? = batch.operations.first, batch.operations.count == 1
        {
            state.table[key] = value
            return PropertyListChange(.init(key: key, old: before[key], new: value), isQuiet: batch.isQuietNow)
        }
        if case .set(let value, let key)? = batch.operations.first {
            for other in state.table.sortedKeys {
                let isMerged = fault == .mergesSpellings && other == key && !other.utf8.elementsEqual(key.utf8)
                if isMerged || fault == .mergesKeysAtDots && other.hasPrefix("\(key).") { state.table[other] = nil }
            }
            if fault == .keepsSpellings, let new = value.stringValue, new == before[key]?.stringValue {
                return PropertyListChange(entries: [], isQuiet: batch.isQuietNow)
            }
        }
        let change = try state.table.apply(batch, store: name)
        if fault != .skipsWhatItSees || !change.isEmpty { state.waiting.append(batch.expecting([])) }
        if fault == .notifiesWhenNothingChanged, case .set(let value, let key)? = batch.operations.first {
            return PropertyListChange(.init(key: key, old: before[key], new: value), isQuiet: batch.isQuietNow)
        }
        guard fault == .forgetsWhatIsQuiet else { return change }
        return PropertyListChange(entries: change.entries, isInitial: false, isQuiet: false)
    }

    /// Applies a batch on the medium, behind those that wait.
    private func decide(_ batch: PropertyListBatch, _ state: inout State) throws(StoreError) -> PropertyListChange {
        if fault != .losesWhatWaitsInAConflict { try commitWaiting(&state) }
        let waiting = state.waiting
        let (truth, change, error) = try medium.transact {
            values -> (PropertyListTable, PropertyListChange?, StoreError?) in
            var before = values ?? [:]
            for batch in waiting { _ = try? before.apply(batch, store: name) }
            var table = before
            do throws(StoreError) {
                let change = try table.apply(batch, store: name)
                values = table
                return (before, change, nil)
            } catch {
                return (before, nil, error)
            }
        }
        state.waiting = []
        if fault == .adoptsTheDecidingKeyOnly, error != nil {
            var seen = state.table
            for expectation in batch.expectations { seen[expectation.key] = truth[expectation.key] }
            adopt(seen, &state)
        } else if error == nil || fault != .hidesWhatDecidedAConflict {
            adopt(truth, &state)
        }
        if let error { throw error }
        if let change { for entry in change.entries { state.table[entry.key] = entry.new } }
        return change ?? PropertyListChange(entries: [], isQuiet: batch.isQuietNow)
    }

    private func commitWaiting(_ state: inout State) throws(StoreError) {
        if state.waiting.isEmpty { return }
        if fault == .writesNothingWhenOpenedAgain, isOpenedAgain { return state.waiting = [] }
        let (waiting, table) = (durable(state.waiting), state.table)
        if fault == .makesUpForTheLastBatchOnly { state.waiting = waiting.suffix(1) }
        let truth = try medium.transact { (values) throws(StoreError) -> PropertyListTable in
            var truth = values ?? [:]
            for batch in waiting { _ = try truth.apply(batch, store: name) }
            values = fault == .rewritesTheWholeMedium ? table : truth
            return values ?? [:]
        }
        state.waiting = []
        adopt(truth, &state)
    }

    /// The batches as they arrive on the medium.
    private func durable(_ waiting: [PropertyListBatch]) -> [PropertyListBatch] {
        waiting.suffix(fault == .keepsTheLastBatches ? 32 : .max).map { batch in
            let others = batch.operations.filter { $0 != .removeAll }
            guard others.count < batch.operations.count else { return batch }
            switch fault {
            case .keepsWhatIsRemoved: return PropertyListBatch(others)
            case .removesAllFirst: return PropertyListBatch([.removeAll] + others)
            default: return batch
            }
        }
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
        if fault != .adoptsUnderTheOldRevision { counter.advance(after: change) }
        if fault == .adoptsSilently { return }
        let parts = fault == .adoptsInParts ? entries.map { PropertyListChange($0, isQuiet: false) } : [change]
        for part in fault == .adoptsTwice ? parts + parts : parts {
            broadcaster.enqueue(part, deliveringInBackground: true)
        }
    }

    func synchronize() throws(StoreError) {
        if fault == .synchronizesNothing { return }
        if isSynchronizing.withLock({ $0 }), fault == .synchronizesForOneThread { return }
        isSynchronizing.withLock { $0 = true }
        defer { isSynchronizing.withLock { $0 = false } }
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
    private func notifyAll(of change: PropertyListChange, registeredFor keys: ObservedKeys? = nil) {
        for observer in state.withLock(\.observers) where keys == nil || observer.keys == keys {
            let isCanceled = !state.withLock { $0.observers.contains { $0.id == observer.id } }
            if isCanceled, fault != .callsWhatAnotherCanceled { continue }
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
        case .forgetsTheNinthObserver
        where state.withLock({
            $0.observerCount += 1; return $0.observerCount
        }) > 8:
            return StoreObservation {}
        case .forgetsObserversOfObservers:
            if Self.isCallingObserver { return StoreObservation {} }
            return register(keys, initial: initial) { change in
                Self.$isCallingObserver.withValue(true) { receive(change) }
            }
        case .notifiesFromOneQueue, .notifiesWithinCalls, .notifiesFromOneQueuePerKey, .callsWhatAnotherCanceled:
            if initial { register(keys, initial: true, receive).cancel() }
            let id = state.withLock { state in
                state.observerCount += 1
                state.observers.append((state.observerCount, keys, receive))
                let hasQueue =
                    fault == .notifiesFromOneQueue || fault == .notifiesWithinCalls || state.queues[keys] != nil
                if !hasQueue { openQueue(of: keys, &state) }
                return state.observerCount
            }
            return StoreObservation { [weak self] in
                self?.state.withLock { $0.observers.removeAll { $0.id == id } }
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

    fileprivate func expecting(_ expectations: [Expectation]) -> PropertyListBatch {
        var copy = self
        copy.expectNothing()
        for expectation in expectations { copy.expect(expectation.value, forKey: expectation.key) }
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
