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

    private static let choice = Locked(Choice.open)

    /// The store of the running operation, if it has one of its own.
    @TaskLocal static var ofOperation: (any PropertyListStore)?

    /// Whether any operation ever had a store of its own: programs that never do are spared the look at the task.
    @usableFromInline static let isScoped = Atomic(false)

    /// The store in use.
    @inlinable static var current: any PropertyListStore {
        isScoped.load(ordering: .relaxed) ? ofOperationOrProcess : ofProcess
    }

    @usableFromInline static var ofOperationOrProcess: any PropertyListStore { ofOperation ?? ofProcess }

    /// The store of the process; the first access ends the time to choose.
    @usableFromInline static let ofProcess: any PropertyListStore = {
        StandardErrorReport.begin()
        let chosen = choice.withLock { choice in
            defer { choice = .inUse }
            return if case .made(let store) = choice { store } else { nil as (any PropertyListStore)? }
        }
        return chosen ?? PlatformStore.open()
    }()

    /// Chooses the store, once, before it is used.
    static func choose(_ store: any PropertyListStore) throws(Defaults.BootstrapError) {
        try choice.withLock { (choice) throws(Defaults.BootstrapError) in
            switch choice {
            case .open: choice = .made(store)
            case .made: throw .alreadyBootstrapped
            case .inUse: throw .alreadyInUse
            }
        }
    }
}
