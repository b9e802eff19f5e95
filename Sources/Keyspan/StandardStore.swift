/// Which store the static members of `Defaults` use: decided once, by the program or else by the platform.
@usableFromInline
enum StandardStore {
    private enum Choice {
        case open
        case made(any PropertyListStore)
        case inUse
    }

    private static let choice = Locked(Choice.open)

    /// The store in use; the first access ends the time to choose.
    @usableFromInline static let resolved: any PropertyListStore = {
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
