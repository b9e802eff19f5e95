internal import Synchronization

/// The state of a key that its own last write led to, in which its stored value is known to be readable.
///
/// It saves a loop of writes the lookup of each replaced value. A batch carries it to the store, which compares and records the
/// state under the lock under which it writes (``CommittedTable``), so that both are about the state of the write.
package final class WrittenState: Sendable {
    /// The stripe of the key.
    let stripe: KeyStripe

    // Store and state in one word, so that every thread sees both or neither.
    private let state = Atomic<UInt64>(0)

    init(of stripe: KeyStripe) {
        self.stripe = stripe
    }

    /// Whether that is the state.
    func isCurrent(_ revision: StoreRevision?) -> Bool {
        guard let revision, let word = Self.word(revision) else { return false }
        return state.load(ordering: .relaxed) == word
    }

    /// Whether a store is in that state, so that the key can read the value that a write replaces.
    func isCurrent(in store: any PropertyListStore) -> Bool {
        // The store itself first: asking for its written store costs a tenth of a write.
        isCurrent(store.revision(of: stripe)) || isCurrent(store.writtenStore.revision(of: stripe))
    }

    /// Whether a store is in that state; called under its lock.
    func isCurrent(in counter: borrowing RevisionCounter) -> Bool { isCurrent(counter.current(of: stripe)) }

    /// Notes the state that a write of the key has led to; called under the lock of the store.
    func note(in counter: borrowing RevisionCounter) {
        if let word = Self.word(counter.current(of: stripe)) { state.store(word, ordering: .relaxed) }
    }

    /// The revision in one word; `nil` for numbers that few processes live long enough to reach.
    private static func word(_ revision: StoreRevision) -> UInt64? {
        guard revision.store < 1 << 24, revision.generation < 1 << 40 else { return nil }
        return revision.store << 40 | revision.generation
    }
}

extension PropertyListBatch.Write {
    /// Whether the write expects the noted state, and the present one is another.
    func hasLostNote(in counter: borrowing RevisionCounter) -> Bool {
        expectsNotedState && note?.isCurrent(in: counter) != true
    }
}

extension PropertyListBatch {
    /// Notes the state that the writes have led to in each of their keys; called under the lock of the store.
    func noteStates(in counter: borrowing RevisionCounter) {
        // Otherwise the last value of a key can be another key's of the same name.
        if writes.areOfFewKeysOnce { writes.forEach { $0.note?.note(in: counter) } }
    }

    /// The first key that is not in the noted state that its write expects; called under the lock of the store.
    func keyOfLostNote(in counter: borrowing RevisionCounter) -> String? {
        writes.expectsNotedStates ? writes.firstKey { $0.hasLostNote(in: counter) } : nil
    }

    /// The first key whose write expects the noted state.
    package var notedKey: String? {
        writes.expectsNotedStates ? writes.firstKey { $0.expectsNotedState } : nil
    }
}
