import KeyspanTesting
import Testing

/// A way to make a correct history wrong, with the failure that a check has to find then.
struct HistoryMutation: Sendable, CustomTestStringConvertible {
    /// What the mutation has to work with.
    struct Draft {
        var history: RecordedHistory
        var random: SeededGenerator
        let index: TruthIndex
        let placement: CallPlacement

        /// Prepares the mutation of a history.
        init(_ history: RecordedHistory, seed: UInt64) {
            self.history = history
            random = SeededGenerator(seed: seed)
            index = TruthIndex(history.truth)
            placement = CallPlacement(history, in: index)
        }
    }

    /// What is wrong with a mutated history.
    let name: String
    /// Changes the history, and names the call, observer, reader or key that is wrong then; `nil` if the history has nothing
    /// to change.
    let apply: @Sendable (inout Draft) -> String?
    /// Whether this is the failure that the mutation causes.
    let isExpected: @Sendable (any HistoryFailure) -> Bool

    var testDescription: String { name }

    /// Makes a mutation that a check of calls finds.
    static func calls(
        _ name: String,
        _ apply: @escaping @Sendable (inout Draft) -> String?,
        isFoundAs isExpected: @escaping @Sendable (CallFailure) -> Bool
    ) -> Self {
        Self(name: name, apply: apply) { ($0 as? CallFailure).map(isExpected) ?? false }
    }

    /// Makes a mutation that a check of conditions finds.
    static func compares(
        _ name: String,
        _ apply: @escaping @Sendable (inout Draft) -> String?,
        isFoundAs isExpected: @escaping @Sendable (CompareFailure) -> Bool
    ) -> Self {
        Self(name: name, apply: apply) { ($0 as? CompareFailure).map(isExpected) ?? false }
    }

    /// Makes a mutation that a check of observers finds.
    static func observers(
        _ name: String,
        _ apply: @escaping @Sendable (inout Draft) -> String?,
        isFoundAs isExpected: @escaping @Sendable (ObserverFailure) -> Bool
    ) -> Self {
        Self(name: name, apply: apply) { ($0 as? ObserverFailure).map(isExpected) ?? false }
    }

    /// Makes a mutation that a check of reads finds.
    static func reads(
        _ name: String,
        _ apply: @escaping @Sendable (inout Draft) -> String?,
        isFoundAs isExpected: @escaping @Sendable (ReadFailure) -> Bool
    ) -> Self {
        Self(name: name, apply: apply) { ($0 as? ReadFailure).map(isExpected) ?? false }
    }
}

extension HistoryMutation.Draft {
    /// A random call that one revision contains and that satisfies the condition.
    mutating func placedCall(where condition: (RecordedCall, Int) -> Bool) -> (index: Int, position: Int)? {
        placement.places.enumerated().compactMap { number, place -> (index: Int, position: Int)? in
            guard case .once(let position) = place, condition(history.calls[number], position) else { return nil }
            return (number, position)
        }.randomElement(using: &random)
    }

    /// A random call with one of two outcomes that is alone in its revision.
    mutating func loneCall(_ outcome: CallOutcome) -> (index: Int, position: Int)? {
        let placement = placement
        return placedCall { call, position in
            call.outcome == outcome && placement.calls(at: position).count == 1 && !placement.isReplacedUnsent(call)
        }
    }

    /// Inserts a revision, with a number that no other one has, before the one at a position or after the last one.
    mutating func insert(_ events: [String: String?], before position: Int) {
        let number =
            position > index.lastPosition
            ? index.revision(at: index.lastPosition) + 1 : index.revision(at: position) - 1
        history.truth.revisions.insert(ClusterRevision(revision: number, events: events), at: position - 1)
    }

    /// Inserts what the revision at a position wrote once more, somewhere later.
    mutating func repeatRevision(at position: Int, where isRepeated: (String) -> Bool = { _ in true }) {
        let later = Int.random(in: position + 1...index.lastPosition + 1, using: &random)
        insert(index.events(at: position).filter { isRepeated($0.key) }, before: later)
    }

    /// A key that the revision at a position wrote just as the call did, and no other call can have written.
    mutating func ownKey(of call: Int, at position: Int, isSet: Bool) -> String? {
        let (placement, id) = (placement, history.calls[call].id)
        let changes = history.calls[call].kind.changes
        let counters = Set(history.calls.compactMap(\.kind.counter))
        return index.events(at: position).filter { key, value in
            // Values of counters are not unique, and their tags alone show where they were written.
            guard let change = changes[key], change == value, !isSet || value != nil, !counters.contains(key) else {
                return false
            }
            return !placement.calls(at: position).contains { $0.id != id && $0.kind.changes[key] != nil }
        }.keys.sorted().randomElement(using: &random)
    }

    /// A random observer of a store in a mode, of whose changes the test may not say that they cover several revisions.
    mutating func observer(_ mode: StoreMode, where condition: (RecordedObserver) -> Bool = { _ in true }) -> Int? {
        history.observers.indices.filter {
            let observer = history.observers[$0]
            return history.mode(of: observer.store) == mode && observer.allowedJumps == 0 && condition(observer)
        }.randomElement(using: &random)
    }

    /// A random place in the changes of an observer where that many follow of which each is one revision.
    mutating func run(of count: Int) -> (observer: Int, change: Int)? {
        func starts(_ observer: RecordedObserver) -> [Int] {
            guard observer.changes.count >= count else { return [] }
            return (0...observer.changes.count - count).filter { start in
                observer.changes[start..<start + count].allSatisfy { !$0.listsAnew }
            }
        }
        guard let observer = observer(.direct, where: { !starts($0).isEmpty }),
            let start = starts(history.observers[observer]).randomElement(using: &random)
        else { return nil }
        return (observer, start)
    }

    /// A random reader of a store in a mode.
    mutating func reader(_ mode: StoreMode, where condition: (RecordedReader) -> Bool = { _ in true }) -> Int? {
        history.readers.indices.filter {
            history.mode(of: history.readers[$0].store) == mode && condition(history.readers[$0])
        }.randomElement(using: &random)
    }

    /// A time after everything that was recorded.
    var end: UInt64 {
        let calls = history.calls.map { max($0.invoked, $0.returned ?? 0) }
        let reads = history.readers.flatMap { $0.reads.map(\.ended) }
        return 1 + (calls + reads + history.observers.flatMap { $0.changes.map(\.time) }).reduce(0, max)
    }
}
