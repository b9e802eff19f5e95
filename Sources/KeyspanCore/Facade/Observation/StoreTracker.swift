internal import Synchronization

/// Reports the reads of keys in one store, and the changes of the values that were read, to `withObservationTracking`.
///
/// A type that reads keys for views or other observers owns a tracker and calls ``access(_:)`` before each read. The tracker
/// observes the store from the first access until it is released. Observers are notified after the change, on the thread that
/// delivers it, so they read the new value.
///
/// `Observation` starts to observe only after the tracked closure has returned, so a change by another thread between the read and
/// that moment goes unnoticed.
@usableFromInline
package final class StoreTracker: Sendable {
    /// The entries that have been read, which the observer at the store retains too, without retaining the tracker.
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
    /// Takes no lock for a key that this tracker was the first to read, such as every key of a group.
    @usableFromInline
    package func access(_ key: Defaults.AnyKey) {
        if let subject = key.subject.object, subject.tracker == identifier { return subject.access() }
        let entries = key.entryNames
        for entry in entries {
            let subject = subject(of: entry)
            if entries.count == 1 { _ = key.subject.setIfAbsent(subject) }
            subject.access()
        }
    }

    private func subject(of entry: String) -> EntrySubject {
        // The observer is registered before the first read, and never called under a lock of this object.
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

/// The value of a key in one store, for a binding that tracks its reads.
///
/// It retains the tracker, so observers are notified of changes for as long as this value exists.
package struct TrackedKey<Value>: Sendable {
    let key: Defaults.Key<Value>
    let tracker: StoreTracker

    /// The value in the store, or the default; as the subscript of ``Defaults``.
    package var value: Value {
        get {
            // Before the read, so that a change after it is noticed.
            tracker.access(key)
            return tracker.defaults[key]
        }
        nonmutating set { tracker.defaults[key] = newValue }
    }
}

/// A standard store with its tracker: that of the process, or of an operation.
@usableFromInline
package final class StandardScope: Sendable {
    /// The store.
    @usableFromInline package let store: any PropertyListStore

    /// Tracks the reads of properties in the store.
    package let tracker: StoreTracker

    /// Makes a scope for a store.
    package init(_ store: any PropertyListStore) {
        self.store = store
        tracker = StoreTracker(store)
    }
}
