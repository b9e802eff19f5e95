/// A place that keeps property-list values by key: the one contract between keys and everything that can hold them.
///
/// Keys and bridges know this protocol and nothing else of a store; a store knows nothing of keys. A type that conforms
/// keeps six promises. `KeyspanTesting` states each of them as a test (`StoreConformance`) that runs on any store, and
/// the article <doc:ImplementingAStore> builds a store from the parts that the shipped ones are made of.
///
/// 1. **Reads answer from memory**, synchronously, without I/O, and never fail.
/// 2. **Writes are batches.** A reader sees all of a batch or nothing of it; an error means that nothing of it happened.
/// 3. **A snapshot is consistent**, and holding one does not make later writes slow.
/// 4. **Observers are notified of everything once, in order.** An observer is registered, and has received the present values
///    if it asked for them, before ``observe(_:initial:_:)`` returns. Changes arrive in the order in which they were applied,
///    so the last one is the final state. Delivery belongs to the observer: a writer calls the observers of its own change
///    before its write returns, except one that another thread is calling at that moment, or whose backlog waits for a
///    background thread: that thread then delivers this change as well. No thread calls an observer that its change does not
///    concern, and no thread waits for an observer that another one calls. An observer may read and write the store, and one
///    that was cancelled receives nothing more. The article <doc:ObservingChanges> has the whole rule.
/// 5. **``synchronize()`` makes durable** what was applied before it, as far as the store promises durability, or throws.
/// 6. **What the store cannot hold is a typed error** and changes nothing.
///
/// All members may be called from any thread, and from within an observer. None of them calls an observer while it holds
/// a lock.
public protocol PropertyListStore: AnyObject, Sendable {
    /// What the store is called in errors and diagnostics, such as the path of its file; never a value it holds.
    var name: String { get }

    /// The state that reads see now, as a number that is never used again, for caches above the store.
    ///
    /// A store that has one keeps it with a ``RevisionCounter`` and advances it under its lock whenever a value changes.
    /// `nil`, which is what a store gets that does not implement this, means that nothing above it caches. Called on
    /// every read of a key, so it must not lock.
    var revision: StoreRevision? { get }

    /// The value of a key, or `nil` if the store has none.
    func value(forKey key: String) -> PropertyListValue?

    /// The value of a key with whether it is text that someone typed, both from one instant; `nil` if the store has none.
    ///
    /// A store that does not implement this answers ``value(forKey:)``, which is no such text. One that has text, such as
    /// environment variables, implements both, and marks the text in its snapshots and changes as well.
    func storedValue(forKey key: String) -> StoredValue?

    /// The layer that writes go to, if the store is made of layers; the same each time.
    ///
    /// `nil`, which is what a store gets that does not implement this, says that writes replace what readers see. A store
    /// that wraps a ``LayeredStore`` passes that one's on.
    var writableLayer: WritableLayer? { get }

    /// All keys and values as they are at one instant between two batches.
    func snapshot() -> PropertyListTable

    /// Where the values of keys came from, for people: ``Defaults/describe(_:)`` and errors tell it.
    ///
    /// A store that does not implement this answers its name for each key that has a value. One that has more to say, such
    /// as a line, says it in a ``Provenance/Source``. A store that wraps another one passes this on.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether to look for the lines of values in a file, which may read it and wait for the disk. If not,
    ///     the answer comes from memory.
    /// - Returns: An entry for each of the keys that has a value now.
    func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>

    /// Applies all writes of the batch, or none of them.
    ///
    /// On return every reader sees the batch. Its durability is ``synchronize()``'s business.
    ///
    /// - Parameter batch: The writes, and what they expect to find.
    /// - Throws: ``StoreError`` naming the key, if one of the writes cannot be held or an expectation was not met. A store that
    ///   throws ``StoreError/Code/conflict`` without an underlying error has let the value that decided into its memory, so
    ///   that whoever reads it again and repeats the write does not meet the same conflict.
    func apply(_ batch: PropertyListBatch) throws(StoreError)

    /// Registers an observer for all changes that are applied from now on; <doc:ObservingChanges> says which thread calls it.
    ///
    /// - Parameters:
    ///   - keys: The keys to hear about.
    ///   - initial: Whether the observer first hears the present values of those keys, as a change whose
    ///     ``PropertyListChange/isInitial`` is set; it does so on this thread before this returns. No change is lost or
    ///     repeated between it and the next one.
    ///   - receive: Called once for each batch that changed one of the keys, with those entries only. The change is made
    ///     on the thread that applies the batch, which marks it as quiet in ``Defaults/withoutPropagation(_:)``. Calls to one
    ///     observer never overlap.
    /// - Returns: The registration. It ends when it is cancelled or released.
    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation

    /// Returns when everything that was applied before is as durable as the store promises.
    ///
    /// May block on the disk or the network.
    ///
    /// - Throws: ``StoreError`` if that could not be done; the values stay readable, and a later call tries again.
    func synchronize() throws(StoreError)
}

extension PropertyListStore {
    /// `nil`: the store does not number its states.
    public var revision: StoreRevision? { nil }

    /// The value of a key: numbers and truth values are stored as such.
    @inlinable
    public func storedValue(forKey key: String) -> StoredValue? {
        value(forKey: key).map { StoredValue($0) }
    }

    /// Whether the value of a key is text that someone typed; `false` for a key without a value.
    public func holdsText(forKey key: String) -> Bool {
        storedValue(forKey: key)?.isText ?? false
    }

    /// `nil`: writes replace what readers see.
    public var writableLayer: WritableLayer? { nil }
}
