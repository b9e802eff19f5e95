public import Synchronization

/// The state of a store that a key's own last write led to, in which its stored value is known to be readable.
///
/// It spares a loop of writes the look at the value that each of them replaces.
@usableFromInline
struct WrittenState: ~Copyable, Sendable {
    // Store and state in one word, so that no thread sees one of them without the other.
    @usableFromInline let state = Atomic<UInt64>(0)

    init() {}

    /// Whether that is the state.
    @inlinable
    func isCurrent(_ revision: StoreRevision?) -> Bool {
        guard let revision, let word = Self.word(revision) else { return false }
        return state.load(ordering: .relaxed) == word
    }

    /// Remembers the state after a write, if that write alone led to it.
    ///
    /// A write that changed nothing, with exactly one change by someone else beside it, looks the same. What that one wrote
    /// under the key is then replaced without a look, as if it had come a moment later.
    @inlinable
    func note(before: StoreRevision?, after: StoreRevision?) {
        guard
            let before, let after, after.store == before.store, after.generation == before.generation &+ 1,
            let word = Self.word(after)
        else { return }
        state.store(word, ordering: .relaxed)
    }

    /// The revision in one word; `nil` for numbers that few processes live long enough to reach.
    @inlinable
    static func word(_ revision: StoreRevision) -> UInt64? {
        guard revision.store < 1 << 24, revision.generation < 1 << 40 else { return nil }
        return revision.store << 40 | revision.generation
    }
}
