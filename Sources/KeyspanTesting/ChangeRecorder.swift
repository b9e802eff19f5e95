internal import KeyspanCore

/// An observer that remembers its calls: what was in them, on which threads they came, and whether two ever overlapped.
final class ChangeRecorder: Sendable {
    private struct State {
        var changes: [PropertyListChange] = []
        var threads: [ThreadIdentity] = []
        var callsInProgress = 0
        var overlapped = false
    }

    private let state = Locked(State())

    var changes: [PropertyListChange] { state.withLock(\.changes) }

    /// The thread of each call.
    var threads: [ThreadIdentity] { state.withLock(\.threads) }

    var overlapped: Bool { state.withLock(\.overlapped) }

    /// The new values of one key, in the order in which they were heard.
    func values(of key: String) -> [PropertyListValue?] {
        changes.compactMap { $0[key] }.map(\.new)
    }

    func receive(_ change: PropertyListChange) {
        receive(change) {}
    }

    /// Records a call, which lasts as long as the body runs.
    func receive(_ change: PropertyListChange, during body: () -> Void) {
        state.withLock { state in
            state.callsInProgress += 1
            state.overlapped = state.overlapped || state.callsInProgress > 1
            state.changes.append(change)
            state.threads.append(.current)
        }
        body()
        state.withLock { $0.callsInProgress -= 1 }
    }
}
