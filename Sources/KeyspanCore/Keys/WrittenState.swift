internal import Synchronization

/// The state of a store that a key's own last write led to, in which its stored value is known to be readable.
///
/// It spares a loop of writes the look at the value that each of them replaces. A batch carries it to the store, which
/// compares and notes under the lock under which it writes (``CommittedTable``). So neither the comparison nor the note can
/// be about another state than the write.
package final class WrittenState: Sendable {
    // Store and state in one word, so that no thread sees one of them without the other.
    private let state = Atomic<UInt64>(0)

    init() {}

    /// Whether that is the state.
    func isCurrent(_ revision: StoreRevision?) -> Bool {
        guard let revision, let word = Self.word(revision) else { return false }
        return state.load(ordering: .relaxed) == word
    }

    /// Notes the state that a write of the key has led to; called under the lock of the store.
    func note(_ revision: StoreRevision) {
        if let word = Self.word(revision) { state.store(word, ordering: .relaxed) }
    }

    /// The revision in one word; `nil` for numbers that few processes live long enough to reach.
    private static func word(_ revision: StoreRevision) -> UInt64? {
        guard revision.store < 1 << 24, revision.generation < 1 << 40 else { return nil }
        return revision.store << 40 | revision.generation
    }
}
