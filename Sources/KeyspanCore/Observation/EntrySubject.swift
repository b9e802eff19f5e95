internal import Observation

/// One entry of a store, as the thing whose reads and changes `Observation` tracks.
final class EntrySubject: Observable, Sendable {
    /// The tracker that the subject belongs to.
    let tracker: UInt64

    private let registrar = ObservationRegistrar()

    init(tracker: UInt64) {
        self.tracker = tracker
    }

    /// What is tracked; it has no content, because who is told of a change reads the store.
    private var entry: Void { () }

    // Kept, because a literal is looked up each time.
    private let path: any KeyPath<EntrySubject, Void> & Sendable = \.entry

    /// Records that the entry is read now, if this happens inside `withObservationTracking`.
    func access() {
        registrar.access(self, keyPath: path)
    }

    /// Tells everyone who tracks the entry that it has changed.
    func change() {
        registrar.withMutation(of: self, keyPath: path) {}
    }
}
