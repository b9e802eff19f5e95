@_spi(StoreAuthors) import KeyspanCore

/// A way to make a layered store that is empty and can be written.
enum LayerArrangement: CaseIterable {
    case oneLayer
    case aboveRegistered
    case belowArguments
    case betweenArgumentsAndRegistered
    case aboveAnotherWritable
    case nested
    case aboveStoreWithoutRevisions
    case withoutRevisions
    case merged
    case namedBelowAnotherWritable

    func makeStore() -> LayeredStore {
        let memory = LayeredStore.Layer("memory", InMemoryStore(), isWritable: true)
        let registered = LayeredStore.Layer("registered", RegistrationDomain())
        let arguments = LayeredStore.Layer("arguments", LaunchArgumentsStore([]))
        return switch self {
        case .oneLayer: LayeredStore([memory])
        case .aboveRegistered: LayeredStore([memory, registered])
        case .belowArguments: LayeredStore([arguments, memory])
        case .betweenArgumentsAndRegistered: LayeredStore([arguments, memory, registered])
        case .aboveAnotherWritable: LayeredStore([memory, .init("other", InMemoryStore(), isWritable: true)])
        case .nested: LayeredStore([arguments, .init("inner", LayeredStore([memory, registered]), isWritable: true)])
        case .aboveStoreWithoutRevisions: LayeredStore([memory, .init("plain", UnnumberedStore())])
        case .withoutRevisions: LayeredStore([.init("plain", UnnumberedStore(), isWritable: true), registered])
        case .merged: LayeredStore([arguments, memory, registered], dictionaries: .merged)
        case .namedBelowAnotherWritable:
            LayeredStore([.init("other", InMemoryStore(), isWritable: true), memory], writingTo: "memory")
        }
    }
}

/// A store whose values are all text that someone typed, as those of environment variables are, but can be written.
final class TextStore: ForwardingStore {
    let base: InMemoryStore

    init(_ values: PropertyListTable = [:], name: String = "text") {
        base = InMemoryStore(values, name: name)
    }

    func storedValue(forKey key: String) -> StoredValue? {
        base.value(forKey: key).map { StoredValue($0, isText: true) }
    }

    func snapshot() -> PropertyListTable { base.snapshot().markedAsText }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        base.observe(keys, initial: initial) { change in
            let entries = change.entries.map { entry in
                PropertyListChange.Entry(
                    key: entry.key,
                    storedOld: entry.old.map { StoredValue($0, isText: true) },
                    storedNew: entry.new.map { StoredValue($0, isText: true) }
                )
            }
            receive(PropertyListChange(entries: entries, isInitial: change.isInitial, isQuiet: change.isQuiet))
        }
    }
}

/// A store in memory in which something happens between two steps of the one who uses it: after a read or a write, or
/// before an observer is registered.
final class InterruptingStore: ForwardingStore {
    let base: InMemoryStore
    private let interruption: @Sendable (InMemoryStore) -> Void
    private let isArmed = Locked(false)

    init(_ values: PropertyListTable = [:], _ interruption: @escaping @Sendable (InMemoryStore) -> Void) {
        base = InMemoryStore(values, name: "interrupting store")
        self.interruption = interruption
    }

    /// Lets it happen at the next read, write or registration.
    func interruptNextCall() {
        isArmed.withLock { $0 = true }
    }

    private func interrupt() {
        let isDue = isArmed.withLock { isArmed in
            defer { isArmed = false }
            return isArmed
        }
        if isDue { interruption(base) }
    }

    func storedValue(forKey key: String) -> StoredValue? {
        defer { interrupt() }
        return base.storedValue(forKey: key)
    }

    func snapshot() -> PropertyListTable {
        defer { interrupt() }
        return base.snapshot()
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try base.apply(batch)
        interrupt()
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        interrupt()
        return base.observe(keys, initial: initial, receive)
    }
}

/// A store that keeps all promises and does not number its states.
final class UnnumberedStore: ForwardingStore {
    let base: InMemoryStore

    init(_ values: PropertyListTable = [:]) {
        base = InMemoryStore(values, name: "store without revisions")
    }

    func revision(of stripe: KeyStripe) -> StoreRevision? { nil }
}
