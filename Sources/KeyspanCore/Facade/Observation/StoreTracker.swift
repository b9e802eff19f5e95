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
    /// The names that were read.
    private struct Subjects {
        /// The number of names that have subjects of their own; further ones share those of their stripes.
        static let limit = 4096

        private var byName: TextDictionary<EntrySubject> = [:]
        private var byStripe: [KeyStripe: EntrySubject] = [:]

        mutating func subject(of name: String, makeSubject: () -> EntrySubject) -> EntrySubject {
            let stripe = KeyStripe(of: name)
            let isFull = byName.count >= Self.limit
            if let present = byName[name] ?? (isFull ? byStripe[stripe] : nil) { return present }
            let subject = makeSubject()
            if isFull { byStripe[stripe] = subject } else { byName[name] = subject }
            return subject
        }

        /// The subjects of an entry, of its beginnings, and of its members, because names can lead into dictionaries.
        func concerned(by entry: PropertyListChange.Entry) -> [EntrySubject] {
            let names = [entry.key] + entry.key.beginningsBeforeDots.map(\.wrappedValue)
            let direct = names.compactMap { byName[$0] } + names.compactMap { byStripe[KeyStripe(of: $0)] }
            guard [entry.old, entry.new].contains(where: { if case .dictionary = $0 { true } else { false } }) else {
                return direct
            }
            let prefix = entry.key + "."
            return direct + byStripe.values + byName.lazy.filter { $0.key.hasUTF8Prefix(prefix) }.map(\.value)
        }
    }

    private static let trackers = StoreTable<StoreTracker>()
    private static let lastIdentifier = Atomic<UInt64>(0)

    /// Never used again, unlike the address.
    let identifier = StoreTracker.lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue

    private let subjects = Locked(Subjects())
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
        subjects.withLock { $0.subject(of: entry) { EntrySubject(tracker: identifier) } }
    }

    private func change(_ change: PropertyListChange) {
        let changed = subjects.withLock { subjects in change.entries.flatMap(subjects.concerned) }
        for subject in changed {
            subject.change()
        }
    }
}
