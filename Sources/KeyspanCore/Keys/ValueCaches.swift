public import Synchronization

/// The last value that a key decoded, with its stored form and the revision at which it was read.
///
/// Two stored forms are equal only if both are typed text or neither is, because only typed text is converted.
///
/// A value is decoded again only if its stored form differs, not whenever the store changed elsewhere. No thread ever waits for
/// another one: while the cache is taken, other threads bypass it.
// Unchecked because the contents are behind pointers. Only the thread that changed `isTaken` from false to true accesses them,
// and it releases them with a releasing store. `TypedKey`, the only owner, ensures that readers can share the value.
@usableFromInline
struct DecodedCache<Value>: ~Copyable, @unchecked Sendable {
    /// The origin of the cached value.
    @usableFromInline
    struct Origin {
        /// The revision of ``StoreRevision/ofNoStore`` if the value was read from a snapshot that is not the present state.
        @usableFromInline var revision: StoreRevision
        /// `nil` for an absent value, for which the default is cached.
        @usableFromInline let stored: StoredValue?
        /// Whether every part of the stored form was readable.
        @usableFromInline let isWhole: Bool
        /// Whether there is a value at all.
        @usableFromInline let isFilled: Bool

        @inlinable
        init(revision: StoreRevision, stored: StoredValue?, isWhole: Bool, isFilled: Bool = true) {
            self.revision = revision
            self.stored = stored
            self.isWhole = isWhole
            self.isFilled = isFilled
        }

        /// Whether a value decoded from this form is the one of an equal form in a store.
        ///
        /// A bridge only sees the stored form, so the store makes no difference. But the parts that could not be read are
        /// reported for each store.
        @inlinable
        func serves(_ stored: StoredValue?, of store: UInt64) -> Bool {
            isFilled && (isWhole || revision.store == store) && self.stored == stored
        }
    }

    @usableFromInline let isTaken = Atomic(false)
    @usableFromInline let origin = UnsafeMutablePointer<Origin>.allocate(capacity: 1)
    // Initialized as soon as the origin says so.
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init() {
        origin.initialize(to: Origin(revision: .ofNoStore, stored: nil, isWhole: false, isFilled: false))
    }

    deinit {
        if origin.pointee.isFilled { value.deinitialize(count: 1) }
        value.deallocate()
        origin.deinitialize(count: 1)
        origin.deallocate()
    }

    /// Tries to take the contents; if it succeeds, the caller calls ``release()`` afterwards.
    ///
    /// A mutex would cost three times as much as this one atomic exchange.
    @inlinable
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .acquiring) || takeAfterAnother()
    }

    /// Tries a few more times, because other threads release the contents after a few instructions.
    @usableFromInline
    func takeAfterAnother() -> Bool {
        for _ in 0..<16 where !isTaken.exchange(true, ordering: .acquiring) {
            return true
        }
        return false
    }

    @inlinable
    func release() {
        isTaken.store(false, ordering: .releasing)
    }

    /// The value read at exactly that revision, or `nil`.
    @inlinable
    func value(at revision: StoreRevision) -> Value? {
        guard take() else { return nil }
        defer { release() }
        return origin.pointee.revision == revision ? value.pointee : nil
    }

    /// The result of a strict read at exactly that revision, unless that was an error.
    @inlinable
    func strictRead(at revision: StoreRevision) -> CachedRead<Value> {
        guard take() else { return .unknown }
        defer { release() }
        guard origin.pointee.revision == revision, origin.pointee.isWhole else { return .unknown }
        return origin.pointee.stored == nil ? .absent : .value(value.pointee)
    }

    /// The value decoded from an equal stored form, which then counts for the new revision too.
    @inlinable
    func value(for stored: StoredValue?, at revision: StoreRevision) -> Value? {
        guard take() else { return nil }
        defer { release() }
        guard origin.pointee.serves(stored, of: revision.store) else { return nil }
        advance(to: revision)
        return value.pointee
    }

    /// Lets the cached value count for a revision, unless it is of a later one already.
    @inlinable
    func advance(to revision: StoreRevision) {
        let kept = origin.pointee.revision
        if kept.store != revision.store || kept.generation < revision.generation { origin.pointee.revision = revision }
    }

    /// The value decoded from an equal stored form, if every part of it was readable.
    ///
    /// It then counts for the new revision too, if there is one.
    @usableFromInline
    func wholeValue(for stored: StoredValue, at revision: StoreRevision? = nil) -> Value? {
        guard take() else { return nil }
        defer { release() }
        guard origin.pointee.isWhole, origin.pointee.stored == stored else { return nil }
        if let revision { advance(to: revision) }
        return value.pointee
    }

    /// Whether every part of an equal stored form was readable; `nil` if no equal form was decoded.
    @inlinable
    func isWhole(_ stored: StoredValue) -> Bool? {
        guard take() else { return nil }
        defer { release() }
        return origin.pointee.stored == stored ? origin.pointee.isWhole : nil
    }

    /// Caches a value for that revision, unless another thread is using the cache.
    ///
    /// - Parameters:
    ///   - new: The value.
    ///   - stored: The stored form.
    ///   - isWhole: Whether every part of the stored form was readable.
    ///   - revision: The revision at which it was read.
    ///   - precious: The revision whose value is kept instead, if it is cached.
    @inlinable
    func keep(
        _ new: Value,
        from stored: StoredValue?,
        isWhole: Bool,
        at revision: StoreRevision,
        unlessAt precious: StoreRevision? = nil
    ) {
        guard take() else { return }
        if let precious, origin.pointee.revision == precious { return release() }
        let replacedOrigin = origin.move()
        origin.initialize(to: Origin(revision: revision, stored: stored, isWhole: isWhole))
        let replaced = replacedOrigin.isFilled ? value.move() : nil
        value.initialize(to: new)
        release()
        // Released here, not while the contents are taken: releasing a value can run any deinitializer.
        withExtendedLifetime((replacedOrigin, replaced)) {}
    }
}

/// The part of a strict read's result that a cache knows.
@usableFromInline
enum CachedRead<Value> {
    /// Nothing: the stored form decides.
    case unknown
    /// The store has no value.
    case absent
    /// The value, every part of which was readable.
    case value(Value)
}

/// The last value that a key read, if its type is plain bits that fit two words, with the revision at which it was read.
///
/// Readers never lock and write nothing, so they scale with the threads. A sequence number guards the words and is odd while they
/// are written (a sequence lock): if a reader sees the same even number before and after, the words belong together.
@usableFromInline
struct ScalarCache<Value>: ~Copyable, Sendable {
    /// The kind of read that led to the value.
    @usableFromInline
    enum Origin: UInt8 {
        /// No value; the default is cached.
        case absent
        /// A value that could be read.
        case value
        /// A value that could not be read, at least not in full.
        case unreadable
    }

    @usableFromInline let sequence = Atomic<UInt64>(0)
    // No store has the number 0, so an empty cache matches no revision.
    @usableFromInline let store = Atomic<UInt64>(0)
    @usableFromInline let generation = Atomic<UInt64>(0)
    @usableFromInline let low = Atomic<UInt64>(0)
    @usableFromInline let high = Atomic<UInt64>(0)
    @usableFromInline let origin = Atomic<UInt8>(0)

    init() {}

    /// Whether values of the type can be kept as two words; a constant where the compiler knows the type.
    ///
    /// The standard library has no public test for "no references, plain bits" that works on a generic type.
    @inlinable
    static var fits: Bool {
        _isPOD(Value.self) && MemoryLayout<Value>.size <= 16 && MemoryLayout<Value>.alignment <= 8
    }

    /// The value read at exactly that revision, or `nil`; three to five atomic loads.
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
        // Callers have checked `fits`: the type is plain bits, no larger and no more aligned than the words.
        return withUnsafeBytes(of: words) { $0.load(as: Value.self) }
    }

    /// The result of a strict read at exactly that revision, unless that was an error.
    @inlinable
    func strictRead(at revision: StoreRevision) -> CachedRead<Value> {
        let before = sequence.load(ordering: .acquiring)
        let origin = origin.load(ordering: .acquiring)
        guard origin != Origin.unreadable.rawValue, let value = value(at: revision) else { return .unknown }
        guard sequence.load(ordering: .relaxed) == before else { return .unknown }
        return origin == Origin.absent.rawValue ? .absent : .value(value)
    }

    /// Caches a value for that revision, unless another thread is doing so.
    @inlinable
    func keep(_ value: Value, from origin: Origin, at revision: StoreRevision) {
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
        self.origin.store(origin.rawValue, ordering: .releasing)
        sequence.store(before + 2, ordering: .releasing)
    }
}
