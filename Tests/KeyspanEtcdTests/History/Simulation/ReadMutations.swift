extension HistoryMutation {
    /// What can be wrong with the observers and readers of background stores.
    static let ofOverlays: [HistoryMutation] = [
        .observers("a background observer went back to an earlier value of another client") { draft in
            guard let observer = draft.observer(.background), let stale = stale(for: observer, in: &draft) else {
                return nil
            }
            let now = draft.index.final[stale.key]
            for (old, new) in [(now, stale.value), (stale.value, now)] {
                draft.history.observers[observer].changes.append(
                    ObservedChange([stale.key: ObservedValues(old: old, new: new)], time: draft.end)
                )
            }
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .keyWentBack = $0 { true } else { false }
        },
        .observers("a background observer saw a value that nobody wrote") { draft in
            guard let observer = draft.observer(.background) else { return nil }
            for (old, new) in [(nil, "1"), ("1", nil)] {
                draft.history.observers[observer].changes.append(
                    ObservedChange(["stray": ObservedValues(old: old, new: new)], time: draft.end)
                )
            }
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .inventedValue = $0 { true } else { false }
        },
        .observers("a background observer missed the last change") { draft in
            guard let observer = draft.observer(.background, where: { !$0.changes.isEmpty }) else { return nil }
            draft.history.observers[observer].changes.removeLast()
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .wrongLastValue = $0 { true } else { false }
        },
        .observers("a change of a background observer came twice") { draft in
            guard let observer = draft.observer(.background, where: { !$0.changes.isEmpty }),
                let change = draft.history.observers[observer].changes.indices.randomElement(using: &draft.random)
            else { return nil }
            let repeated = draft.history.observers[observer].changes[change]
            draft.history.observers[observer].changes.insert(repeated, at: change)
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .wrongOldValue = $0 { true } else { false }
        },
        .reads("a background reader went back to an earlier value of another client") { draft in
            guard let reader = draft.reader(.background), let stale = stale(forReader: reader, in: &draft) else {
                return nil
            }
            for value in [draft.index.final[stale.key], stale.value] {
                draft.append(.value(key: stale.key, value), to: reader)
            }
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .keyWentBack = $0 { true } else { false }
        },
        .reads("a background reader read a value that nobody wrote") { draft in
            guard let reader = draft.reader(.background) else { return nil }
            draft.append(.value(key: "a", "\"stray\""), to: reader)
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .inventedValue = $0 { true } else { false }
        },
    ]

    /// What can be wrong with the readers of direct stores.
    static let ofReads: [HistoryMutation] = [
        .reads("a reader read the final state and then an older one") { draft in
            guard let reader = draft.reader(.direct), let position = goneState(in: &draft) else { return nil }
            draft.append(.snapshot(draft.index.final), to: reader)
            draft.append(.snapshot(draft.history.truth.table(atPosition: position)), to: reader)
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .wentBack = $0 { true } else { false }
        },
        .reads("two reads of different states are swapped") { draft in
            func isPair(_ old: RecordedRead, _ new: RecordedRead, _ index: TruthIndex) -> Bool {
                guard case .snapshot(let old) = old.content, case .snapshot(let new) = new.content,
                    let last = index.positions(of: TableDigest(old)).last,
                    let first = index.positions(of: TableDigest(new)).first
                else { return false }
                return last < first
            }
            let index = draft.index
            func pairs(_ reader: RecordedReader) -> [(Int, Int)] {
                reader.reads.indices.flatMap { old in
                    reader.reads.indices.filter { $0 > old && isPair(reader.reads[old], reader.reads[$0], index) }
                        .map { (old, $0) }
                }
            }
            guard let reader = draft.reader(.direct, where: { !pairs($0).isEmpty }),
                let pair = pairs(draft.history.readers[reader]).randomElement(using: &draft.random)
            else { return nil }
            let content = draft.history.readers[reader].reads[pair.0].content
            draft.history.readers[reader].reads[pair.0].content = draft.history.readers[reader].reads[pair.1].content
            draft.history.readers[reader].reads[pair.1].content = content
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .wentBack = $0 { true } else { false }
        },
        .reads("a value was read after a later state") { draft in
            guard let reader = draft.reader(.direct), let stale = staleEntry(in: &draft, where: { _ in true }) else {
                return nil
            }
            draft.append(.digest(TableDigest(draft.index.final)), to: reader)
            draft.append(.value(key: stale.key, stale.value), to: reader)
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .wentBack = $0 { true } else { false }
        },
        .reads("a snapshot is torn") { draft in
            guard let reader = draft.reader(.direct), let key = draft.index.final.keys.sorted().first else {
                return nil
            }
            var table = draft.index.final
            table[key] = "\"torn\""
            draft.append(.snapshot(table), to: reader)
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .unknownState = $0 { true } else { false }
        },
        .reads("a value was read that nobody wrote") { draft in
            guard let reader = draft.reader(.direct) else { return nil }
            draft.append(.value(key: "a", "\"stray\""), to: reader)
            return draft.history.readers[reader].name
        } isFoundAs: {
            if case .unknownState = $0 { true } else { false }
        },
        .reads("a snapshot lacks a write of its store that had returned") { draft in
            let (history, index) = (draft.history, draft.index)
            let call = draft.placedCall { call, position in
                call.outcome == .acknowledged && history.mode(of: call.store) == .direct
                    && index.firstPosition(of: index.digests[position - 1], from: position) == nil
            }
            guard let call else { return nil }
            let table = draft.history.truth.table(atPosition: call.position - 1)
            return draft.addReader(.snapshot(table), of: draft.history.calls[call.index].store)
        } isFoundAs: {
            if case .missedOwnWrite = $0 { true } else { false }
        },
        .reads("a value lacks a write of its store that had returned") { draft in
            let (history, index) = (draft.history, draft.index)
            func staleValue(_ call: RecordedCall, _ position: Int) -> Entry? {
                call.kind.changes.keys.sorted()
                    .map { Entry(key: $0, value: index.value(of: $0, at: position - 1)) }
                    .first { index.firstPosition(of: $0, from: position) == nil }
            }
            let call = draft.placedCall { call, position in
                call.outcome == .acknowledged && history.mode(of: call.store) == .direct
                    && staleValue(call, position) != nil
            }
            guard let call, let stale = staleValue(history.calls[call.index], call.position) else { return nil }
            return draft.addReader(.value(key: stale.key, stale.value), of: history.calls[call.index].store)
        } isFoundAs: {
            if case .missedOwnWrite = $0 { true } else { false }
        },
    ]

    // MARK: Parts

    /// A position whose state does not come back.
    private static func goneState(in draft: inout Draft) -> Int? {
        let index = draft.index
        return index.digests.indices.filter {
            guard let last = index.positions(of: index.digests[$0]).last else { return false }
            return last < index.lastPosition
                && !index.differingPositions(after: last, through: index.lastPosition).isEmpty
        }.randomElement(using: &draft.random)
    }

    /// A key with a value that it had once and that does not come back.
    private static func staleEntry(in draft: inout Draft, where condition: (Entry) -> Bool) -> Entry? {
        let (index, last) = (draft.index, draft.index.lastPosition)
        return index.differences.dropFirst().flatMap { difference in
            difference.compactMap { key, value in value.map { Entry(key: key, value: $0) } }
        }
        .filter { index.firstPosition(of: $0, from: last) == nil && condition($0) }
        .sorted { ($0.key, $0.value ?? "") < ($1.key, $1.value ?? "") }
        .randomElement(using: &draft.random)
    }

    private static func stale(for observer: Int, in draft: inout Draft) -> Entry? {
        stale(in: draft.history.observers[observer].store, &draft)
    }

    private static func stale(forReader reader: Int, in draft: inout Draft) -> Entry? {
        stale(in: draft.history.readers[reader].store, &draft)
    }

    /// A stale value of a key whose last value, as the stale one, comes from others than the store.
    private static func stale(in store: String, _ draft: inout Draft) -> Entry? {
        let own = draft.history.calls.filter { $0.store == store }
        let final = draft.index.final
        return staleEntry(in: &draft) { entry in
            // A value that comes back is no proof of anything.
            guard let last = final[entry.key], Int64(last) == nil else { return false }
            return !own.contains { $0.explains(entry.value, of: entry.key) || $0.explains(last, of: entry.key) }
        }
    }
}

extension HistoryMutation.Draft {
    /// Appends a read to those of a reader.
    fileprivate mutating func append(_ content: ReadContent, to reader: Int) {
        let time = end
        history.readers[reader].reads.append(RecordedRead(began: time, ended: time + 1, content))
    }

    /// Adds a reader that reads once, after everything else, and returns its name.
    fileprivate mutating func addReader(_ content: ReadContent, of store: String) -> String {
        let read = RecordedRead(began: end, ended: end + 1, content)
        history.readers.append(RecordedReader(name: "extra", store: store, reads: [read]))
        return "extra"
    }
}
