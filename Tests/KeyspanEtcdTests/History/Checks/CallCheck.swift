/// A call that the truth does not have as its client was told.
enum CallFailure: HistoryFailure, Equatable {
    /// Two calls have one name.
    case duplicateID(call: String)
    /// The truth has nothing of an acknowledged call.
    case lost(call: String)
    /// The truth has a call more than once.
    case doubled(call: String, revisions: [Int64])
    /// The truth has only parts of a call in one revision.
    case torn(call: String, revisions: [Int64], missingKeys: [String])
    /// The truth has a call that was refused.
    case refusedHappened(call: String, revisions: [Int64])
    /// A call was acknowledged that never returned, which only an error of the test can record.
    case acknowledgedWithoutReturn(call: String)
    /// The truth has a call before one that had returned when it was invoked.
    case outOfOrder(first: String, revision: Int64, second: String, secondRevision: Int64)
    /// The truth has a write that no recorded call made.
    case unexplained(key: String, value: String?, revision: Int64)

    var description: String {
        switch self {
        case .duplicateID(let call): "Two calls have the name \(call)."
        case .lost(let call): "Call \(call) was acknowledged, but no revision has anything of it."
        case .doubled(let call, let revisions): "Call \(call) happened more than once, in \(String(shown: revisions))."
        case .torn(let call, let revisions, let keys):
            keys.isEmpty
                ? "Call \(call) is torn: its keys are scattered over \(String(shown: revisions))."
                : "Call \(call) is torn: \(String(shown: revisions)) lacks its \(keys.joined(separator: ", "))."
        case .refusedHappened(let call, let revisions):
            "Call \(call) was refused, but \(String(shown: revisions)) has something of it."
        case .acknowledgedWithoutReturn(let call): "Call \(call) was acknowledged, but has no time of return."
        case .outOfOrder(let first, let revision, let second, let secondRevision):
            "Call \(first) of revision \(revision) had returned before call \(second) was invoked, "
                + "but that is in revision \(secondRevision)."
        case .unexplained(let key, let value, let revision):
            "No recorded call wrote \(String(shown: value)) to \(key), as revision \(revision) does."
        }
    }
}

/// Compares the calls with the truth.
struct CallCheck: Sendable {
    private let placement: CallPlacement
    private let index: TruthIndex

    /// Prepares the check.
    init(_ placement: CallPlacement, in index: TruthIndex) {
        (self.placement, self.index) = (placement, index)
    }

    /// Finds acknowledged calls that the truth does not have exactly once and whole.
    func acknowledgedFailures() -> [CallFailure] {
        var ids: Set<String> = []
        var failures: [CallFailure] = []
        for (call, place) in zip(placement.calls, placement.places) {
            if !ids.insert(call.id).inserted { failures.append(.duplicateID(call: call.id)) }
            guard call.outcome == .acknowledged else { continue }
            if call.returned == nil { failures.append(.acknowledgedWithoutReturn(call: call.id)) }
            if place == .absent, !placement.isReplacedUnsent(call) { failures.append(.lost(call: call.id)) }
            if let failure = partialFailure(of: call, at: place) { failures.append(failure) }
        }
        return failures
    }

    /// Finds unknown calls that the truth has more than once or in parts, and refused ones that it has at all.
    func unacknowledgedFailures() -> [CallFailure] {
        zip(placement.calls, placement.places).compactMap { call, place in
            switch call.outcome {
            case .acknowledged: nil
            case .unknown: partialFailure(of: call, at: place)
            case .refused:
                place.positions.isEmpty
                    ? nil : .refusedHappened(call: call.id, revisions: index.revisions(at: place.positions))
            }
        }
    }

    /// Finds calls whose revisions contradict the times at which they ran.
    ///
    /// For each call it is enough to look at the highest revision among the acknowledged calls that returned before it.
    func orderFailures() -> [CallFailure] {
        let placed = zip(placement.calls, placement.places).compactMap { call, place -> (RecordedCall, Int)? in
            guard case .once(let position) = place else { return nil }
            return (call, position)
        }
        let returned =
            placed.filter { $0.0.outcome == .acknowledged && $0.0.returned != nil }
            .sorted { ($0.0.returned ?? 0) < ($1.0.returned ?? 0) }
        var next = 0
        var highest: (call: RecordedCall, position: Int)?
        var failures: [CallFailure] = []
        for (call, position) in placed.sorted(by: { $0.0.invoked < $1.0.invoked }) where call.outcome.mayHaveHappened {
            while next < returned.count, returned[next].0.precedes(call) {
                if returned[next].1 > highest?.position ?? -1 { highest = returned[next] }
                next += 1
            }
            guard let highest, highest.position >= position, highest.call.id != call.id else { continue }
            failures.append(
                .outOfOrder(
                    first: highest.call.id,
                    revision: index.revision(at: highest.position),
                    second: call.id,
                    secondRevision: index.revision(at: position)
                )
            )
        }
        return failures
    }

    /// Finds writes in the truth that no recorded call made, such as a removal that nobody asked for.
    func unexplainedFailures() -> [CallFailure] {
        var failures: [CallFailure] = []
        for (offset, revision) in index.truth.revisions.enumerated() {
            for (key, value) in revision.events.sorted(by: { $0.key < $1.key })
            where !placement.explains(value, of: key, at: offset + 1) {
                failures.append(.unexplained(key: key, value: value, revision: revision.revision))
            }
        }
        return failures
    }

    private func partialFailure(of call: RecordedCall, at place: CallPlacement.Place) -> CallFailure? {
        switch place {
        case .untraceable, .absent: return nil
        case .repeated(let positions): return .doubled(call: call.id, revisions: index.revisions(at: positions))
        case .scattered(let positions):
            return .torn(call: call.id, revisions: index.revisions(at: positions), missingKeys: [])
        case .once(let position):
            let keys = placement.missingKeys(of: call, at: position)
            guard !keys.isEmpty else { return nil }
            return .torn(call: call.id, revisions: [index.revision(at: position)], missingKeys: keys)
        }
    }
}
