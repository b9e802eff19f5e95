/// The keys that were declared with `iCloud: true`, for the code that synchronizes them.
///
/// Swift makes a key that is a static constant at its first use, so keys arrive one by one, some of them after
/// synchronization has begun.
package enum MarkedKeys {
    private struct State {
        var keys: Set<Defaults.AnyKey> = []
        var receive: (@Sendable (Set<Defaults.AnyKey>) -> Void)?
    }

    private static let state = Locked(State())

    static func add(_ key: Defaults.AnyKey) {
        let receive = state.withLock { state in
            state.keys.insert(key).inserted ? state.receive : nil
        }
        receive?([key])
    }

    /// Calls a closure with all keys so far, and again with each later key; replaces the closure of an earlier call.
    package static func receive(_ receive: @escaping @Sendable (Set<Defaults.AnyKey>) -> Void) {
        let (keys, replaced) = state.withLock { state in
            defer { state.receive = receive }
            return (state.keys, state.receive)
        }
        // Released here, not under the lock: releasing a closure can run anyone's `deinit`.
        withExtendedLifetime(replaced) {}
        receive(keys)
    }
}

extension Defaults.AnyKey {
    /// The names of the entries that hold the value, usually one.
    package var synchronizedNames: [String] { entryNames }
}
