public import Synchronization

/// One state of one store, as a number: equal revisions mean that not a single value differs.
public struct StoreRevision: Sendable, Hashable {
    /// Which store, unique within the process and never used again.
    @usableFromInline package let store: UInt64

    /// Which of the store's states; grows with each change.
    @usableFromInline package let generation: UInt64

    /// Makes a revision.
    ///
    /// - Parameters:
    ///   - store: A number from ``RevisionCounter/makeStoreIdentifier()``.
    ///   - generation: A number that differs whenever a value of the store differs.
    @inlinable
    @_spi(StoreAuthors) public init(store: UInt64, generation: UInt64) {
        self.store = store
        self.generation = generation
    }
}

/// Numbers the states of a store, for its ``PropertyListStore/revision``.
///
/// A store owns one, calls ``advance()`` under its own lock whenever it changed a value, and answers ``current`` without
/// that lock.
@_spi(StoreAuthors) public struct RevisionCounter: ~Copyable, Sendable {
    @usableFromInline let store: UInt64
    @usableFromInline let generation: Atomic<UInt64>

    /// Makes a counter for a new store.
    @_spi(StoreAuthors) public init() {
        store = Self.makeStoreIdentifier()
        generation = Atomic(0)
    }

    /// The state that reads see now; one atomic load.
    @inlinable
    @_spi(StoreAuthors) public var current: StoreRevision {
        StoreRevision(store: store, generation: generation.load(ordering: .acquiring))
    }

    /// Begins the next state; called under the lock that protects the values, after they changed.
    @inlinable
    @_spi(StoreAuthors) public func advance() {
        generation.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// A number that no other store of this process has.
    @_spi(StoreAuthors) public static func makeStoreIdentifier() -> UInt64 {
        lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastIdentifier = Atomic<UInt64>(0)
}

/// The state of a store that a key's own last write led to, in which its stored value is known to be readable.
///
/// It saves a loop of writes the lookup of each replaced value. A batch carries it to the store, which compares and records the
/// state under the lock under which it writes (``CommittedTable``), so that both are about the state of the write.
package final class WrittenState: Sendable {
    // Store and state in one word, so that every thread sees both or neither.
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
