internal import KeyspanCore

/// An observer that remembers what it heard, and whether two calls to it ever overlapped.
final class ChangeRecorder: Sendable {
    private struct State {
        var changes: [PropertyListChange] = []
        var callsInProgress = 0
        var overlapped = false
    }

    private let state = Locked(State())

    var changes: [PropertyListChange] { state.withLock(\.changes) }

    var overlapped: Bool { state.withLock(\.overlapped) }

    /// The new values of one key, in the order in which they were heard.
    func values(of key: String) -> [PropertyListValue?] {
        changes.compactMap { $0[key] }.map(\.new)
    }

    func receive(_ change: PropertyListChange) {
        state.withLock { state in
            state.callsInProgress += 1
            state.overlapped = state.overlapped || state.callsInProgress > 1
        }
        state.withLock { state in
            state.changes.append(change)
            state.callsInProgress -= 1
        }
    }
}
