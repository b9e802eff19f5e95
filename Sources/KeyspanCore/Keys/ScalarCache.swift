public import Synchronization

/// The last value that a key read, if its type is plain bits that fit two words, with the state it was read at.
///
/// Readers never lock and write nothing, so they scale with the threads. The words are guarded by a sequence number that
/// is odd while they are written (a sequence lock): a reader that saw the same even number before and after has seen
/// words that belong together.
@usableFromInline
struct ScalarCache<Value>: ~Copyable, Sendable {
    @usableFromInline let sequence = Atomic<UInt64>(0)
    // No store has the number 0, so an empty cache matches no revision.
    @usableFromInline let store = Atomic<UInt64>(0)
    @usableFromInline let generation = Atomic<UInt64>(0)
    @usableFromInline let low = Atomic<UInt64>(0)
    @usableFromInline let high = Atomic<UInt64>(0)

    init() {}

    /// Whether values of the type can be kept as two words; a constant where the type is known to the compiler.
    ///
    /// The standard library has no public question for "no references, plain bits" that works on a generic type.
    @inlinable
    static var fits: Bool {
        _isPOD(Value.self) && MemoryLayout<Value>.size <= 16 && MemoryLayout<Value>.alignment <= 8
    }

    /// The value read at exactly that state, or `nil`; three to five atomic loads.
    @inlinable
    func value(at revision: StoreRevision) -> Value? {
        let before = sequence.load(ordering: .acquiring)
        // Each load acquires, so that none can move below the last one.
        guard
            before & 1 == 0,
            generation.load(ordering: .acquiring) == revision.generation,
            store.load(ordering: .acquiring) == revision.store
        else { return nil }
        let words = (
            low.load(ordering: .acquiring), MemoryLayout<Value>.size > 8 ? high.load(ordering: .acquiring) : 0
        )
        guard sequence.load(ordering: .relaxed) == before else { return nil }
        // `fits` has been asked before: the type is plain bits, no larger and no more aligned than the words.
        return withUnsafeBytes(of: words) { $0.load(as: Value.self) }
    }

    /// Keeps a value for that state; gives way if another thread is doing so.
    @inlinable
    func keep(_ value: Value, at revision: StoreRevision) {
        let before = sequence.load(ordering: .relaxed)
        guard
            before & 1 == 0,
            sequence.compareExchange(expected: before, desired: before + 1, ordering: .acquiringAndReleasing).exchanged
        else { return }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.storeBytes(of: value, as: Value.self) }
        // Each store releases, so that a reader that sees one of them sees the odd number too.
        store.store(revision.store, ordering: .releasing)
        generation.store(revision.generation, ordering: .releasing)
        low.store(words.0, ordering: .releasing)
        high.store(words.1, ordering: .releasing)
        sequence.store(before + 2, ordering: .releasing)
    }
}
