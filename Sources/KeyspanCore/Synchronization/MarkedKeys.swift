/// The keys that were declared with `iCloud: true`, for the one who synchronises them.
///
/// A key that is declared as a constant is made when it is first used. So keys come one after the other, and some only
/// after synchronising has begun.
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

    /// Hands over all keys so far at once, and each later one when it is made, to this closure in place of the one before.
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
    /// The names of the entries that the value is in, one as a rule.
    package var synchronizedNames: [String] { entryNames }
}
