public import Synchronization

/// The last value that a key decoded, with the store and the stored value it came from and the state it was read at.
///
/// Two stored values are equal only if both are text or neither is: what makes a number of the one makes none of the other.
///
/// A value is decoded again only if its stored form differs, not whenever the store changed somewhere. Nobody ever waits
/// for another thread: what is taken at the moment is read past the cache, or not kept.
// Unchecked because the contents are behind pointers. Only the thread that has turned `isTaken` from false to true looks
// at them, and lets go with a releasing store. That the value itself can be handed to all readers is the business of
// `Key`, which is the only owner.
@usableFromInline
struct DecodedCache<Value>: ~Copyable, @unchecked Sendable {
    /// Where a kept value comes from.
    @usableFromInline
    struct Origin {
        @usableFromInline var revision: StoreRevision
        @usableFromInline let stored: StoredValue?
        /// Whether no part of the stored value was left out.
        @usableFromInline let isWhole: Bool

        @inlinable
        init(revision: StoreRevision, stored: StoredValue?, isWhole: Bool) {
            self.revision = revision
            self.stored = stored
            self.isWhole = isWhole
        }
    }

    @usableFromInline let isTaken = Atomic(false)
    @usableFromInline let origin = UnsafeMutablePointer<Origin>.allocate(capacity: 1)
    // Initialised as soon as the origin names a store.
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init() {
        // No store has the number 0, so an empty cache matches no revision.
        let nowhere = StoreRevision(store: 0, generation: 0)
        origin.initialize(to: Origin(revision: nowhere, stored: nil, isWhole: false))
    }

    deinit {
        if origin.pointee.revision.store != 0 { value.deinitialize(count: 1) }
        value.deallocate()
        origin.deinitialize(count: 1)
        origin.deallocate()
    }

    /// Tries to get the contents; who gets them calls ``letGo()``.
    ///
    /// A mutex would do as well, at three times the price of the one exchange that this takes.
    @inlinable
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .acquiring) || takeAfterAnother()
    }

    /// Tries a few more times: what another thread does with the contents takes a few instructions.
    @usableFromInline
    func takeAfterAnother() -> Bool {
        for _ in 0..<16 where !isTaken.exchange(true, ordering: .acquiring) {
            return true
        }
        return false
    }

    @inlinable
    func letGo() {
        isTaken.store(false, ordering: .releasing)
    }

    /// The value read at exactly that state, or `nil`.
    @inlinable
    func value(at revision: StoreRevision) -> Value? {
        guard take() else { return nil }
        defer { letGo() }
        return origin.pointee.revision == revision ? value.pointee : nil
    }

    /// The value decoded from an equal stored value of the same store, which is then good for the new state too.
    @inlinable
    func value(for stored: StoredValue?, at revision: StoreRevision) -> Value? {
        guard take() else { return nil }
        defer { letGo() }
        let kept = origin.pointee.revision
        guard kept.store == revision.store, origin.pointee.stored == stored else { return nil }
        if kept.generation < revision.generation { origin.pointee.revision = revision }
        return value.pointee
    }

    /// The value decoded from an equal stored value of the same store, if no part of it was left out.
    func wholeValue(for stored: StoredValue, of store: UInt64) -> Value? {
        guard take() else { return nil }
        defer { letGo() }
        let kept = origin.pointee
        return kept.revision.store == store && kept.isWhole && kept.stored == stored ? value.pointee : nil
    }

    /// Whether an equal stored value was decoded without leaving out a part; `nil` if none was.
    ///
    /// The store makes no difference: a bridge knows nothing of it, only the value and whether that is text.
    @inlinable
    func isWhole(_ stored: StoredValue) -> Bool? {
        guard take() else { return nil }
        defer { letGo() }
        return origin.pointee.stored == stored ? origin.pointee.isWhole : nil
    }

    /// Keeps a value for that state; gives way if another thread is doing so.
    @inlinable
    func keep(_ new: Value, from stored: StoredValue?, isWhole: Bool, at revision: StoreRevision) {
        guard take() else { return }
        let isFirst = origin.pointee.revision.store == 0
        let replacedOrigin = origin.move()
        origin.initialize(to: Origin(revision: revision, stored: stored, isWhole: isWhole))
        let replaced = isFirst ? nil : value.move()
        value.initialize(to: new)
        letGo()
        // Released here, not while the contents are taken: releasing a value can run anyone's `deinit`.
        withExtendedLifetime((replacedOrigin, replaced)) {}
    }
}
