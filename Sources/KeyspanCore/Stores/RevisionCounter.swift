public import Synchronization

/// Numbers the states of a store, for its ``PropertyListStore/revision``.
///
/// A store owns one, calls ``advance()`` under its own lock whenever it changed a value, and answers ``current`` without
/// that lock.
public struct RevisionCounter: ~Copyable, Sendable {
    @usableFromInline let store: UInt64
    @usableFromInline let generation: Atomic<UInt64>

    /// Makes a counter for a new store.
    public init() {
        store = Self.makeStoreIdentifier()
        generation = Atomic(0)
    }

    /// The state that reads see now; one atomic load.
    @inlinable
    public var current: StoreRevision {
        StoreRevision(store: store, generation: generation.load(ordering: .acquiring))
    }

    /// Begins the next state; called under the lock that protects the values, after they changed.
    @inlinable
    public func advance() {
        generation.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// A number that no other store of this process has.
    public static func makeStoreIdentifier() -> UInt64 {
        lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastIdentifier = Atomic<UInt64>(0)
}
