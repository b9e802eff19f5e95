/// Compares what a background store showed with the truth, over which its own unsent writes lie.
///
/// Such a store shows no states of the truth. For each key, however, the values of other clients come in the order of the
/// truth, and an own value is not shown again once a later value of another client has been seen.
struct OverlayCheck: Sendable {
    private enum Problem {
        case wentBack(after: Int)
        case invented
    }

    private let index: TruthIndex
    private let own: Set<Entry>
    private let ownTags: Set<String>
    private let ownRemovals: Set<String>
    private let ownCounters: Set<String>
    private let removesAll: Bool

    /// Collects the writes of a store.
    init(of store: String, _ placement: CallPlacement, in index: TruthIndex) {
        self.index = index
        let calls = placement.calls.filter { $0.store == store }
        var own: Set<Entry> = []
        var ownRemovals: Set<String> = []
        for call in calls {
            for (key, value) in call.kind.changes {
                own.insert(Entry(key: key, value: value))
                if value == nil { ownRemovals.insert(key) }
            }
        }
        (self.own, self.ownRemovals) = (own, ownRemovals)
        ownTags = Set(calls.compactMap(\.tag))
        ownCounters = Set(calls.compactMap(\.kind.counter))
        removesAll = calls.contains { $0.kind.removesAll }
    }

    /// Finds the first value of an observer that does not fit, and what is wrong with the end.
    func failures(of observer: RecordedObserver) -> [ObserverFailure] {
        var failures: [ObserverFailure] = []
        switch replay(observer) {
        case .failure(let failure): failures.append(failure)
        case .success(let last):
            let keys = Set(last.keys).union(index.final.keys)
            if !observer.endsEarly, let key = keys.filter({ last[$0] != index.final[$0] }).min() {
                failures.append(
                    .wrongLastValue(observer: observer.name, key: key, saw: last[key], truth: index.final[key])
                )
            }
        }
        if let failure = observer.finalFailure(in: index) { failures.append(failure) }
        return failures
    }

    /// Finds the first read of a reader that does not fit.
    func failures(of reader: RecordedReader) -> [ReadFailure] {
        var floors: [String: Int] = [:]
        var table: [String: String] = [:]
        for (number, read) in reader.reads.enumerated() {
            let values: [(String, String?)]
            switch read.content {
            case .digest: continue
            case .value(let key, let value): values = [(key, value)]
            case .snapshot(let next):
                let removed = table.keys.filter { next[$0] == nil }.map { ($0, String?.none) }
                values = next.filter { table[$0.key] != $0.value }.map { ($0.key, $0.value) } + removed
                table = next
            }
            for (key, value) in values.sorted(by: { $0.0 < $1.0 }) {
                switch see(value, of: key, &floors) {
                case nil: continue
                case .wentBack(let position):
                    let revision = index.revision(at: position)
                    return [.keyWentBack(reader: reader.name, read: number, key: key, value: value, after: revision)]
                case .invented:
                    return [.inventedValue(reader: reader.name, read: number, key: key, value: value)]
                }
            }
        }
        return []
    }

    private func replay(_ observer: RecordedObserver) -> Result<[String: String], ObserverFailure> {
        var table = observer.start
        var floors: [String: Int] = [:]
        if let revision = observer.startRevision, let position = index.lastPosition(upTo: revision) {
            for key in table.keys { floors[key] = position }
        }
        for (key, value) in table where see(value, of: key, &floors) != nil {
            return .failure(.wrongStart(observer: observer.name, revision: observer.startRevision))
        }
        for (number, change) in observer.changes.enumerated() {
            for (key, values) in change.values.sorted(by: { $0.key < $1.key }) {
                guard values.old == table[key] else {
                    return .failure(
                        .wrongOldValue(
                            observer: observer.name,
                            change: number,
                            key: key,
                            old: values.old,
                            before: table[key]
                        )
                    )
                }
                table[key] = values.new
                switch see(values.new, of: key, &floors) {
                case nil: continue
                case .wentBack(let position):
                    return .failure(
                        .keyWentBack(
                            observer: observer.name,
                            change: number,
                            key: key,
                            value: values.new,
                            after: index.revision(at: position)
                        )
                    )
                case .invented:
                    return .failure(
                        .inventedValue(observer: observer.name, change: number, key: key, value: values.new)
                    )
                }
            }
        }
        return .success(table)
    }

    /// Takes note of a value, and finds what is wrong with it.
    ///
    /// - Parameter floors: The earliest positions at which the store can be, by key. Only values of others raise them: an
    ///   own value is shown before the cluster has it.
    private func see(_ value: String?, of key: String, _ floors: inout [String: Int]) -> Problem? {
        let entry = Entry(key: key, value: value)
        let floor = floors[key] ?? 0
        let position = index.firstPosition(of: entry, from: floor)
        if isOwn(entry) {
            // An own value that is neither in the truth nor unsent was refused or replaced; for a moment it was shown.
            let isInTruth = value != nil && index.firstPosition(of: entry, from: 0) != nil
            return position == nil && isInTruth && !ownCounters.contains(key) ? .wentBack(after: floor) : nil
        }
        if let position {
            floors[key] = position
            return nil
        }
        return index.firstPosition(of: entry, from: 0) == nil ? .invented : .wentBack(after: floor)
    }

    private func isOwn(_ entry: Entry) -> Bool {
        if own.contains(entry) || ownTags.contains(entry.key) || ownCounters.contains(entry.key) { return true }
        return entry.value == nil && (removesAll || ownRemovals.contains(entry.key))
    }
}
