/// Compares a history with what the cluster has.
///
/// States have positions: 0 is the empty prefix, and n is the state after the n-th revision.
struct HistoryCheck {
    private struct Entry: Hashable {
        let key: String
        let text: String?
    }

    private let history: History
    private var states: [[String: String]] = [[:]]
    /// The positions whose revisions wrote a text to a key.
    private var writes: [Entry: [Int]] = [:]
    /// The next position with another state.
    private var nextState: [Int: Int] = [:]
    /// The positions that have something of each call, ascending.
    private var places: [[Int]] = []
    private var callsAtPosition: [Int: [History.Call]] = [:]
    /// The accepted calls of which no revision has anything, because their stores replaced all their texts before they were sent.
    private var replaced: [History.Call] = []

    init(_ history: History) {
        self.history = history
        for revision in history.truth {
            var table = states[states.count - 1]
            for (key, text) in revision.events {
                table[key] = text
                writes[Entry(key: key, text: text), default: []].append(states.count)
            }
            states.append(table)
        }
        for position in states.indices.dropLast().reversed() {
            nextState[position] = states[position] != states[position + 1] ? position + 1 : nextState[position + 1]
        }
        for call in history.calls {
            var found: Set<Int> = []
            for (key, text) in call.changes where text != nil {
                found.formUnion(writes[Entry(key: key, text: text)] ?? [])
            }
            places.append(found.sorted())
            for position in found { callsAtPosition[position, default: []].append(call) }
        }
        replaced = zip(history.calls, places).filter { $1.isEmpty && $0.outcome != .refused && isReplaced($0) }.map(\.0)
    }

    /// All that is wrong, each as a sentence.
    var failures: [String] {
        let stores = Set(history.observers.keys).union(history.reads.keys).sorted()
        return callFailures + orderFailures + unexplainedFailures
            + stores.flatMap { store in
                history.background.contains(store)
                    ? overlayFailures(of: store) : observerFailures(of: store) + readFailures(of: store)
            }
            + history.observers.sorted { $0.key < $1.key }.compactMap { store, observer in
                guard let final = observer.final, final != states.last else { return nil }
                return "\(store) has \(difference(of: final, from: states[states.count - 1])) in the end"
            }
    }

    private func revision(_ position: Int) -> Int64 { position == 0 ? 0 : history.truth[position - 1].number }

    private func revisions(_ positions: [Int]) -> String {
        positions.prefix(5).map { "\(revision($0))" }.joined(separator: ", ")
    }

    private func difference(of table: [String: String], from other: [String: String]) -> String {
        let keys = Set(table.keys).union(other.keys).filter { table[$0] != other[$0] }.sorted()
        return keys.map { "\(table[$0] ?? "nothing") for \($0) instead of \(other[$0] ?? "nothing")" }
            .joined(separator: ", ")
    }
}

// MARK: - Calls

extension HistoryCheck {
    /// Acknowledged calls must be there once and whole, unknown ones so or not at all, and refused ones not at all.
    ///
    /// The values that a batch expects must have been there right before.
    private var callFailures: [String] {
        zip(history.calls, places).flatMap { call, place -> [String] in
            guard let first = place.first else {
                guard call.outcome == .acknowledged, !isReplaced(call) else { return [] }
                return ["\(call.name) was acknowledged, but no revision has it"]
            }
            if call.outcome == .refused { return ["\(call.name) was refused, but happened in \(revisions(place))"] }
            let isRepeated = call.changes.contains { $1 != nil && (writes[Entry(key: $0, text: $1)] ?? []).count > 1 }
            if isRepeated { return ["\(call.name) happened more than once, in \(revisions(place))"] }
            if place.count > 1 { return ["\(call.name) is scattered over \(revisions(place))"] }
            let missing = missingKeys(of: call, at: first)
            if !missing.isEmpty {
                return ["\(call.name) is torn: \(revision(first)) lacks its \(missing.joined(separator: ", "))"]
            }
            return call.expected.sorted { $0.key < $1.key }.compactMap { key, text in
                let found = states[first - 1][key]
                guard found != text else { return nil }
                let values = "\(text ?? "nothing") for \(key), but \(revision(first)) replaced \(found ?? "nothing")"
                return "\(call.name) expected \(values)"
            }
        }
    }

    /// A call that had returned before another one was made comes before it, if it was acknowledged; on the same store also if its outcome
    /// was unknown, because a store sends one transaction after the other.
    private var orderFailures: [String] {
        let placed = zip(history.calls, places).filter { $0.outcome != .refused && !$1.isEmpty }
        return placed.flatMap { later, place in
            placed.compactMap { earlier, earlierPlace in
                guard earlier.ended < later.began, earlier.outcome == .acknowledged || earlier.store == later.store,
                    earlierPlace[0] >= place[0]
                else { return nil }
                let (first, second) = (revision(earlierPlace[0]), revision(place[0]))
                return "\(earlier.name) of \(first) had returned before \(later.name), which is of \(second)"
            }
        }
    }

    /// Each event of the cluster must be of a call.
    private var unexplainedFailures: [String] {
        states.indices.dropFirst().flatMap { position in
            history.truth[position - 1].events.sorted { $0.key < $1.key }.compactMap { key, text in
                let isExplained = ((callsAtPosition[position] ?? []) + replaced).contains { $0.explains(text, of: key) }
                return isExplained ? nil : "no call wrote \(text ?? "nothing") to \(key), as \(revision(position)) did"
            }
        }
    }

    /// The keys of a call that a revision does not have as the call wrote them.
    ///
    /// A store sends several calls of the background in one revision, where a later call replaces texts of an earlier one.
    private func missingKeys(of call: History.Call, at position: Int) -> [String] {
        let events = history.truth[position - 1].events
        let others =
            !isSentInBackground(call)
            ? []
            : ((callsAtPosition[position] ?? []) + replaced).filter { other in
                other.name != call.name && other.store == call.store && other.ended > call.began
                    && call.ended > other.began
            }
        func isWritten(_ text: String?, _ key: String) -> Bool {
            // The removal of a missing key leaves no event.
            guard let event = events[key] else {
                return states[position][key] == nil
                    && (text == nil || others.contains { $0.explains(nil, of: key) })
            }
            return event == text || others.contains { $0.explains(event, of: key) }
        }
        var missing = call.changes.filter { !isWritten($1, $0) }.map(\.key)
        if call.removesAll {
            missing += states[position - 1].keys.filter { call.changes[$0] == nil && !isWritten(nil, $0) }
        }
        return missing.sorted()
    }

    private func isSentInBackground(_ call: History.Call) -> Bool {
        history.background.contains(call.store) && call.expected.isEmpty
    }

    /// Whether other calls of a store replaced all texts of a call before it was sent.
    private func isReplaced(_ call: History.Call) -> Bool {
        guard isSentInBackground(call) else { return false }
        var rest = Set(call.changes.filter { $1 != nil }.keys)
        for other in history.calls
        where other.name != call.name && other.store == call.store && other.outcome != .refused
            && isSentInBackground(other)
            && other.ended > call.began && call.ended > other.began
        {
            if other.removesAll { return true }
            rest.subtract(other.changes.keys)
        }
        return rest.isEmpty
    }
}

extension History.Call {
    /// Whether the call writes this text to a key; `nil` for a removal.
    fileprivate func explains(_ text: String?, of key: String) -> Bool {
        changes[key].map { $0 == text } ?? (removesAll && text == nil)
    }
}

// MARK: - Stores that show states of the cluster

extension HistoryCheck {
    /// An observer must see each state of the cluster, in their order and to the last, unless it may jump.
    ///
    /// A table can be the state after several revisions, so that the check keeps all positions at which the observer can be, each with the
    /// least number of jumps that lead there.
    private func observerFailures(of store: String) -> [String] {
        guard let observer = history.observers[store] else { return [] }
        var table = observer.start
        var jumps = Dictionary(uniqueKeysWithValues: states.indices.filter { states[$0] == table }.map { ($0, 0) })
        if jumps.isEmpty { return ["the observer of \(store) began with a state that the cluster never had"] }
        for (number, change) in observer.changes.enumerated() {
            let before = table
            if let failure = replay(change, number, of: store, on: &table) { return [failure] }
            if table == before { continue }
            var next: [Int: Int] = [:]
            for (position, count) in jumps {
                if let following = nextState[position], states[following] == table {
                    next[following] = min(next[following] ?? .max, count)
                }
                guard count < observer.jumps else { continue }
                for target in states.indices where target > position && states[target] == table {
                    next[target] = min(next[target] ?? .max, count + 1)
                }
            }
            if next.isEmpty {
                let last = jumps.keys.max() ?? 0
                let way =
                    states[last...].contains(table)
                    ? "skips states"
                    : states.contains(table) ? "goes back" : "leads to a state that the cluster never had"
                return ["change \(number) of \(store) \(way), after revision \(revision(last))"]
            }
            jumps = next
        }
        let last = jumps.keys.max() ?? 0
        return nextState[last].map { ["the observer of \(store) never saw revision \(revision($0))"] } ?? []
    }

    /// Applies a change to what an observer saw before.
    private func replay(
        _ change: History.Change,
        _ number: Int,
        of store: String,
        on table: inout [String: String]
    ) -> String? {
        for (key, value) in change.values.sorted(by: { $0.key < $1.key }) {
            if table[key] != value.old {
                let values =
                    "\(value.old ?? "nothing") as the old value of \(key), which was \(table[key] ?? "nothing")"
                return "change \(number) of \(store) has \(values)"
            }
            table[key] = value.new
        }
        return nil
    }

    /// A read must return a state that is neither before that of the read before it nor before an acknowledged call of its store.
    private func readFailures(of store: String) -> [String] {
        var floor = 0
        for (number, read) in (history.reads[store] ?? []).enumerated() {
            let table = read.values.compactMapValues(\.self)
            func position(from first: Int) -> Int? {
                states.indices.dropFirst(first).first { position in
                    read.isWhole
                        ? states[position] == table
                        : read.values.allSatisfy { states[position][$0.key] == $0.value }
                }
            }
            let own = zip(history.calls, places).filter { call, place in
                call.store == store && call.outcome == .acknowledged && call.ended < read.began && !place.isEmpty
            }.max { $0.1[0] < $1.1[0] }
            if let position = position(from: max(floor, own?.1[0] ?? 0)) {
                floor = position
                continue
            }
            let what = "read \(number) of \(store)"
            if position(from: 0) == nil { return ["\(what) returned what the cluster never had"] }
            if let own, position(from: floor) != nil {
                return ["\(what) lacks \(own.0.name), which had returned before"]
            }
            return ["\(what) went back before revision \(revision(floor))"]
        }
        return []
    }
}

// MARK: - Stores that show their unsent writes

extension HistoryCheck {
    /// For each key, the values of other clients must come in the order of the cluster, and an own value not again once a later one of
    /// another client was seen.
    private func overlayFailures(of store: String) -> [String] {
        let own = history.calls.filter { $0.store == store }
        var failures: [String] = []
        var floors: [String: Int] = [:]
        /// Takes note of a value, and returns what is wrong with it.
        func problem(_ text: String?, of key: String) -> String? {
            func position(from first: Int) -> Int? {
                states.indices.dropFirst(first).first { states[$0][key] == text }
            }
            let floor = floors[key] ?? 0
            let found = position(from: floor)
            let isKnown = position(from: 0) != nil
            let back = "goes back to \(text ?? "nothing") for \(key), after revision \(revision(floor))"
            if own.contains(where: { $0.explains(text, of: key) }) {
                // An own value that the cluster never had was refused or replaced; for a moment it was shown.
                return text != nil && found == nil && isKnown ? back : nil
            }
            if let found {
                floors[key] = found
                return nil
            }
            return isKnown ? back : "has \(text ?? "nothing") for \(key), which nobody wrote"
        }
        if let observer = history.observers[store] {
            var table = observer.start
            changes: for (number, change) in observer.changes.enumerated() {
                if let failure = replay(change, number, of: store, on: &table) {
                    failures.append(failure)
                    break
                }
                for (key, value) in change.values.sorted(by: { $0.key < $1.key }) {
                    guard let problem = problem(value.new, of: key) else { continue }
                    failures.append("change \(number) of \(store) \(problem)")
                    break changes
                }
            }
            if failures.isEmpty, let final = states.last, table != final {
                failures.append("the observer of \(store) has \(difference(of: table, from: final)) in the end")
            }
        }
        floors = [:]
        var last: [String: String] = [:]
        for (number, read) in (history.reads[store] ?? []).enumerated() {
            var seen = read.values
            for key in last.keys where read.isWhole && seen[key] == nil { seen.updateValue(nil, forKey: key) }
            for (key, text) in seen.sorted(by: { $0.key < $1.key }) where last[key] != text {
                last[key] = text
                if let problem = problem(text, of: key) { return failures + ["read \(number) of \(store) \(problem)"] }
            }
        }
        return failures
    }
}
