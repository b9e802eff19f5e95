@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

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

    /// The arrangements of a level: the quick one has each kind of layer once.
    static var ofLevel: [LayerArrangement] {
        TestLevel.current.pick([.nested, .merged, .withoutRevisions], thorough: allCases)
    }

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
        case .aboveStoreWithoutRevisions: LayeredStore([memory, .init("plain", unnumberedStore())])
        case .withoutRevisions: LayeredStore([.init("plain", unnumberedStore(), isWritable: true), registered])
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

extension ScriptedStore {
    /// Lets something happen once between two steps of the one who uses the store: after the next read, snapshot or write, or before
    /// the next observer is registered.
    func interruptNextCall(_ interruption: @escaping @Sendable () -> Void) {
        let isDue = Locked(true)
        let interrupt: @Sendable () -> Void = {
            let isFirst = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            if isFirst { interruption() }
        }
        before(.observe, interrupt)
        for call in [Call.read, .snapshot, .write] { after(call, interrupt) }
    }
}

/// A store that keeps all promises and does not number its states.
func unnumberedStore(_ values: PropertyListTable = [:]) -> ScriptedStore {
    ScriptedStore(over: InMemoryStore(values, name: "store without revisions"), revisions: .none)
}
