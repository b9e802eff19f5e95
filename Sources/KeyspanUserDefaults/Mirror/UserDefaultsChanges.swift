import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// Notifications of changes of a `UserDefaults`, by anyone.
protocol UserDefaultsChanges: Sendable {
    /// Begins to notify.
    ///
    /// - Parameter receive: Called on any thread, without a lock.
    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void)

    /// Includes a key from now on, if each key must be observed separately; called once for each.
    func follow(_ key: String)

    /// Ends the notifications.
    func end()
}

/// A notification about a `UserDefaults`.
enum UserDefaultsEvent: Sendable {
    /// The value of a key changed.
    case changed(key: String)
    /// Anything changed in a `UserDefaults` of this process, in the given object if it is known.
    case changedAnything(of: ObjectIdentifier?)
    /// The program became active, and other processes may have changed anything while it was not.
    case activated
}

/// The changes of a `UserDefaults` without notifications: they arrive when it is read again.
struct NoUserDefaultsChanges: UserDefaultsChanges {
    func begin(_ receive: @escaping @Sendable (UserDefaultsEvent) -> Void) {}

    func follow(_ key: String) {}

    func end() {}
}

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

/// The objects whose domains are known, so that a change of one concerns no store of another domain.
enum KnownDomains {
    private struct Entry {
        let domain: String
        var stores: Int
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// Notes the domain of the object of a store.
    static func add(_ source: UserDefaultsSource) {
        guard let domain = source.domain else { return }
        entries.withLock {
            $0[ObjectIdentifier(source.reference.defaults), default: Entry(domain: domain, stores: 0)].stores += 1
        }
    }

    /// Forgets the object of a store, unless another store has the same one.
    static func remove(_ reference: UserDefaultsReference) {
        entries.withLock { entries in
            let object = ObjectIdentifier(reference.defaults)
            entries[object]?.stores -= 1
            if entries[object]?.stores == 0 { entries[object] = nil }
        }
    }

    /// Whether two objects surely have different domains.
    static func differ(_ object: ObjectIdentifier?, _ reference: UserDefaultsReference) -> Bool {
        guard let object else { return false }
        return entries.withLock { entries in
            guard let other = entries[object], let own = entries[ObjectIdentifier(reference.defaults)] else {
                return false
            }
            return other.domain != own.domain
        }
    }
}
