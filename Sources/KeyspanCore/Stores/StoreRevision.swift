public import Synchronization

/// The state of some or all keys of one store, as a number: as long as it stays the same, not a single value of them changes.
///
/// Compare revisions of one ``KeyStripe`` only.
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

    /// A revision that no store ever has, because no store has the number 0.
    @usableFromInline static var ofNoStore: StoreRevision { StoreRevision(store: 0, generation: 0) }
}

/// Numbers the states of a store, for ``PropertyListStore/revision(of:)``: the state of all keys, and that of each stripe.
///
/// A store owns one, advances it under its own lock whenever it changed a value, and answers ``current(of:)`` without that
/// lock. A reader that finds a new number and then reads the value under the lock gets the new value.
@_spi(StoreAuthors) public struct RevisionCounter: ~Copyable, Sendable {
    @usableFromInline let store: UInt64
    @usableFromInline let cells = RevisionCells()

    /// Makes a counter for a new store.
    @_spi(StoreAuthors) public init() {
        store = Self.makeStoreIdentifier()
    }

    /// The state of a stripe that reads see now; one atomic load.
    @inlinable
    @_spi(StoreAuthors) public func current(of stripe: KeyStripe) -> StoreRevision {
        StoreRevision(store: store, generation: cells.generation(of: stripe))
    }

    /// Begins the next state after a change of any keys; called under the lock that protects the values, after they changed.
    @_spi(StoreAuthors) public func advance() {
        let generation = cells.advanceWhole()
        for index in KeyStripe.first..<KeyStripe.end {
            cells.set(generation, at: index)
        }
    }

    /// Begins the next state after a change; called under the lock that protects the values, after they changed.
    @_spi(StoreAuthors) public func advance(after change: PropertyListChange) {
        guard change.isInsideDictionaries else {
            let generation = cells.advanceWhole()
            change.storage.forEach { cells.set(generation, at: KeyStripe(of: $0.key).index) }
            return
        }
        advance(in: change.stripes)
    }

    /// Begins the next state after a change of some stripes; of all for `nil`.
    func advance(in stripes: Set<KeyStripe>?) {
        guard let stripes else { return advance() }
        let generation = cells.advanceWhole()
        for stripe in stripes { cells.set(generation, at: stripe.index) }
    }

    /// Begins the next state after the writes of a batch.
    func advance(after batch: PropertyListBatch) {
        if batch.writes.removesAll { return advance() }
        let generation = cells.advanceWhole()
        batch.writes.forEach { cells.set(generation, at: $0.stripe.index) }
    }

    /// A number that no other store of this process has.
    @_spi(StoreAuthors) public static func makeStoreIdentifier() -> UInt64 {
        lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastIdentifier = Atomic<UInt64>(0)
}

/// The numbers of a ``RevisionCounter``: that of the state of all keys, and for each stripe that of its last change.
///
/// One thread at a time changes them, so each change is a plain load and store. The number of the whole state changes first:
/// whoever finds the whole state unchanged has not read the number of a later state for any stripe before.
// Unchecked because the numbers are behind a pointer. They are atomic, and live as long as the object.
@usableFromInline
package final class RevisionCells: @unchecked Sendable {
    @usableFromInline let numbers: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        // Aligned, so that the number that each write changes shares no cache line with a stripe.
        numbers = UnsafeMutableRawPointer.allocate(byteCount: KeyStripe.end * 8, alignment: 64)
            .bindMemory(to: Atomic<UInt64>.self, capacity: KeyStripe.end)
        for index in 0..<KeyStripe.end {
            (numbers + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        numbers.deinitialize(count: KeyStripe.end)
        UnsafeMutableRawPointer(numbers).deallocate()
    }

    @inlinable
    func generation(of stripe: KeyStripe) -> UInt64 {
        // A stripe's index is always within the numbers.
        numbers[stripe.index].load(ordering: .acquiring)
    }

    /// Numbers the next state.
    ///
    /// - Returns: The number.
    func advanceWhole() -> UInt64 {
        let next = numbers[0].load(ordering: .relaxed) &+ 1
        numbers[0].store(next, ordering: .releasing)
        return next
    }

    func set(_ generation: UInt64, at index: Int) {
        numbers[index].store(generation, ordering: .releasing)
    }
}
