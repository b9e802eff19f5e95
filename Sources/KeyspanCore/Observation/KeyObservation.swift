/// The one kind of ``Defaults/Observation``: registrations at stores, which end together.
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

    /// Takes a registration at a store over, which then ends with this one.
    func add(_ registration: StoreObservation) {
        let isOver = state.withLock { state in
            if !state.isOver { state.registrations.append(registration) }
            return state.isOver
        }
        if isOver { registration.cancel() }
    }

    /// Calls a handler, unless the registration is over, and keeps the object that it is tied to alive meanwhile.
    func receive(_ handle: () -> Void) {
        let (isOver, tie) = state.withLock { ($0.isOver, $0.tie) }
        guard !isOver else { return }
        guard let tie else { return handle() }
        // Outside the lock, because the object may be released here for the last time.
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

    /// Ends the registration if the object that it is tied to is gone; leaves the table if it is tied to none any more.
    func endIfTiedObjectIsGone() {
        guard let tie = state.withLock(\.tie) else { return TiedObservations.shared.release(self) }
        if tie.object == nil { invalidate() }
    }
}
