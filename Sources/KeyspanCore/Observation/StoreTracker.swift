internal import Synchronization

/// Lets `withObservationTracking` see the reads of keys in one store, and the changes of what was read.
///
/// Whatever reads keys on behalf of a view or another observer owns one and calls ``access(_:)`` before each read. The
/// tracker observes the store from the first access on; it stops when it is released. Changes are told after they have
/// happened, on the thread that delivers the store's changes, so who is told reads the new value.
///
/// `Observation` has one limit that a tracker cannot lift: it begins to listen when the tracked closure has returned. A
/// change that another thread makes between the read and that moment is not told.
@usableFromInline
package final class StoreTracker: Sendable {
    /// The entries that have been read, which the observer at the store holds too, without holding the tracker.
    private final class Subjects: Sendable {
        let byEntry = Locked<TextDictionary<EntrySubject>>([:])

        func change(_ change: PropertyListChange) {
            let changed = byEntry.withLock { subjects in
                subjects.isEmpty ? [] : change.entries.compactMap { subjects[$0.key] }
            }
            for subject in changed {
                subject.change()
            }
        }
    }

    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Access to the store whose reads are tracked.
    @usableFromInline let defaults: Defaults

    private let identifier = StoreTracker.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    private let subjects = Subjects()
    private let observation = OnceReference<StoreObservation>()

    /// Makes a tracker of the reads of a store.
    package init(_ store: any PropertyListStore) {
        defaults = Defaults(store)
    }

    /// Records that a key is read now, if this happens inside `withObservationTracking`; called before the read.
    ///
    /// Takes no lock for a key that this tracker was the first to read, which is every key of a group.
    @usableFromInline
    package func access(_ key: Defaults.AnyKey) {
        if let subject = key.subject.object, subject.tracker == identifier { return subject.access() }
        let entries = key.untyped.entryNames
        for entry in entries {
            let subject = subject(of: entry)
            if entries.count == 1 { _ = key.subject.setIfAbsent(subject) }
            subject.access()
        }
    }

    private func subject(of entry: String) -> EntrySubject {
        // The observer is there before anything is read, and never called under a lock of this object.
        if observation.object == nil {
            _ = observation.setIfAbsent(
                defaults.store.observe(.all, initial: false) { [subjects] change in subjects.change(change) }
            )
        }
        return subjects.byEntry.withLock { subjects in
            if let subject = subjects[entry] { return subject }
            let subject = EntrySubject(tracker: identifier)
            subjects[entry] = subject
            return subject
        }
    }
}
