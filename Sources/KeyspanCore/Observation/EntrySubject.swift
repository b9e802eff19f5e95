internal import Observation

/// One entry of a store, as the thing whose reads and changes `Observation` tracks.
final class EntrySubject: Observable, Sendable {
    /// The tracker that the subject belongs to.
    let tracker: UInt64

    private let registrar = ObservationRegistrar()

    init(tracker: UInt64) {
        self.tracker = tracker
    }

    /// What is tracked. It has no content: who is told of a change reads the store.
    private var entry: Void { () }

    /// Records that the entry is read now, if this happens inside `withObservationTracking`.
    func access() {
        registrar.access(self, keyPath: \.entry)
    }

    /// Tells everyone who tracks the entry that it has changed.
    func change() {
        registrar.withMutation(of: self, keyPath: \.entry) {}
    }
}
