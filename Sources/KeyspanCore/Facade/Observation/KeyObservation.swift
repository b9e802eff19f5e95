/// The implementation of ``Defaults/Observation``: registrations at stores, which end together.
final class KeyObservation: Defaults.Observation {
    private struct State {
        var registrations: [StoreObservation] = []
        var tie: WeakReference?
        var isOver = false
    }

    private let state = Locked(State())

    deinit {
        invalidate()
    }

    /// Adds a registration at a store, which then ends with this one.
    func add(_ registration: StoreObservation) {
        let isOver = state.withLock { state in
            if !state.isOver { state.registrations.append(registration) }
            return state.isOver
        }
        if isOver { registration.cancel() }
    }

    /// Calls a handler, unless the registration has ended, and retains the tied object meanwhile.
    func receive(_ handle: () -> Void) {
        let (isOver, tie) = state.withLock { ($0.isOver, $0.tie) }
        guard !isOver else { return }
        guard let tie else { return handle() }
        // Outside the lock, because this can release the last reference to the object.
        guard let object = tie.object else { return invalidate() }
        withExtendedLifetime(object, handle)
    }

    func invalidate() {
        let ended = state.withLock { state in
            defer { state = State(isOver: true) }
            return state
        }
        for registration in ended.registrations {
            registration.cancel()
        }
        if ended.tie != nil { TiedObservations.shared.release(self) }
    }

    @discardableResult
    func tieToLifetime(of weaklyHeldObject: AnyObject) -> Self {
        let tie = WeakReference(weaklyHeldObject)
        let isOver = state.withLock { state in
            if !state.isOver { state.tie = tie }
            return state.isOver
        }
        if !isOver { TiedObservations.shared.keep(self) }
        return self
    }

    func removeLifetimeTie() {
        endIfTiedObjectIsGone()
        let tie = state.withLock { state in
            defer { state.tie = nil }
            return state.tie
        }
        if tie != nil { TiedObservations.shared.release(self) }
    }

    /// Ends the registration after its tied object was deallocated, or leaves the table if it is not tied to one anymore.
    func endIfTiedObjectIsGone() {
        guard let tie = state.withLock(\.tie) else { return TiedObservations.shared.release(self) }
        if tie.object == nil { invalidate() }
    }
}

/// The table that retains registrations tied to the lifetime of an object.
///
/// Each time the table has doubled, registrations of deallocated objects are removed, so a registration costs a constant number of
/// steps on average.
final class TiedObservations: Sendable {
    static let shared = TiedObservations()

    private struct State {
        var observations: [ObjectIdentifier: KeyObservation] = [:]
        var limit = TiedObservations.minimumLimit
    }

    private static let minimumLimit = 16

    private let state = Locked(State())

    /// The number of retained registrations.
    var count: Int { state.withLock(\.observations.count) }

    /// Retains a registration until ``release(_:)``.
    func keep(_ observation: KeyObservation) {
        let isFull = state.withLock { state in
            state.observations[ObjectIdentifier(observation)] = observation
            return state.observations.count > state.limit
        }
        if isFull { sweep() }
    }

    /// Releases a registration.
    func release(_ observation: KeyObservation) {
        // Returned from the lock, so that what the registration holds is not released under it.
        _ = state.withLock { $0.observations.removeValue(forKey: ObjectIdentifier(observation)) }
    }

    private func sweep() {
        for observation in state.withLock({ Array($0.observations.values) }) {
            observation.endIfTiedObjectIsGone()
        }
        state.withLock { $0.limit = max(Self.minimumLimit, 2 * $0.observations.count) }
    }
}

/// A handler that need not be `Sendable`.
// Unchecked because code written for Defaults passes handlers that capture variables and objects of any kind. Calls of one handler
// never overlap, and each sees the effects of the earlier ones, but they need not come from the thread that registered it. The
// documentation of `observe` says so, and leaves it to the caller to write only from suitable threads.
struct UncheckedHandler<Argument>: @unchecked Sendable {
    private let handler: (Argument) -> Void

    init(_ handler: @escaping (Argument) -> Void) {
        self.handler = handler
    }

    func callAsFunction(_ argument: Argument) {
        handler(argument)
    }
}

/// An object that may go, of which nothing is asked but whether it is still there.
// Unchecked because the object need not be `Sendable`: it is kept alive or let go, which is safe on every thread, and never
// used. The reference is not changed after it is made, and reading a weak reference is safe from several threads.
final class WeakReference: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}
