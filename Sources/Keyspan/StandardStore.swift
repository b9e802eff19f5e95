public import KeyspanCore
internal import KeyspanFileStore
public import Synchronization

/// The store that the static members of `Defaults` use: chosen once, by the program or else by the platform.
///
/// An operation can have its own, which isolates tests from one another.
///
/// The first use has two steps. First, the store is opened once, while other threads that need it wait; this step calls no code of
/// the program. Then, when the store is visible to every thread, and without a lock, problems of opening it are reported and pending
/// uses are run. Both call code of the program, which may use the store, or wait for a thread that does.
@usableFromInline
enum StandardStore {
    typealias Use = @Sendable (any PropertyListStore) -> Void

    private enum Choice {
        case open
        case made(any PropertyListStore)
        /// The first use has begun.
        case inUse
    }

    private struct State {
        var choice = Choice.open
        /// The uses that wait for the store, in order.
        var uses: [Use] = []
        /// The places of those uses that a later one of the same name replaces.
        var indices: TextDictionary<Int> = [:]
        /// Whether the store is visible to every thread.
        var isPublished = false
        /// Whether a thread has taken the pending uses, to run them.
        var isSettling = false
        /// Whether an operation ever had a store of its own, or there was a preview.
        var isScoped = false
        /// The stores of all previews, kept for good, because readers count no references to them.
        var previews: [TrackedStore] = []

        /// Adds a use, in the place of the one with the same name.
        ///
        /// - Returns: The use that it replaces.
        mutating func add(_ use: @escaping Use, replacing name: String?) -> Use? {
            if let name, let index = indices[name] {
                defer { uses[index] = use }
                return uses[index]
            }
            if let name { indices[name] = uses.count }
            uses.append(use)
            return nil
        }

        /// Takes all uses, once.
        mutating func takeUses() -> [Use]? {
            isPublished = true
            if isSettling { return nil }
            isSettling = true
            defer { (uses, indices) = ([], [:]) }
            return uses
        }
    }

    private static let state = Locked(State())

    /// Whether no use waits for the store of the process anymore.
    private static let isSettled = Atomic(false)

    /// The store that replaces the process's own outside operations, if there is one.
    private static let preview = Atomic<Unmanaged<TrackedStore>?>(nil)

    /// Sees uses of the store of the process.
    private final class Witness: Sendable {
        let see: Use

        init(_ see: @escaping Use) {
            self.see = see
        }
    }

    private static let witness = OnceReference<Witness>()

    /// The place of groups and properties that find the store at each access.
    static let place = StorePlace.standard { scope }

    private static let opening = OpenedOnce { () -> any PropertyListStore in
        let choice = state.withLock { state in
            defer { state.choice = .inUse }
            return state.choice
        }
        return if case .made(let store) = choice { store } else { PlatformStore.open() }
    }

    /// The store of the process, which the first use opens.
    private static let ofProcess: any PropertyListStore = opening.value

    private static let scopeOfProcess = TrackedStore(ofProcess)

    /// The store in use.
    @inlinable static var current: any PropertyListStore {
        guard let direct = StorePlace.direct.load(ordering: .acquiring) else { return ofOperationOrProcess }
        return direct._withUnsafeGuaranteedRef { $0.store }
    }

    @usableFromInline static var ofOperationOrProcess: any PropertyListStore { scope.store }

    /// The store in use with its tracker; takes no lock, except for the first use.
    static var scope: TrackedStore {
        if let direct = StorePlace.direct.load(ordering: .acquiring) { return direct.takeUnretainedValue() }
        if let scope = OperationScope.current?.standard { return scope }
        if let preview = preview.load(ordering: .acquiring) { return preview.takeUnretainedValue() }
        settle()
        witness.object?.see(ofProcess)
        return scopeOfProcess
    }

    /// Opens the store of the process, if it is not open yet, and runs the pending uses.
    ///
    /// If another thread, or this one further up the stack, is already running them, this returns at once: the store is open, and
    /// waiting could deadlock, because a pending use may wait for this thread.
    private static func settle() {
        guard !isSettled.load(ordering: .acquiring) else { return }
        let store = ofProcess
        guard let uses = state.withLock({ $0.takeUses() }) else { return }
        // Not part of the operation or closure whose read happens to be the first.
        OperationScope.leave {
            _ = opening.published
            for use in uses { use(store) }
        }
        let scope = scopeOfProcess
        state.withLock { state in
            if !state.isScoped { StorePlace.direct.store(.passUnretained(scope), ordering: .releasing) }
            isSettled.store(true, ordering: .releasing)
        }
    }

    /// Passes the store in use to a closure: now, or once the store is open.
    ///
    /// This does not open it, so it can still be chosen.
    ///
    /// - Parameters:
    ///   - use: The closure.
    ///   - name: A name of which only the last closure is needed. It replaces one that still waits.
    static func whenOpen(_ use: @escaping Use, replacing name: String) {
        if let scope = OperationScope.current?.standard { return use(scope.store) }
        if let preview = preview.load(ordering: .acquiring) { return use(preview.takeUnretainedValue().store) }
        whenOfProcessIsOpen(use, replacing: name)
    }

    /// Passes the store of the process to a closure: now, or once the store is open.
    ///
    /// This does not open it, so it can still be chosen. Pending closures run in order. A closure passed while they run is called at once.
    static func whenOfProcessIsOpen(_ use: @escaping Use, replacing name: String? = nil) {
        var ofOperation = OperationScope.current
        ofOperation?.standard = nil
        let scope = ofOperation
        // The replaced closure is released outside the lock, because that can run any deinitializer.
        let (isPublished, _) = state.withLock { state -> (Bool, Use?) in
            if state.isPublished { return (true, nil) }
            let reporting: Use = { store in OperationScope.run(in: scope) { use(store) } }
            return (false, state.add(reporting, replacing: name))
        }
        if isPublished { use(ofProcess) }
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

    /// Lets operations have stores of their own from now on.
    static func allowScopes() {
        state.withLock { state in
            state.isScoped = true
            StorePlace.direct.store(nil, ordering: .relaxed)
        }
    }

    /// Lets a closure see each use of the store of the process from now on, for as long as it lives; set once.
    static func setWitness(_ use: @escaping Use) {
        allowScopes()
        _ = witness.setIfAbsent(Witness(use))
    }

    /// Replaces the store of the whole process, and any earlier replacement.
    static func show(_ store: any PropertyListStore) {
        allowScopes()
        let new = TrackedStore(store)
        state.withLock { state in
            let shown = state.previews.first { $0.store === store } ?? new
            if shown === new { state.previews.append(new) }
            preview.store(.passUnretained(shown), ordering: .releasing)
        }
    }
}
