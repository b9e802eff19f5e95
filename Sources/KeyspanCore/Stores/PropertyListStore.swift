/// A place that keeps property-list values by key: the one contract between keys and everything that can hold them.
///
/// Keys and bridges know only this protocol of a store, and a store knows nothing of keys. A conforming type keeps six
/// promises. `KeyspanTesting` states each of them as a test (`StoreConformance`) that runs on any store, and the article
/// <doc:ImplementingAStore> builds a store from the parts that the shipped ones are made of.
///
/// 1. **Reads answer from memory**, synchronously, without I/O, and never fail.
/// 2. **Writes are batches.** A reader sees all of a batch or nothing of it; an error means that nothing of it happened.
/// 3. **A snapshot is consistent**, and holding one does not make later writes slow.
/// 4. **Observers are notified of everything once, in order.** An observer is registered, and has received the present values
///    if it asked for them, before ``observe(_:initial:_:)`` returns. Changes arrive in the order in which they were applied,
///    so the last one is the final state. Delivery belongs to the observer: a writer calls the observers of its own change
///    before its write returns, except an observer that another thread is calling at that moment, or whose backlog waits for a
///    background thread: that thread then delivers this change as well. No thread calls an observer that its change does not
///    concern, and no thread waits for an observer that another one calls. An observer may read and write the store, and a
///    canceled one receives nothing more. The article <doc:ObservingChanges> has the whole rule.
/// 5. **``synchronize()`` makes durable** everything that was applied before it, as far as the store promises durability, or
///    throws. So does ``commit(_:)``, which never blocks a thread of the cooperative pool.
/// 6. **A value that the store cannot hold is a typed error** and changes nothing.
///
/// All members may be called from any thread, and from within an observer. None of them calls an observer while it holds
/// a lock.
///
/// Refinements say more about some stores: ``ProvenanceReporting`` knows where values came from, ``RegisteringStore`` takes
/// registered defaults, ``LayeredPropertyListStore`` is made of layers, ``ReloadableStore`` reads its source again when asked, and
/// ``ActivityReporting`` reports what it does with it.
public protocol PropertyListStore: AnyObject, Sendable {
    /// The name of the store in errors and diagnostics, such as the path of its file; never a value that it holds.
    var name: String { get }

    /// The state that reads of a stripe's keys see now, as a number that is never used again, for caches above the store.
    ///
    /// A store that numbers its states does so with a ``RevisionCounter``, which it advances under its lock whenever a value
    /// changes. A store that has one number for all keys returns it for every stripe: its keys then look their values up again
    /// after each change. `nil`, the default, means that nothing above the store caches. Every read of a key asks for it, so it
    /// must not lock.
    ///
    /// A change of a key changes the revision of the key's stripe and that of ``KeyStripe/all``, which changes first if they do
    /// not change together.
    func revision(of stripe: KeyStripe) -> StoreRevision?

    /// The value of a key, or `nil` if the store has none.
    ///
    /// A store whose values keep their types returns `StoredValue(value)`. A store of text, such as environment variables,
    /// marks its values as text, here and in its snapshots and changes, so that keys of other types convert them.
    func storedValue(forKey key: String) -> StoredValue?

    /// The store that holds the values which writes replace: the same one each time.
    ///
    /// The default, `self`, is right for every store whose readers see what it holds itself. A ``LayeredStore`` returns the
    /// layer that it writes to; a store that wraps another one passes on the answer of that one.
    var writtenStore: any PropertyListStore { get }

    /// The form in which keys write values that a property list has no kind for.
    ///
    /// The default is the form of ``writtenStore``, and ``Defaults/ValueForm/jsonText`` for a store that holds its values itself. It is
    /// asked before each such write, so it must not lock.
    var valueForm: Defaults.ValueForm { get }

    /// All keys and values as they are at one instant between two batches.
    func snapshot() -> PropertyListTable

    /// Applies all writes of the batch, or none of them.
    ///
    /// When this returns, every reader sees the batch, and observers of the change were notified as promise 4 says. Durability
    /// is the business of ``synchronize()``, unless an option of the store says more.
    ///
    /// - Parameter batch: The writes, and the values that they expect to find.
    /// - Throws: ``StoreError`` that names the key, if the store cannot hold one of the values or an expectation is not met. A
    ///   store that throws ``StoreError/Code/conflict`` without an underlying error has already made the deciding value
    ///   visible to its readers, so that a caller who reads it and repeats the write does not meet the same conflict.
    func apply(_ batch: PropertyListBatch) throws(StoreError)

    /// Registers an observer for all changes that are applied from now on; <doc:ObservingChanges> says which thread calls it.
    ///
    /// - Parameters:
    ///   - keys: The keys to observe.
    ///   - initial: Whether the observer first receives the present values of those keys, as a change whose
    ///     ``PropertyListChange/isInitial`` is set. It receives them on this thread before this returns. No change is lost or
    ///     repeated between them and the next change.
    ///   - receive: Called once for each batch that changed one of the keys, with the entries of those keys only. Calls of one
    ///     observer never overlap.
    /// - Returns: The registration. It ends when it is canceled or released, and does not keep the store alive.
    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation

    /// Returns when everything that was applied before is as durable as the store promises.
    ///
    /// May block the thread on the disk or the network.
    ///
    /// - Throws: ``StoreError`` if that failed. The values stay readable, and a later call tries again.
    func synchronize() throws(StoreError)

    /// Applies a batch and returns when it, and everything applied before it, is as durable as the store promises; never blocks
    /// a thread of the cooperative pool.
    ///
    /// The default calls ``apply(_:)-(PropertyListBatch)`` and ``synchronize()`` on a thread of its own. A store that waits for a network
    /// implements this with its own asynchronous calls.
    ///
    /// - Parameter batch: The writes, and the values that they expect to find. An empty one only waits.
    /// - Throws: ``StoreError``. If its code is ``StoreError/Code/notDurable``, the batch was applied and readers see it, and
    ///   a later ``synchronize()`` tries again to make it durable. Any other error means that none of the batch happened, for
    ///   instance ``StoreError/Code/notApplied`` if the store applies the batch only together with a disk that failed.
    func commit(_ batch: PropertyListBatch) async throws(StoreError)
}

extension PropertyListStore {
    /// `nil`: the store does not number its states.
    public func revision(of stripe: KeyStripe) -> StoreRevision? { nil }

    /// The state of all keys that reads see now; `nil` if the store does not number its states.
    public var revision: StoreRevision? { revision(of: .all) }

    /// The store itself: writes replace the values that readers see.
    public var writtenStore: any PropertyListStore { self }

    /// The form of the store that holds the values; JSON text if that is this one.
    public var valueForm: Defaults.ValueForm {
        let store = writtenStore
        return store === self ? .jsonText : store.valueForm
    }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        try await BlockingWork.shared.run(for: self) { () throws(StoreError) in try self.applyAndSynchronize(batch) }
    }

    /// Does what ``commit(_:)`` promises, on the present thread, which it may block.
    package func applyAndSynchronize(_ batch: PropertyListBatch) throws(StoreError) {
        do throws(StoreError) {
            if batch.hasEffect { try apply(batch) }
        } catch {
            throw error.beforeApplying
        }
        do throws(StoreError) {
            try synchronize()
        } catch {
            throw batch.isEmpty ? error : error.afterApplying
        }
    }

    /// Returns when everything that was applied before is as durable as the store promises; never blocks a thread of the
    /// cooperative pool.
    ///
    /// - Throws: ``StoreError`` if that failed. The values stay readable, and a later call tries again.
    public func synchronize() async throws(StoreError) {
        try await commit(PropertyListBatch())
    }

    /// The value of a key, or `nil` if the store has none.
    @inlinable
    public func value(forKey key: String) -> PropertyListValue? {
        storedValue(forKey: key)?.value
    }

    /// Whether the value of a key is text that someone typed; `false` for a key without a value.
    package func holdsText(forKey key: String) -> Bool {
        storedValue(forKey: key)?.isText ?? false
    }
}
