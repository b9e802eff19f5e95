public import KeyspanCore
internal import KeyspanFileStore
public import Synchronization

/// Which store the static members of `Defaults` use: decided once, by the program or else by the platform.
///
/// An operation can have one of its own, which is what isolates tests from one another.
///
/// The first use has two steps. The store is taken or opened once, while all threads that come meanwhile wait; none of that calls
/// code of the program. Then, when it is there for every thread, and without a lock, what opening it reported is reported, and what
/// waited for it is done. That is code of the program, which may use the store, or wait for a thread that does.
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
        /// What waits for the store, in order.
        var uses: [Use] = []
        /// Whether the store is there for every thread.
        var isPublished = false
        /// Whether a thread does what waited.
        var isSettling = false
        /// Whether an operation ever had a store of its own, or there was a preview.
        var isScoped = false
        var preview: StandardScope?

        mutating func nextUse() -> Use? {
            guard uses.isEmpty else { return uses.removeFirst() }
            isSettling = false
            if !isScoped { StandardStore.isDirect.store(true, ordering: .releasing) }
            StandardStore.isSettled.store(true, ordering: .releasing)
            return nil
        }
    }

    private static let state = Locked(State())

    /// Whether nothing waits for the store of the process any more.
    private static let isSettled = Atomic(false)

    /// Whether all code uses the store of the process, and may take it as it is: nothing waits for it, and no operation ever had a
    /// store of its own.
    @usableFromInline static let isDirect = Atomic(false)

    private static let opening = OpenedOnce { () -> any PropertyListStore in
        StandardErrorReport.begin()
        let choice = state.withLock { state in
            defer { state.choice = .inUse }
            return state.choice
        }
        return if case .made(let store) = choice { store } else { PlatformStore.open() }
    }

    /// The store of the process as it is; only for code that has found ``isDirect``.
    @usableFromInline static let ofProcess: any PropertyListStore = opening.value

    private static let scopeOfProcess = StandardScope(ofProcess)

    /// The store in use.
    @inlinable static var current: any PropertyListStore {
        isDirect.load(ordering: .relaxed) ? ofProcess : ofOperationOrProcess
    }

    @usableFromInline static var ofOperationOrProcess: any PropertyListStore { scope.store }

    /// The store in use with what belongs to it.
    static var scope: StandardScope {
        if isDirect.load(ordering: .relaxed) { return scopeOfProcess }
        if let scope = OperationScope.current?.standard ?? preview { return scope }
        settle()
        return scopeOfProcess
    }

    /// The store of the whole process in place of its own, outside of operations.
    private static var preview: StandardScope? { state.withLock(\.preview) }

    /// Opens the store of the process, if that was not done, and does what waited for it.
    ///
    /// A thread that finds another one at it, or itself further up its stack, goes on: it has a store, and what it would wait
    /// for may wait for it.
    private static func settle() {
        guard !isSettled.load(ordering: .acquiring) else { return }
        let store = ofProcess
        let begins = state.withLock { state in
            state.isPublished = true
            defer { state.isSettling = true }
            return !state.isSettling
        }
        guard begins else { return }
        // No part of the operation or closure whose read happens to be the first.
        OperationScope.leave {
            _ = opening.published
            while let use = state.withLock({ $0.nextUse() }) { use(store) }
        }
    }

    /// Does something with the store in use: now, or as soon as there is one, without ending the time to choose it.
    static func whenOpen(_ use: @escaping Use) {
        if let scope = OperationScope.current?.standard ?? preview { return use(scope.store) }
        whenOfProcessIsOpen(use)
    }

    /// Does something with the store of the process: now, or as soon as there is one, without ending the time to choose it.
    ///
    /// What waits is done in order. What comes while that goes on is done at once, and so before its caller goes on.
    static func whenOfProcessIsOpen(_ use: @escaping Use) {
        var scope = OperationScope.current
        scope?.standard = nil
        let reporting = scope
        let isPublished = state.withLock { state in
            if !state.isPublished { state.uses.append { store in OperationScope.run(in: reporting) { use(store) } } }
            return state.isPublished
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
            isDirect.store(false, ordering: .relaxed)
        }
    }

    /// Gives the whole process another store, in place of its own and of the one before.
    static func show(_ preview: StandardScope) {
        allowScopes()
        let replaced = state.withLock { state in
            defer { state.preview = preview }
            return state.preview
        }
        // Released here, not under the lock: a store may do anything when it is released.
        withExtendedLifetime(replaced) {}
    }
}
