/// A call with a condition that was applied to a wrong state.
enum CompareFailure: HistoryFailure, Equatable {
    /// A compare-and-set replaced another value than the expected one.
    case wrongExpectation(call: String, key: String, expected: String?, found: String?, revision: Int64)
    /// A revision added something else to a counter than its increments.
    case wrongStep(key: String, from: String?, to: String?, calls: [String], revision: Int64)
    /// An increment told its caller another value than it wrote.
    case wrongResult(call: String, key: String, result: String, wrote: String?, revision: Int64)
    /// A counter does not have the value that the number of its increments makes.
    case wrongTotal(key: String, start: Int64, increments: Int, final: String?)

    var description: String {
        switch self {
        case .wrongExpectation(let call, let key, let expected, let found, let revision):
            "Call \(call) expected \(String(shown: expected)) for \(key), but was applied in revision \(revision) on "
                + "\(String(shown: found))."
        case .wrongStep(let key, let from, let to, let calls, let revision):
            "Revision \(revision) changed the counter \(key) from \(String(shown: from)) to \(String(shown: to)) with "
                + (calls.isEmpty ? "no increment." : "the increments \(calls.joined(separator: ", ")).")
        case .wrongResult(let call, let key, let result, let wrote, let revision):
            "Call \(call) returned \(result) for \(key), but wrote \(String(shown: wrote)) in revision \(revision)."
        case .wrongTotal(let key, let start, let increments, let final):
            "The counter \(key) began with \(start) and was incremented \(increments) times, but ends with "
                + "\(String(shown: final))."
        }
    }
}

/// Compares calls with a condition with the states to which they were applied.
struct CompareCheck: Sendable {
    private let placement: CallPlacement
    private let index: TruthIndex

    /// Prepares the check.
    init(_ placement: CallPlacement, in index: TruthIndex) {
        (self.placement, self.index) = (placement, index)
    }

    /// Finds compare-and-sets that were applied where their key had another value than the expected one.
    func compareAndSetFailures() -> [CompareFailure] {
        zip(placement.calls, placement.places).compactMap { call, place in
            guard case .compareAndSet(let key, let expected, _) = call.kind, case .once(let position) = place else {
                return nil
            }
            let found = index.value(of: key, at: position - 1)
            guard found != expected else { return nil }
            return .wrongExpectation(
                call: call.id,
                key: key,
                expected: expected,
                found: found,
                revision: index.revision(at: position)
            )
        }
    }

    /// Finds increments that wrote anything but the successor, and counters with a wrong total.
    func incrementFailures(allowsForeignWrites: Bool = false) -> [CompareFailure] {
        Set(placement.calls.compactMap(\.kind.counter)).sorted().flatMap { key in
            counterFailures(of: key, allowsForeignWrites: allowsForeignWrites)
        }
    }

    private func counterFailures(of key: String, allowsForeignWrites: Bool) -> [CompareFailure] {
        var failures: [CompareFailure] = []
        var total = 0
        // A total means something only while nothing but traced increments changes the counter.
        var hasTotal = !allowsForeignWrites && placement.untraceableIncrements(of: key) == 0
        var rest = placement.untraceableIncrements(of: key)
        for position in writes(of: key) {
            let calls = placement.calls(at: position)
            let (from, to) = (index.value(of: key, at: position - 1), index.value(of: key, at: position))
            let isReplaced = calls.contains { $0.kind.counter == nil && $0.writes(key) }
            guard !isReplaced, !placement.isHiddenWrite(to, of: key) else {
                hasTotal = false
                continue
            }
            let increments = calls.filter { $0.kind.counter == key }
            var step = increments.count
            if step == 0 {
                guard !allowsForeignWrites else { continue }
                if rest > 0 { (step, rest) = (1, rest - 1) }
            }
            total += step
            if step == 0 || Int64(to ?? "") != Self.number(from) + Int64(step) {
                failures.append(
                    .wrongStep(
                        key: key,
                        from: from,
                        to: to,
                        calls: increments.map(\.id),
                        revision: index.revision(at: position)
                    )
                )
            }
            for call in increments {
                guard call.outcome == .acknowledged, increments.count == 1, let result = call.result, result != to
                else {
                    continue
                }
                failures.append(
                    .wrongResult(
                        call: call.id,
                        key: key,
                        result: result,
                        wrote: to,
                        revision: index.revision(at: position)
                    )
                )
            }
        }
        let (start, final) = (Self.number(index.value(of: key, at: 0)), index.final[key])
        if hasTotal, Self.number(final) != start + Int64(total) {
            failures.append(.wrongTotal(key: key, start: start, increments: total, final: final))
        }
        return failures
    }

    /// The positions whose revisions wrote the counter, also where that changed nothing, as after a lost increment.
    private func writes(of key: String) -> [Int] {
        let increments = zip(placement.calls, placement.places).filter { $0.0.kind.counter == key }
        return Set(index.positions(changing: key) + increments.flatMap { $0.1.positions }).sorted()
    }

    private static func number(_ value: String?) -> Int64 { value.flatMap { Int64($0) } ?? 0 }
}

extension RecordedCall {
    /// Whether the call sets or removes a key, apart from its tag and from an increment.
    fileprivate func writes(_ key: String) -> Bool { kind.changes[key] != nil || (kind.removesAll && tag != key) }
}
