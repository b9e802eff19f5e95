import KeyspanCore

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
        let arguments = LayeredStore.Layer("arguments", LaunchArgumentsStore(LaunchArguments([])))
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
