/// The revisions that contain the calls of a history.
struct CallPlacement: Sendable {
    /// Where the truth shows a call.
    enum Place: Equatable {
        /// It has no tag and writes no value of its own, so that nothing shows where it is.
        case untraceable
        /// No revision has anything of it.
        case absent
        /// One revision has something of it.
        case once(Int)
        /// Several revisions wrote the same key with its value.
        case repeated([Int])
        /// Several revisions wrote different keys of it.
        case scattered([Int])
    }

    let calls: [RecordedCall]
    /// The places of the calls.
    let places: [Place]
    private let callsAtPosition: [Int: [RecordedCall]]
    /// Accepted calls that the truth may have without a trace: those without one, and those that were replaced unsent.
    private var hidden: [RecordedCall] = []
    private let callsOfStore: [String: [RecordedCall]]
    private let modes: [String: StoreMode]
    private let index: TruthIndex

    /// Looks for all calls of a history.
    init(_ history: RecordedHistory, in index: TruthIndex) {
        calls = history.calls
        modes = history.stores
        self.index = index
        let counters = Set(calls.compactMap(\.kind.counter))
        places = calls.map { Self.place(of: $0, in: index, counters) }
        var callsAtPosition: [Int: [RecordedCall]] = [:]
        for (call, place) in zip(calls, places) {
            for position in place.positions { callsAtPosition[position, default: []].append(call) }
        }
        self.callsAtPosition = callsAtPosition
        callsOfStore = Dictionary(grouping: calls, by: \.store)
        hidden = zip(calls, places).filter { call, place in
            call.outcome.mayHaveHappened && (place == .untraceable || place == .absent && isReplacedUnsent(call))
        }.map(\.0)
    }

    private static func place(of call: RecordedCall, in index: TruthIndex, _ counters: Set<String>) -> Place {
        var all: Set<Int> = []
        var repeated: Set<Int> = []
        var isTraceable = call.tag != nil
        func add(_ positions: [Int]) {
            all.formUnion(positions)
            if positions.count > 1 { repeated.formUnion(positions) }
        }
        if let tag = call.tag { add(index.positions(putting: tag)) }
        for case (let key, let value?) in call.kind.changes {
            // An increment can write the value again, so that the tag is the better evidence.
            if call.tag != nil, counters.contains(key) { continue }
            isTraceable = true
            add(index.positions(writing: Entry(key: key, value: value)))
        }
        // A counter may have the same value twice, after a removal, so that its tag is the better evidence.
        if call.tag == nil, let key = call.kind.counter, let result = call.result {
            isTraceable = true
            add(index.positions(writing: Entry(key: key, value: result)))
        }
        guard isTraceable else { return .untraceable }
        guard let first = all.first else { return .absent }
        if all.count == 1 { return .once(first) }
        return repeated.isEmpty ? .scattered(all.sorted()) : .repeated(repeated.sorted())
    }

    /// The calls of which the revision at a position has something.
    func calls(at position: Int) -> [RecordedCall] { callsAtPosition[position] ?? [] }

    /// The calls that leave no trace and may have incremented a counter.
    func untraceableIncrements(of key: String) -> Int { hidden.count { $0.kind.counter == key } }

    /// Whether a call that leaves no trace may have written a value to a key, other than by an increment.
    func isHiddenWrite(_ value: String?, of key: String) -> Bool {
        hidden.contains { $0.kind.counter == nil && $0.explains(value, of: key) }
    }

    /// Whether a recorded call wrote a value to a key in the revision at a position.
    func explains(_ value: String?, of key: String, at position: Int) -> Bool {
        calls(at: position).contains { $0.explains(value, of: key) }
            || hidden.contains { $0.explains(value, of: key) }
    }

    /// The keys of a call that the revision at a position does not have as the call wrote them.
    ///
    /// A background store sends several calls in one revision, where a later call replaces values of an earlier one.
    func missingKeys(of call: RecordedCall, at position: Int) -> [String] {
        let events = index.events(at: position)
        var others: [RecordedCall] = []
        if mode(of: call) == .background {
            // A hidden call that was invoked after this one had returned cannot be in the same revision.
            let together = hidden.filter { call.outcome != .acknowledged || !call.precedes($0) }
            others = (calls(at: position) + together).filter {
                $0.id != call.id && $0.store == call.store && !$0.precedes(call)
            }
        }
        func isWritten(_ value: String?, _ key: String) -> Bool {
            // A removal of a missing key leaves no event.
            guard let event = events[key] ?? (index.value(of: key, at: position) == nil ? .some(nil) : nil) else {
                return false
            }
            return event == value || others.contains { $0.explains(event, of: key) }
        }
        var missing = call.kind.changes.filter { !isWritten($0.value, $0.key) }.map(\.key)
        if let tag = call.tag, events[tag].flatMap(\.self) == nil { missing.append(tag) }
        if let counter = call.kind.counter, events[counter].flatMap(\.self) == nil { missing.append(counter) }
        if call.kind.removesAll {
            let kept = Set(call.kind.changes.keys).union([call.tag].compactMap(\.self))
            missing += index.keys(at: position - 1).filter { !kept.contains($0) && !isWritten(nil, $0) }
        }
        return missing.sorted()
    }

    /// Whether other calls of a background store replaced everything that a call wrote before it was sent.
    func isReplacedUnsent(_ call: RecordedCall) -> Bool {
        guard mode(of: call) == .background else { return false }
        var rest = Set(call.kind.changes.filter { $0.value != nil }.keys)
        if let tag = call.tag { rest.insert(tag) }
        for other in callsOfStore[call.store] ?? []
        where other.id != call.id && other.invoked >= call.invoked && !call.precedes(other)
            && other.outcome.mayHaveHappened
        {
            if other.kind.removesAll { return true }
            rest.subtract(other.kind.changes.keys)
        }
        return rest.isEmpty
    }

    private func mode(of call: RecordedCall) -> StoreMode { modes[call.store] ?? .direct }
}

extension CallPlacement.Place {
    /// All positions at which the truth has something of the call.
    var positions: [Int] {
        switch self {
        case .untraceable, .absent: []
        case .once(let position): [position]
        case .repeated(let positions), .scattered(let positions): positions
        }
    }
}

extension CallOutcome {
    /// Whether the call was not refused.
    var mayHaveHappened: Bool {
        guard case .refused = self else { return true }
        return false
    }
}
