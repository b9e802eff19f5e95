import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanUserDefaults

/// The system's key-value store, for tests: what it holds, and changes of other devices when a test makes them.
final class UbiquitousDouble: UbiquitousValues {
    private struct State {
        var entries: [String: UbiquitousEntry]
        var receivers: [@Sendable (UbiquitousChange) -> Void] = []
        var saves = true
        var changeOnSynchronize: UbiquitousChange?
        var changeOnSet: UbiquitousChange?
    }

    private let state: Locked<State>

    init(_ entries: [String: UbiquitousEntry] = [:]) {
        state = Locked(State(entries: entries))
    }

    /// The values that the system holds.
    var held: [String: UbiquitousEntry] { state.withLock(\.entries) }

    /// Another device writes.
    func change(_ entries: [String: UbiquitousEntry?], telling change: UbiquitousChange? = nil) {
        let receivers = state.withLock { state in
            for (key, entry) in entries {
                state.entries[key] = entry
            }
            return state.receivers
        }
        for receive in receivers {
            receive(change ?? .changed(.named(Set<UTF8Text>(entries.keys))))
        }
    }

    /// Whether saving succeeds.
    func setSaves(_ saves: Bool) {
        state.withLock { $0.saves = saves }
    }

    /// Lets the next save tell of a change from inside the call, as the system can.
    func tellOnSynchronize(_ change: UbiquitousChange) {
        state.withLock { $0.changeOnSynchronize = change }
    }

    /// Lets the next write tell of a change from inside the call.
    func tellOnSet(_ change: UbiquitousChange) {
        state.withLock { $0.changeOnSet = change }
    }

    var accountIdentity: Data? { nil }

    func entries(_ names: Set<UTF8Text>?) -> TextDictionary<UbiquitousEntry> {
        state.withLock { state in
            TextDictionary(names.map { names in state.entries.filter { names.contains($0.key) } } ?? state.entries)
        }
    }

    func set(_ value: PropertyListValue?, forKey key: String) {
        let (change, receivers) = state.withLock { state in
            defer { state.changeOnSet = nil }
            state.entries[key] = value.map { .value($0) }
            return (state.changeOnSet, state.receivers)
        }
        guard let change else { return }
        for receive in receivers { receive(change) }
    }

    func synchronize() -> Bool {
        let (saves, change, receivers) = state.withLock { state in
            defer { state.changeOnSynchronize = nil }
            return (state.saves, state.changeOnSynchronize, state.receivers)
        }
        if let change {
            for receive in receivers {
                receive(change)
            }
        }
        return saves
    }

    func observe(_ receive: @escaping @Sendable (UbiquitousChange) -> Void) -> StoreObservation {
        state.withLock { $0.receivers.append(receive) }
        return StoreObservation { [weak self] in
            self?.state.withLock { $0.receivers = [] }
        }
    }
}
