@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanUserDefaults

/// A source in memory that others write too, and that does something of the test's while it is used.
final class ScriptedSource: MirroredSource {
    private struct State {
        var table = PropertyListTable()
        var writes = 0
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

    /// The present values.
    // A copy that shares nothing with the table: the thread sanitizer does not see that what a table shares is released by
    // all others before it is written to in its place.
    func table() -> PropertyListTable { state.withLock { PropertyListTable($0.table.dictionary) } }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        let (found, action) = state.withLock { state in
            var found: TextDictionary<PropertyListValue?> = [:]
            let shown = PropertyListTable(state.table.dictionary)
            let names =
                if case .named(let names) = keys { names.map(\.wrappedValue) } else {
                    shown.map(\.key) + copy.map(\.key)
                }
            for name in names where !state.hidden.contains(name) { found[name] = .some(shown[name]) }
            defer { state.whenRead = nil }
            return (found, state.whenRead)
        }
        action?()
        return found
    }

    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?) {
        let action = state.withLock { state in
            for operation in batch.operations {
                switch operation {
                case .set(let value, let key):
                    if copy != nil, state.table[key] == value { continue }
                    state.table[key] = value
                    state.writes += 1
                case .remove(let key): state.table[key] = nil
                case .removeAll: state.table = PropertyListTable()
                }
            }
            return state.whenWritten
        }
        action?()
    }
}
