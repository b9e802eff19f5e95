internal import Synchronization

/// Reports the reads of keys in one store, and the changes of the values that were read, to `withObservationTracking`.
///
/// A store has one tracker for everything that reads it, such as groups, properties and bindings. It observes the store from the
/// first read that it is asked to track, and lasts as long as the store, whatever becomes of those who read. Observers are
/// notified after the change, on the thread that delivers it, so they read the new value.
///
/// `Observation` starts to observe only after the tracked closure has returned, so a change by another thread between the read and
/// that moment goes unnoticed.
final class StoreTracker: Sendable {
    private static let trackers = StoreTable<StoreTracker>()
    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Never used again, unlike the address.
    let identifier = StoreTracker.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue

    private let subjects = Locked<TextDictionary<EntrySubject>>([:])
    private let observation = OnceReference<StoreObservation>()

    /// The tracker of a store.
    static func of(_ store: any PropertyListStore) -> StoreTracker {
        trackers.value(of: store) { StoreTracker() }
    }

    /// Records that a key is read now, if this happens inside `withObservationTracking`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: The store of the tracker, which does not keep it alive.
    func access(_ key: Defaults.AnyKey, in store: any PropertyListStore) {
        // Registered before the first read, and never called under a lock of this object.
        if observation.object == nil {
            _ = observation.setIfAbsent(store.observe(.all, initial: false) { [weak self] in self?.change($0) })
        }
        let entries = key.entryNames
        for entry in entries {
            let subject = subject(of: entry)
            if entries.count == 1 { _ = key.subject.setIfAbsent(subject) }
            subject.access()
        }
    }

    private func subject(of entry: String) -> EntrySubject {
        subjects.withLock { subjects in
            if let subject = subjects[entry] { return subject }
            let subject = EntrySubject(tracker: identifier)
            subjects[entry] = subject
            return subject
        }
    }

    private func change(_ change: PropertyListChange) {
        let changed = subjects.withLock { subjects in change.entries.compactMap { subjects[$0.key] } }
        for subject in changed {
            subject.change()
        }
    }
}
