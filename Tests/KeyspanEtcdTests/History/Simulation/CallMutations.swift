extension HistoryMutation {
    /// What can be wrong with calls.
    static let ofCalls: [HistoryMutation] = [
        .calls("an acknowledged call is lost") { draft in
            guard let call = draft.loneCall(.acknowledged) else { return nil }
            draft.history.truth.revisions.remove(at: call.position - 1)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .lost = $0 { true } else { false }
        },
        .calls("an acknowledged call was recorded that never reached the cluster") { draft in
            guard let original = draft.history.calls.randomElement(using: &draft.random) else { return nil }
            var call = original
            (call.id, call.tag, call.outcome) = ("extra-1", "calls/extra-1", .acknowledged)
            call.kind = .write(RecordedBatch(["a": "\"extra-1\""]))
            (call.invoked, call.returned) = (draft.end, draft.end + 1)
            draft.history.calls.append(call)
            return call.id
        } isFoundAs: {
            if case .lost = $0 { true } else { false }
        },
        .calls("an acknowledged call happened twice") { draft in
            guard let call = draft.loneCall(.acknowledged) else { return nil }
            draft.repeatRevision(at: call.position)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .doubled = $0 { true } else { false }
        },
        .calls("the values of an acknowledged call were written again without its tag") { draft in
            guard let call = draft.loneCall(.acknowledged),
                let key = draft.ownKey(of: call.index, at: call.position, isSet: true)
            else { return nil }
            draft.repeatRevision(at: call.position) { $0 == key }
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .doubled = $0 { true } else { false }
        },
        .calls("a call is scattered over two revisions", { scatter(.acknowledged, in: &$0) }, isFoundAs: isTorn),
        .calls("an unknown call is scattered over two revisions", { scatter(.unknown, in: &$0) }, isFoundAs: isTorn),
        .calls("a call lacks one of its keys", { tear(.acknowledged, in: &$0) }, isFoundAs: isTorn),
        .calls("an unknown call lacks one of its keys", { tear(.unknown, in: &$0) }, isFoundAs: isTorn),
        .calls("a removal of everything left a key behind") { draft in
            guard let call = draft.placedCall(where: { $0.kind.removesAll && $1 > 0 && $0.tag != nil }) else {
                return nil
            }
            let removed = draft.index.events(at: call.position).filter { $0.value == nil }.keys.sorted()
            guard let key = removed.randomElement(using: &draft.random) else { return nil }
            draft.history.truth.revisions[call.position - 1].events.removeValue(forKey: key)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            isTorn($0)
        },
        .calls("a key of a call has another value") { draft in
            guard let call = draft.loneCall(.acknowledged), draft.history.calls[call.index].tag != nil,
                let key = draft.ownKey(of: call.index, at: call.position, isSet: false)
            else { return nil }
            draft.history.truth.revisions[call.position - 1].events.updateValue("\"other\"", forKey: key)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            isTorn($0)
        },
        .calls("a call ended before one of an earlier revision began") { draft in
            guard let pair = orderedPair(in: &draft) else { return nil }
            let time = draft.history.calls[pair.earlier].invoked
            draft.history.calls[pair.later].invoked = time - 2
            draft.history.calls[pair.later].returned = time - 1
            return draft.history.calls[pair.earlier].id
        } isFoundAs: {
            if case .outOfOrder = $0 { true } else { false }
        },
        .calls("a call began after one of a later revision had ended") { draft in
            guard let pair = orderedPair(in: &draft) else { return nil }
            let time = draft.end
            draft.history.calls[pair.earlier].invoked = time
            draft.history.calls[pair.earlier].returned = time + 1
            return draft.history.calls[pair.earlier].id
        } isFoundAs: {
            if case .outOfOrder = $0 { true } else { false }
        },
        .calls("a call that happened is said to be refused") { draft in
            guard let call = draft.placedCall(where: { _, _ in true }) else { return nil }
            draft.history.calls[call.index].outcome = .refused(.other)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .refusedHappened = $0 { true } else { false }
        },
        .calls("a refused call happened") { draft in
            let refused = draft.history.calls.filter {
                !$0.outcome.mayHaveHappened && $0.kind.changes.contains { $0.value != nil }
            }
            guard let call = refused.randomElement(using: &draft.random) else { return nil }
            let position = Int.random(in: 1...draft.index.lastPosition + 1, using: &draft.random)
            draft.insert(call.kind.changes, before: position)
            return call.id
        } isFoundAs: {
            if case .refusedHappened = $0 { true } else { false }
        },
        .calls("an unknown call happened twice") { draft in
            guard let call = draft.loneCall(.unknown) else { return nil }
            draft.repeatRevision(at: call.position)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .doubled = $0 { true } else { false }
        },
        .calls("a key vanished from the cluster") { draft in
            let last = draft.index.lastPosition
            let (index, placement) = (draft.index, draft.placement)
            let keys = index.final.keys.filter { !placement.explains(nil, of: $0, at: last + 1) }.sorted()
            guard let key = keys.randomElement(using: &draft.random) else { return nil }
            draft.insert([key: nil], before: last + 1)
            return key
        } isFoundAs: {
            if case .unexplained = $0 { true } else { false }
        },
        .calls("the cluster has a value that no call wrote") { draft in
            let position = Int.random(in: 1...draft.index.lastPosition + 1, using: &draft.random)
            draft.insert(["b": "\"stray\""], before: position)
            return "\"stray\""
        } isFoundAs: {
            if case .unexplained = $0 { true } else { false }
        },
    ]

    /// What can be wrong with compare-and-sets and increments.
    static let ofCompares: [HistoryMutation] = [
        .compares("a compare-and-set expected another value") { draft in
            guard let call = draft.placedCall(where: { call, _ in call.isCompareAndSet }),
                case .compareAndSet(let key, _, let new) = draft.history.calls[call.index].kind
            else { return nil }
            draft.history.calls[call.index].kind = .compareAndSet(key: key, expected: "\"wrong\"", new: new)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .wrongExpectation = $0 { true } else { false }
        },
        .compares("a compare-and-set overwrote a value that came right before it") { draft in
            guard let call = draft.placedCall(where: { call, _ in call.isCompareAndSet }),
                case .compareAndSet(let key, _, _) = draft.history.calls[call.index].kind
            else { return nil }
            draft.insert([key: "\"stray\""], before: call.position)
            return draft.history.calls[call.index].id
        } isFoundAs: {
            if case .wrongExpectation = $0 { true } else { false }
        },
        .compares("an increment wrote what the counter had", { addToCounter(-1, in: &$0) }, isFoundAs: isWrongStep),
        .compares("an increment added two", { addToCounter(1, in: &$0) }, isFoundAs: isWrongStep),
        .compares("an increment was lost, and all later ones build on that") { draft in
            guard let call = draft.placedCall(where: { call, _ in call.kind.counter != nil }),
                let key = draft.history.calls[call.index].kind.counter
            else { return nil }
            for position in call.position...draft.index.lastPosition {
                guard let event = draft.index.events(at: position)[key] else { continue }
                let isIncrement = draft.placement.calls(at: position).contains { $0.kind.counter == key }
                guard isIncrement, let event, let value = Int64(event) else { break }
                draft.history.truth.revisions[position - 1].events.updateValue("\(value - 1)", forKey: key)
            }
            return key
        } isFoundAs: {
            isWrongStep($0)
        },
        .compares("an increment returned another value than it wrote") { draft in
            let placed = draft.placedCall { call, _ in call.kind.counter != nil && call.outcome == .acknowledged }
            guard let placed else { return nil }
            draft.history.calls[placed.index].result = "-7"
            return draft.history.calls[placed.index].id
        } isFoundAs: {
            if case .wrongResult = $0 { true } else { false }
        },
        .compares("a counter has a wrong total") { draft in
            let keys = Set(draft.history.calls.compactMap(\.kind.counter)).filter { key in
                !draft.history.calls.contains {
                    $0.outcome.mayHaveHappened && ($0.kind.removesAll || $0.kind.changes[key] != nil)
                }
            }
            guard let key = keys.sorted().randomElement(using: &draft.random), draft.index.final[key] != nil else {
                return nil
            }
            draft.insert([key: "-7"], before: draft.index.lastPosition + 1)
            return key
        } isFoundAs: {
            if case .wrongTotal = $0 { true } else { false }
        },
    ]

    // MARK: Parts

    private static func scatter(_ outcome: CallOutcome, in draft: inout Draft) -> String? {
        guard let call = draft.loneCall(outcome), draft.history.calls[call.index].tag != nil,
            let key = draft.ownKey(of: call.index, at: call.position, isSet: true)
        else { return nil }
        let event = draft.history.truth.revisions[call.position - 1].events.removeValue(forKey: key)
        draft.insert([key: event ?? nil], before: call.position + 1)
        return draft.history.calls[call.index].id
    }

    private static func tear(_ outcome: CallOutcome, in draft: inout Draft) -> String? {
        guard let call = draft.loneCall(outcome), draft.history.calls[call.index].tag != nil,
            let key = draft.ownKey(of: call.index, at: call.position, isSet: false)
        else { return nil }
        draft.history.truth.revisions[call.position - 1].events.removeValue(forKey: key)
        // A removal of a key that was missing anyway leaves no event, so that its absence says nothing.
        guard
            draft.index.value(of: key, at: call.position - 1) != nil
                || draft.index.value(of: key, at: call.position) != nil
        else { return nil }
        return draft.history.calls[call.index].id
    }

    /// Two acknowledged calls of different revisions.
    private static func orderedPair(in draft: inout Draft) -> (earlier: Int, later: Int)? {
        guard let one = draft.loneCall(.acknowledged), let other = draft.loneCall(.acknowledged),
            one.position != other.position
        else { return nil }
        return one.position < other.position ? (one.index, other.index) : (other.index, one.index)
    }

    private static func addToCounter(_ difference: Int64, in draft: inout Draft) -> String? {
        guard let call = draft.placedCall(where: { call, _ in call.kind.counter != nil }),
            let key = draft.history.calls[call.index].kind.counter,
            let value = draft.index.value(of: key, at: call.position), let number = Int64(value)
        else { return nil }
        draft.history.truth.revisions[call.position - 1].events.updateValue("\(number + difference)", forKey: key)
        return key
    }

    @Sendable
    private static func isTorn(_ failure: CallFailure) -> Bool {
        guard case .torn = failure else { return false }
        return true
    }

    @Sendable
    private static func isWrongStep(_ failure: CompareFailure) -> Bool {
        guard case .wrongStep = failure else { return false }
        return true
    }
}

extension RecordedCall {
    /// Whether the call is a compare-and-set.
    fileprivate var isCompareAndSet: Bool {
        guard case .compareAndSet = kind else { return false }
        return true
    }
}
