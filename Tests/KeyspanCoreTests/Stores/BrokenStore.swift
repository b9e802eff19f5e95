import KeyspanCore
import Synchronization

/// A store that breaks one promise, to show that the conformance checks notice.
final class BrokenStore: PropertyListStore {
    enum Fault: CaseIterable {
        case appliesPartsOfBatches
        case forgetsExpectations
        case takesLiveSnapshots
        case notifiesOutOfOrder
        case notifiesWhenNothingChanged
        case forgetsWhatIsQuiet
        case ignoresCancellation
        case registersLate
        case acceptsAnyKey
        case repeatsRevisions
        case mergesSpellings
        case keepsSpellings
    }

    private struct State {
        var table = PropertyListTable()
        var observers: [(ObservedKeys, @Sendable (PropertyListChange) -> Void)] = []
        var calls = 0
        var heldBack: PropertyListChange?
    }

    let name = "broken store"
    private let fault: Fault
    private let state = Locked(State())

    init(_ fault: Fault) {
        self.fault = fault
    }

    var revision: StoreRevision? {
        fault == .repeatsRevisions ? StoreRevision(store: 1, generation: 1) : nil
    }

    func value(forKey key: String) -> PropertyListValue? {
        state.withLock { $0.table[key] }
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
        let (change, observers) = try state.withLock { (state) throws(StoreError) in
            let before = state.table
            var batch = batch
            if fault == .forgetsExpectations { batch = Self.withoutExpectations(batch) }
            if fault == .acceptsAnyKey, case .set(let value, let key)? = batch.operations.first,
                batch.operations.count == 1
            {
                state.table[key] = value
                return (PropertyListChange(.init(key: key, old: before[key], new: value)), state.observers)
            }
            if case .set(let value, let key)? = batch.operations.first {
                if fault == .mergesSpellings {
                    for other in state.table.sortedKeys where other == key { state.table[other] = nil }
                }
                if fault == .keepsSpellings, let new = value.stringValue, new == before[key]?.stringValue {
                    return (PropertyListChange(entries: []), [])
                }
            }
            var change = try state.table.apply(batch, store: name)
            if fault == .notifiesWhenNothingChanged, case .set(let value, let key)? = batch.operations.first {
                change = PropertyListChange(.init(key: key, old: before[key], new: value))
            }
            return (change, state.observers)
        }
        guard !change.isEmpty else { return }
        for change in fault == .notifiesOutOfOrder ? swapped(change) : [change] {
            notify(observers, of: change)
        }
    }

    private func notify(
        _ observers: [(ObservedKeys, @Sendable (PropertyListChange) -> Void)],
        of change: PropertyListChange
    ) {
        let isQuiet = change.isQuiet && fault != .forgetsWhatIsQuiet
        let change = PropertyListChange(entries: change.entries, isInitial: false, isQuiet: isQuiet)
        for (keys, receive) in observers {
            guard case .named(let names) = keys else {
                receive(change)
                continue
            }
            let entries = change.entries.filter { names.contains($0.key) }
            if !entries.isEmpty { receive(.init(entries: entries, isInitial: false, isQuiet: isQuiet)) }
        }
    }

    /// Holds back every other change until after the next one.
    private func swapped(_ change: PropertyListChange) -> [PropertyListChange] {
        state.withLock { state in
            guard let earlier = state.heldBack else {
                state.heldBack = change
                return []
            }
            state.heldBack = nil
            return [change, earlier]
        }
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        if fault == .registersLate {
            Task.detached {
                try await Task.sleep(for: .milliseconds(2))
                self.state.withLock { $0.observers.append((keys, receive)) }
            }
            return StoreObservation {}
        }
        let isCancelled = Flag()
        state.withLock { state in
            state.observers.append(
                (keys, { [fault] change in if fault == .ignoresCancellation || !isCancelled.isSet { receive(change) } })
            )
        }
        if initial {
            let table = state.withLock(\.table)
            let names = if case .named(let names) = keys { names.map(\.wrappedValue) } else { table.sortedKeys }
            receive(
                PropertyListChange(entries: names.map { .init(key: $0, old: nil, new: table[$0]) }, isInitial: true)
            )
        }
        return StoreObservation { isCancelled.set() }
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

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}
