/// What a check found wrong, as one sentence with the calls, keys and revisions involved.
protocol HistoryFailure: Error, CustomStringConvertible, Sendable {}

/// All checks of a history.
///
/// Values in failures are those that ``HistoryTable`` prints, so that a person can find the place.
struct HistoryCheck: Sendable {
    /// The truth was read wrongly, so that no check means anything.
    struct UnorderedTruth: HistoryFailure, Equatable {
        let revision: Int64

        var description: String { "Revision \(revision) of the truth is not higher than the one before it." }
    }

    let history: RecordedHistory
    let index: TruthIndex
    let placement: CallPlacement
    /// Whether the truth may have writes of programs that record nothing.
    let allowsForeignWrites: Bool

    /// Prepares the checks of a history.
    init(_ history: RecordedHistory, allowsForeignWrites: Bool = false) {
        self.history = history
        self.allowsForeignWrites = allowsForeignWrites
        index = TruthIndex(history.truth)
        placement = CallPlacement(history, in: index)
    }

    /// Checks that the truth has what the clients were told about their calls.
    func callFailures() -> [CallFailure] {
        let check = CallCheck(placement, in: index)
        return check.acknowledgedFailures() + check.unacknowledgedFailures() + check.orderFailures()
            + (allowsForeignWrites ? [] : check.unexplainedFailures())
    }

    /// Checks that calls with a condition were applied to the right states.
    func compareFailures() -> [CompareFailure] {
        let check = CompareCheck(placement, in: index)
        return check.compareAndSetFailures() + check.incrementFailures(allowsForeignWrites: allowsForeignWrites)
    }

    /// Checks that each observer saw the states of the truth in order, to the end.
    func observerFailures() -> [ObserverFailure] {
        history.observers.flatMap { observer in
            switch history.mode(of: observer.store) {
            case .direct: ObserverCheck(observer, in: index).failures()
            case .background: overlayCheck(of: observer.store).failures(of: observer)
            }
        }
    }

    /// Checks that no reader went back, and that each saw the writes of its store.
    func readFailures() -> [ReadFailure] {
        let check = ReadCheck(placement, in: index)
        return history.readers.flatMap { reader in
            switch history.mode(of: reader.store) {
            case .direct: check.failures(of: reader)
            case .background: overlayCheck(of: reader.store).failures(of: reader)
            }
        }
    }

    /// Runs all checks.
    func failures() -> [any HistoryFailure] {
        if let revision = history.truth.firstUnorderedRevision() { return [UnorderedTruth(revision: revision)] }
        return callFailures() + compareFailures() + observerFailures() + readFailures()
    }

    /// The failures with the history for a comment of a test; `nil` if there are none.
    func report() -> String? {
        let failures = failures()
        guard !failures.isEmpty else { return nil }
        return failures.map { "- \($0)" }.joined(separator: "\n") + "\n\(history)"
    }

    private func overlayCheck(of store: String) -> OverlayCheck {
        OverlayCheck(of: store, placement, in: index)
    }
}

extension String {
    /// A value in a failure.
    init(shown value: String?) {
        self = value ?? "no value"
    }

    /// Revisions in a failure, shortened if there are many.
    init(shown revisions: [Int64]) {
        let shown = revisions.prefix(5).map { "\($0)" }.joined(separator: ", ")
        let word = revisions.count == 1 ? "revision" : "revisions"
        self = revisions.count > 5 ? "\(word) \(shown) and \(revisions.count - 5) more" : "\(word) \(shown)"
    }
}
