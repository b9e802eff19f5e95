import Keyspan
@_spi(StoreAuthors) import KeyspanCore
import Synchronization

/// The floor of observed writes: a dictionary and closures, all called under the lock under which it is written.
///
/// It does less than a store has to: a closure that writes or registers another one would wait for itself.
final class ObservedDictionary: Sendable {
    private struct State {
        var values: [String: PropertyListValue] = [:]
        var observers: [@Sendable (PropertyListChange) -> Void] = []
    }

    private let state = Mutex(State())

    /// Adds a closure.
    func observe(_ receive: @escaping @Sendable (PropertyListChange) -> Void) {
        state.withLock { $0.observers.append(receive) }
    }

    /// Writes a value and calls the closures.
    func write(_ value: PropertyListValue, forKey key: String) {
        state.withLock { state in
            let old = state.values.updateValue(value, forKey: key)
            let change = PropertyListChange(.init(key: key, old: old, new: value), isQuiet: false)
            for observer in state.observers {
                observer(change)
            }
        }
    }
}
