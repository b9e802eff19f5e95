extension HistoryMutation {
    /// What can be wrong with the observers of direct stores.
    static let ofObservers: [HistoryMutation] = [
        .observers("an observer missed a change") { draft in
            guard let place = draft.run(of: 2) else { return nil }
            draft.history.observers[place.observer].changes.remove(at: place.change)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .missed = $0 { true } else { false }
        },
        .observers("two changes of an observer are swapped") { draft in
            guard let place = draft.run(of: 2) else { return nil }
            draft.history.observers[place.observer].changes.swapAt(place.change, place.change + 1)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .missed = $0 { true } else { false }
        },
        .observers("a change of an observer came much later") { draft in
            guard let place = draft.run(of: 4) else { return nil }
            let change = draft.history.observers[place.observer].changes.remove(at: place.change)
            draft.history.observers[place.observer].changes.insert(change, at: place.change + 3)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .missed = $0 { true } else { false }
        },
        .observers("a change of an observer came twice") { draft in
            guard let place = draft.run(of: 1) else { return nil }
            let change = draft.history.observers[place.observer].changes[place.change]
            draft.history.observers[place.observer].changes.insert(change, at: place.change)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .wentBack = $0 { true } else { false }
        },
        .observers("an earlier change of an observer came again") { draft in
            guard let place = draft.run(of: 3) else { return nil }
            let change = draft.history.observers[place.observer].changes[place.change]
            draft.history.observers[place.observer].changes.insert(change, at: place.change + 3)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .wentBack = $0 { true } else { false }
        },
        .observers("an observer missed the last change") { draft in
            guard let observer = draft.observer(.direct, where: { !$0.changes.isEmpty }) else { return nil }
            draft.history.observers[observer].changes.removeLast()
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .missingLast = $0 { true } else { false }
        },
        .observers("an observer missed the last five changes") { draft in
            guard let observer = draft.observer(.direct, where: { $0.changes.count > 5 }) else { return nil }
            draft.history.observers[observer].changes.removeLast(5)
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .missingLast = $0 { true } else { false }
        },
        .observers("a change has a wrong old value") { draft in
            guard let place = draft.run(of: 1) else { return nil }
            let observer = draft.history.observers[place.observer]
            let keys = observer.changes[place.change].values.keys.sorted()
            guard let key = keys.randomElement(using: &draft.random) else { return nil }
            draft.history.observers[place.observer].changes[place.change].values[key]?.old = "\"wrong\""
            return observer.name
        } isFoundAs: {
            if case .wrongOldValue = $0 { true } else { false }
        },
        .observers("a change lacks one of its keys") { draft in
            guard let place = draft.run(of: 1) else { return nil }
            let change = draft.history.observers[place.observer].changes[place.change]
            let set = change.values.filter { $0.value.new != nil }.keys.sorted()
            guard set.count > 1, let key = set.randomElement(using: &draft.random) else { return nil }
            draft.history.observers[place.observer].changes[place.change].values.removeValue(forKey: key)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .unmatched = $0 { true } else { false }
        },
        .observers("a batch came as two changes") { draft in
            guard let place = draft.run(of: 1) else { return nil }
            var first = draft.history.observers[place.observer].changes[place.change]
            var second = first
            let set = first.values.filter { $0.value.new != nil }.keys.sorted()
            guard set.count > 1, let key = set.randomElement(using: &draft.random) else { return nil }
            second.values = first.values.filter { $0.key == key }
            first.values.removeValue(forKey: key)
            let changes = [first, second].shuffled(using: &draft.random)
            draft.history.observers[place.observer].changes.replaceSubrange(
                place.change...place.change,
                with: changes
            )
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            if case .unmatched = $0 { true } else { false }
        },
        .observers("two revisions came as one change") { draft in
            guard let place = draft.run(of: 2) else { return nil }
            let observer = draft.history.observers[place.observer]
            var change = observer.changes[place.change]
            change.values.merge(observer.changes[place.change + 1].values) {
                ObservedValues(old: $0.old, new: $1.new)
            }
            draft.history.observers[place.observer].changes.replaceSubrange(
                place.change...place.change + 1,
                with: [change]
            )
            return observer.name
        } isFoundAs: {
            if case .covered = $0 { true } else { false }
        },
        .observers("an observer went back to the state before a change") { draft in
            guard let place = draft.run(of: 1) else { return nil }
            var change = draft.history.observers[place.observer].changes[place.change]
            change.values = change.values.mapValues { ObservedValues(old: $0.new, new: $0.old) }
            draft.history.observers[place.observer].changes.insert(change, at: place.change + 1)
            return draft.history.observers[place.observer].name
        } isFoundAs: {
            switch $0 {
            case .unmatched, .wentBack, .missed: true
            default: false
            }
        },
        .observers("an observer began with a key too many") { draft in
            guard let observer = draft.observer(.direct) else { return nil }
            draft.history.observers[observer].start["stray"] = "1"
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .wrongStart = $0 { true } else { false }
        },
        .observers("the final table lacks a key") { draft in
            guard let observer = draft.history.observers.indices.randomElement(using: &draft.random),
                let key = draft.index.final.keys.sorted().randomElement(using: &draft.random)
            else { return nil }
            draft.history.observers[observer].final?.removeValue(forKey: key)
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .wrongFinal = $0 { true } else { false }
        },
        .observers("the final table has an older value") { draft in
            guard let observer = draft.history.observers.indices.randomElement(using: &draft.random),
                let key = draft.index.final.keys.sorted().randomElement(using: &draft.random)
            else { return nil }
            draft.history.observers[observer].final?[key] = "\"older\""
            return draft.history.observers[observer].name
        } isFoundAs: {
            if case .wrongFinal = $0 { true } else { false }
        },
    ]
}
