import KeyspanCore

/// The calls of a store to its `UserDefaults`, for each of which the system posts one notification of a change of anything.
///
/// The notification comes during the call or later. So of those that come during a call, the second one is about a write of other
/// code, which observed the first. One that comes later is only counted, because it looks like a notification about others.
final class OwnCalls: Sendable {
    /// The author of the write that a notification is about.
    enum Author {
        case own
        /// The store itself, unless the system has posted one notification for several writes.
        case probablyOwn
        case other
    }

    private struct State {
        /// The thread that is in a call; there is one call at a time.
        var thread: ThreadIdentity?
        var heardInCall = 0
        /// The calls of which no notification has come so far.
        var unheard = 0
    }

    private let state = Locked(State())

    /// Makes a call.
    func call(_ body: () -> Void) {
        let thread = ThreadIdentity.current
        state.withLock { ($0.thread, $0.heardInCall) = (thread, 0) }
        body()
        state.withLock { state in
            if state.heardInCall == 0 { state.unheard += 1 }
            state.thread = nil
        }
    }

    /// Whether this thread is in a call.
    var isCalling: Bool { state.withLock { $0.thread == .current } }

    /// Expects no more notifications of earlier calls.
    func forget() {
        state.withLock { $0.unheard = 0 }
    }

    /// The author of the write that the present notification, which is counted by this, is about.
    var author: Author {
        let thread = ThreadIdentity.current
        return state.withLock { state in
            if state.thread == thread {
                state.heardInCall += 1
                return state.heardInCall == 1 ? .own : .other
            }
            guard state.unheard > 0 else { return .other }
            state.unheard -= 1
            return .probablyOwn
        }
    }
}
