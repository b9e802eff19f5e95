public import Synchronization

/// Which store the static members of `Defaults` use: decided once, by the program or else by the platform.
///
/// An operation can have one of its own, which is what isolates tests from one another.
@usableFromInline
enum StandardStore {
    private enum Choice {
        case open
        case made(any PropertyListStore)
        case inUse
    }

    private struct State {
        var choice = Choice.open
        var uses: [@Sendable (any PropertyListStore) -> Void] = []
    }

    private static let state = Locked(State())

    /// The scope of the running operation, if it has a store of its own.
    @TaskLocal static var ofOperation: StandardScope?

    /// Whether any operation ever had a store of its own: programs that never do are spared the look at the task.
    @usableFromInline static let isScoped = Atomic(false)

    /// The store in use.
    @inlinable static var current: any PropertyListStore {
        isScoped.load(ordering: .relaxed) ? ofOperationOrProcess : ofProcess
    }

    @usableFromInline static var ofOperationOrProcess: any PropertyListStore { ofOperation?.store ?? ofProcess }

    /// The store in use with what belongs to it.
    static var scope: StandardScope {
        isScoped.load(ordering: .relaxed) ? ofOperation ?? scopeOfProcess : scopeOfProcess
    }

    private static let scopeOfProcess = StandardScope(ofProcess)

    /// The store of the process; the first access ends the time to choose.
    @usableFromInline static let ofProcess: any PropertyListStore = {
        StandardErrorReport.begin()
        let before = state.withLock { state in
            defer { state = State(choice: .inUse) }
            return state
        }
        let store = if case .made(let store) = before.choice { store } else { PlatformStore.open() }
        for use in before.uses {
            use(store)
        }
        return store
    }()

    /// Does something with the store in use: now, or as soon as there is one, without ending the time to choose it.
    static func whenOpen(_ use: @escaping @Sendable (any PropertyListStore) -> Void) {
        if let scope = ofOperation { return use(scope.store) }
        let isOpen = state.withLock { state in
            if case .inUse = state.choice { return true }
            state.uses.append(use)
            return false
        }
        if isOpen { use(ofProcess) }
    }

    /// Chooses the store, once, before it is used.
    static func choose(_ store: any PropertyListStore) throws(Defaults.BootstrapError) {
        try state.withLock { (state) throws(Defaults.BootstrapError) in
            switch state.choice {
            case .open: state.choice = .made(store)
            case .made: throw .alreadyBootstrapped
            case .inUse: throw .alreadyInUse
            }
        }
    }
}
