/// An observer whose states are not those of the truth.
enum ObserverFailure: HistoryFailure, Equatable {
    /// The snapshot is no state of the truth, or not that of its revision.
    case wrongStart(observer: String, revision: Int64?)
    /// The old value in a change is not the one that the observer saw before.
    case wrongOldValue(observer: String, change: Int, key: String, old: String?, before: String?)
    /// The observer missed revisions.
    case missed(observer: String, change: Int, revisions: [Int64], saw: Int64)
    /// One change covers several revisions, although the store did not have to list anew.
    case covered(observer: String, change: Int, revisions: [Int64])
    /// The observer saw a revision again, or one that came before the last one that it saw.
    case wentBack(observer: String, change: Int, revision: Int64, after: Int64)
    /// A change leads to a state that the truth does not have after the last one: it is torn or invented.
    case unmatched(observer: String, change: Int, after: Int64)
    /// The observer did not see the last revisions.
    case missingLast(observer: String, revisions: [Int64])
    /// The final table is not that of the truth.
    case wrongFinal(observer: String, key: String, shown: String?, truth: String?)
    /// A key of a background store went back to an earlier value of another client.
    case keyWentBack(observer: String, change: Int, key: String, value: String?, after: Int64)
    /// A key of a background store has a value that nobody wrote to it.
    case inventedValue(observer: String, change: Int, key: String, value: String?)
    /// The last value of a key that an observer of a background store saw is not that of the truth.
    case wrongLastValue(observer: String, key: String, saw: String?, truth: String?)

    var description: String {
        switch self {
        case .wrongStart(let observer, let revision):
            "The snapshot of \(observer) is not "
                + (revision.map { "the state of the cluster at revision \($0)." }
                    ?? "a state that the cluster ever had.")
        case .wrongOldValue(let observer, let change, let key, let old, let before):
            "Change \(change) of \(observer) has \(String(shown: old)) as the old value of \(key), which was "
                + "\(String(shown: before))."
        case .missed(let observer, let change, let revisions, let saw):
            "Change \(change) of \(observer) is revision \(saw), but it has not seen \(String(shown: revisions))."
        case .covered(let observer, let change, let revisions):
            "Change \(change) of \(observer) covers \(String(shown: revisions)), but may cover only one."
        case .wentBack(let observer, let change, let revision, let after):
            "Change \(change) of \(observer) is revision \(revision), but it has already seen revision \(after)."
        case .unmatched(let observer, let change, let after):
            "Change \(change) of \(observer) leads to a state that the cluster never had after revision \(after)."
        case .missingLast(let observer, let revisions): "\(observer) never saw the last \(String(shown: revisions))."
        case .wrongFinal(let observer, let key, let shown, let truth):
            "The final table of \(observer) has \(String(shown: shown)) for \(key), where the cluster has "
                + "\(String(shown: truth))."
        case .keyWentBack(let observer, let change, let key, let value, let after):
            "Change \(change) of \(observer) sets \(key) to \(String(shown: value)), which the cluster did not have at or "
                + "after revision \(after)."
        case .inventedValue(let observer, let change, let key, let value):
            "Change \(change) of \(observer) sets \(key) to \(String(shown: value)), which nobody wrote."
        case .wrongLastValue(let observer, let key, let saw, let truth):
            "The last value of \(key) that \(observer) saw is \(String(shown: saw)), where the cluster has "
                + "\(String(shown: truth))."
        }
    }
}

/// Compares what an observer of a direct store saw with the states of the truth.
///
/// A table can be the state after several revisions. The check therefore keeps all positions at which the observer can be,
/// each with the least number of allowed jumps that lead there. It stops at the first failure of an observer, because all
/// later ones would follow from that.
struct ObserverCheck: Sendable {
    private let observer: RecordedObserver
    private let index: TruthIndex

    /// Prepares the check.
    init(_ observer: RecordedObserver, in index: TruthIndex) {
        (self.observer, self.index) = (observer, index)
    }

    /// Finds the first change that does not fit, and what is wrong with the end.
    func failures() -> [ObserverFailure] {
        var failures: [ObserverFailure] = []
        switch replay() {
        case .failure(let failure): failures.append(failure)
        case .success(let positions):
            let last = positions.max() ?? 0
            let missing = index.differingPositions(after: last, through: index.lastPosition)
            if !observer.endsEarly, !missing.isEmpty {
                failures.append(.missingLast(observer: observer.name, revisions: index.revisions(at: missing)))
            }
        }
        if let failure = observer.finalFailure(in: index) { failures.append(failure) }
        return failures
    }

    private func replay() -> Result<[Int], ObserverFailure> {
        var table = observer.start
        var digest = TableDigest(table)
        var jumps = Dictionary(uniqueKeysWithValues: startPositions(digest).map { ($0, 0) })
        guard !jumps.isEmpty else {
            return .failure(.wrongStart(observer: observer.name, revision: observer.startRevision))
        }
        for (number, change) in observer.changes.enumerated() {
            let wrongOld = change.values.filter { table[$0.key] != $0.value.old }.min { $0.key < $1.key }
            let difference = change.difference
            if !difference.isEmpty {
                for (key, value) in difference {
                    digest.replace(table[key], with: value, forKey: key)
                    table[key] = value
                }
                let next = step(from: jumps, by: difference, to: digest, listsAnew: change.listsAnew)
                guard !next.isEmpty else {
                    let fits = wrongOld == nil
                    return .failure(diagnosis(of: number, difference, digest, from: jumps, oldValuesFit: fits))
                }
                jumps = next
            }
            if let (key, values) = wrongOld {
                return .failure(
                    .wrongOldValue(
                        observer: observer.name,
                        change: number,
                        key: key,
                        old: values.old,
                        before: values.old == values.new ? table[key] : observer.value(of: key, before: number)
                    )
                )
            }
        }
        return .success(jumps.keys.sorted())
    }

    private func startPositions(_ digest: TableDigest) -> [Int] {
        guard let revision = observer.startRevision else { return index.positions(of: digest) }
        guard let position = index.lastPosition(upTo: revision), index.digests[position] == digest else { return [] }
        return [position]
    }

    /// The positions that a change can lead to, with the least numbers of jumps.
    private func step(
        from positions: [Int: Int],
        by difference: [String: String?],
        to digest: TableDigest,
        listsAnew: Bool
    ) -> [Int: Int] {
        var next: [Int: Int] = [:]
        for (position, jumps) in positions {
            if let following = index.nextDifference(after: position), index.differences[following] == difference {
                next[following] = min(next[following] ?? .max, jumps)
            }
        }
        for (position, jumps) in positions where listsAnew || jumps < observer.allowedJumps {
            for target in index.positions(of: digest) where target > position {
                next[target] = min(next[target] ?? .max, listsAnew ? jumps : jumps + 1)
            }
        }
        return next
    }

    private func diagnosis(
        of change: Int,
        _ difference: [String: String?],
        _ digest: TableDigest,
        from positions: [Int: Int],
        oldValuesFit: Bool
    ) -> ObserverFailure {
        let last = positions.keys.max() ?? 0
        let same = index.differences.indices.filter { index.differences[$0] == difference }
        let later = same.first { $0 > last }
        // A revision that replaces all values of the missed ones leads to the same state, but with other old values.
        if oldValuesFit || later == nil, let target = index.firstPosition(of: digest, from: last + 1) {
            let covered = index.differingPositions(after: last, through: target)
            return .covered(observer: observer.name, change: change, revisions: index.revisions(at: covered))
        }
        if let later {
            let missed = index.differingPositions(after: last, through: later - 1)
            return .missed(
                observer: observer.name,
                change: change,
                revisions: index.revisions(at: missed),
                saw: index.revision(at: later)
            )
        }
        if let earlier = same.last {
            return .wentBack(
                observer: observer.name,
                change: change,
                revision: index.revision(at: earlier),
                after: index.revision(at: last)
            )
        }
        return .unmatched(observer: observer.name, change: change, after: index.revision(at: last))
    }
}

extension RecordedObserver {
    /// Finds the first key of the final table that is not that of the truth.
    func finalFailure(in index: TruthIndex) -> ObserverFailure? {
        guard let final, final != index.final else { return nil }
        let keys = Set(final.keys).union(index.final.keys)
        guard let key = keys.filter({ final[$0] != index.final[$0] }).min() else { return nil }
        return .wrongFinal(observer: name, key: key, shown: final[key], truth: index.final[key])
    }

    /// The value that the observer saw of a key before one of its changes.
    func value(of key: String, before change: Int) -> String? {
        for earlier in changes.prefix(change).reversed() {
            if let values = earlier.values[key] { return values.new }
        }
        return start[key]
    }
}
