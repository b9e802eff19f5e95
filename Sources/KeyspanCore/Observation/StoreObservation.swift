/// One registration of an observer at a store; it ends when it is cancelled or released, whichever comes first.
public final class StoreObservation: Sendable {
    private let onCancel: Locked<(@Sendable () -> Void)?>

    /// Makes a registration, for a store that does not use ``ChangeBroadcaster``.
    ///
    /// - Parameter onCancel: Ends the registration; called once at most, without a lock.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Locked(onCancel)
    }

    /// Ends the registration: no call to the observer begins after this returns, not even for changes applied before.
    ///
    /// A call that had already begun on another thread may still be running. Does nothing the second time.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    deinit {
        cancel()
    }
}
