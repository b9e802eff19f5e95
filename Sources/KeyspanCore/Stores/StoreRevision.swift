/// One state of one store, as a number: equal revisions mean that not a single value differs.
public struct StoreRevision: Sendable, Hashable {
    /// Which store, unique within the process and never used again.
    public let store: UInt64

    /// Which of the store's states; grows with each change.
    public let generation: UInt64

    /// Makes a revision.
    ///
    /// - Parameters:
    ///   - store: A number from ``RevisionCounter/makeStoreIdentifier()``.
    ///   - generation: A number that differs whenever a value of the store differs.
    @inlinable
    public init(store: UInt64, generation: UInt64) {
        self.store = store
        self.generation = generation
    }
}
