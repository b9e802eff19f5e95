@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanUserDefaults

/// A source in memory that others write too, and that does something of the test's while it is used.
final class ScriptedSource: MirroredSource {
    private struct State {
        var table = PropertyListTable()
        var hidden: Set<String> = []
        var whenRead: (@Sendable () -> Void)?
        var whenWritten: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Writes as another program does.
    func setByOthers(_ value: PropertyListValue?, forKey key: String) {
        state.withLock { $0.table[key] = value }
    }

    /// Hides what the source has for a key.
    func hide(_ key: String) { _ = state.withLock { $0.hidden.insert(key) } }

    /// Does something, once, between looking at the source and answering.
    func whenRead(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenRead = action } }

    /// Does something after each write.
    func whenWritten(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.whenWritten = action } }

    // A copy that shares nothing with the table: the thread sanitizer does not see that what a table shares is released by
    // all others before it is written to in its place.
    func table() -> PropertyListTable { look { PropertyListTable($0.dictionary) } }

    func value(forKey key: String) -> PropertyListValue? { look { $0[key] } }

    func isHidden(_ key: String) -> Bool { state.withLock { $0.hidden.contains(key) } }

    func perform(_ batch: PropertyListBatch) {
        let action = state.withLock { state in
            for operation in batch.operations {
                switch operation {
                case .set(let value, let key): state.table[key] = value
                case .remove(let key): state.table[key] = nil
                case .removeAll: state.table = PropertyListTable()
                }
            }
            return state.whenWritten
        }
        action?()
    }

    /// Reads the table, then runs the pending step once, and returns the values read before it.
    private func look<Seen: Sendable>(_ see: @Sendable (PropertyListTable) -> Seen) -> Seen {
        let (seen, action) = state.withLock { state in
            defer { state.whenRead = nil }
            return (see(state.table), state.whenRead)
        }
        action?()
        return seen
    }
}
