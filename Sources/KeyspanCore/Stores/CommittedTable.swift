/// A table that readers, writers and observers share: the half of a store that is in memory.
///
/// A store combines one of these with its own means of durability. The table keeps promises 1 to 4 of
/// ``PropertyListStore``. Safe to use from any thread; each call takes one lock.
@_spi(StoreAuthors) public struct CommittedTable: ~Copyable, Sendable {
    private let table: Locked<PropertyListTable>
    let counter = RevisionCounter()
    private let broadcaster = ChangeBroadcaster()

    /// Makes a shared table of values, none of which is text that someone typed.
    ///
    /// Each name is that of an entry, also if names lead into dictionaries where the values come from.
    @_spi(StoreAuthors) public init(_ values: PropertyListTable) {
        table = Locked(values.listed.markedAsNoText)
    }

    /// Makes a shared table of values, whose names may lead into dictionaries.
    package init(named values: PropertyListTable) {
        table = Locked(values)
    }

    /// The number of a stripe's present state; one atomic load.
    @_spi(StoreAuthors) public func revision(of stripe: KeyStripe) -> StoreRevision { counter.current(of: stripe) }

    /// The number of the present state; one atomic load.
    @_spi(StoreAuthors) public var revision: StoreRevision { revision(of: .all) }

    /// The value of a key.
    @_spi(StoreAuthors) public func value(forKey key: String) -> PropertyListValue? {
        table.withLock { $0[key] }
    }

    /// The value of a key, which is not text that someone typed.
    @_spi(StoreAuthors) public func storedValue(forKey key: String) -> StoredValue? {
        value(forKey: key).map { StoredValue($0) }
    }

    /// The present state.
    @_spi(StoreAuthors) public func snapshot() -> PropertyListTable {
        table.withLock { $0 }
    }

    /// The present state and its number.
    @_spi(StoreAuthors) public func numberedSnapshot() -> (table: PropertyListTable, revision: StoreRevision) {
        table.withLock { ($0, counter.current(of: .all)) }
    }

    /// Applies a batch without notifying observers; ``deliver()`` follows on the same thread when the store has done its own
    /// work.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    /// - Throws: ``StoreError``, and the table is unchanged.
    @_spi(StoreAuthors) public func commit(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try commit(batch, store: store) { _, _, _ in }
    }

    /// Applies a batch as ``commit(_:store:)`` does, where its names lead, and records it before anyone can see its effect.
    ///
    /// A batch is also recorded if it changes nothing here: the table's backing may have other values by now.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    ///   - isForbidden: Asked under the lock; the batch is not applied if it answers `true`.
    ///   - record: Called under the lock if the batch has writes, with whether they change anything, the table that has them,
    ///     and whether each name is that of an entry, so that records have the order of the writes.
    /// - Returns: Whether the batch was applied.
    @discardableResult
    package func commit(
        _ batch: PropertyListBatch,
        store: String,
        unless isForbidden: () -> Bool = { false },
        recording record: (_ isChange: Bool, _ table: PropertyListTable, _ isPlain: Bool) -> Void
    ) throws(StoreError) -> Bool {
        try table.withLock { (table) throws(StoreError) in
            if isForbidden() { return false }
            if let key = batch.keyOfLostNote(in: counter) { throw .conflict(key: key, store: store) }
            // Names may lead into what a batch writes.
            let isObserved = table.naming == nil ? broadcaster.isConcerned(by: batch) : broadcaster.isObserved
            let isPlain = table.isPlain(batch)
            if isObserved {
                let change = try table.applyNamed(batch, store: store, isPlain: isPlain)
                if !batch.isEmpty { record(!change.isEmpty, table, isPlain) }
                if !change.isEmpty {
                    counter.advance(after: change)
                    broadcaster.enqueue(change)
                }
            } else {
                let effect = try table.applyUnobserved(batch, store: store, isPlain: isPlain)
                if !batch.isEmpty { record(!effect.isNone, table, isPlain) }
                switch effect {
                case .none: break
                case .ofEntries: counter.advance(after: batch)
                case .ofDictionaries: counter.advance()
                case .ofNames(let names): counter.advance(in: names.stripes)
                }
            }
            batch.noteStates(in: counter)
            return true
        }
    }

    /// Lets names lead into dictionaries in another way.
    ///
    /// The values stay as they are. Only the places of new names may be others, so no revision changes.
    package func setNaming(_ naming: NestedNaming?) {
        table.withLock { $0.naming = naming }
    }

    /// The first key that is not in the noted state that a write of a batch expects; called in ``inspect(_:)``.
    package func keyOfLostNote(of batch: PropertyListBatch) -> String? { batch.keyOfLostNote(in: counter) }

    /// Looks at the present state while nobody changes it.
    ///
    /// - Parameter body: Called under the lock.
    package func inspect<Failure: Error>(_ body: (PropertyListTable) throws(Failure) -> Void) throws(Failure) {
        try table.withLock { (table) throws(Failure) in try body(table) }
    }

    /// Applies changes that other writers made, or that were decided elsewhere, without notifying observers; ``deliver()``
    /// follows.
    ///
    /// - Parameters:
    ///   - isQuiet: Whether the change is one of ``Defaults/withoutPropagation(_:)``.
    ///   - scope: The scope in which observers are called: that of the writer, or `nil` for a change by others.
    ///   - thread: The thread that calls ``deliver()`` for the change, if it is not the present one.
    ///   - isForBackground: Whether background threads call the observers, one thread for each, because the present thread
    ///     only found the changes.
    ///   - body: Called under the lock with the table that it changes; answers what it changed.
    package func merge(
        isQuiet: Bool = false,
        in scope: OperationScope? = nil,
        by thread: ThreadIdentity = .current,
        deliveringInBackground isForBackground: Bool = false,
        _ body: (inout PropertyListTable) -> [PropertyListChange.Entry]
    ) {
        table.withLock { table in
            let entries = body(&table)
            guard !entries.isEmpty else { return }
            let change = PropertyListChange(entries: entries, isInitial: false, isQuiet: isQuiet).inside(table)
            counter.advance(after: change)
            broadcaster.enqueue(
                change,
                deliveringInBackground: isForBackground,
                by: thread,
                in: scope
            )
        }
    }

    /// Notifies observers of what this thread has committed; called without any lock, on the thread that committed it.
    ///
    /// The rule is in <doc:ObservingChanges>. Does nothing if there is nothing, so it may be called once too often.
    @_spi(StoreAuthors) public func deliver() {
        broadcaster.deliver()
    }

    /// Notifies observers as ``deliver()`` does, on a thread that nothing waits for, which may call an observer itself.
    package func deliverOnFreeThread() {
        broadcaster.deliver(onFreeThread: true)
    }

    /// Lets background threads notify observers of what this thread has merged for them; this thread calls none, also not for what else it
    /// has committed.
    package func deliverInBackground() {
        broadcaster.deliverInBackground()
    }

    /// Registers an observer, as ``PropertyListStore/observe(_:initial:_:)`` asks.
    @_spi(StoreAuthors) public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        observe(keys, listedBy: nil, initial: initial, receive)
    }

    /// Registers an observer, which receives the changes of all keys as a listing has them.
    package func observe(
        _ keys: ObservedKeys,
        listedBy listing: EntryListing?,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        var receive = receive
        if case .all = keys, let listing {
            receive = { [receive] change in
                if let change = change.isInitial ? change : listing.change(change) { receive(change) }
            }
        }
        let observation = table.withLock { [receive] table in
            var present = table
            present.listing = listing
            return broadcaster.register(keys, initial: initial ? present : nil, receive)
        }
        broadcaster.deliver()
        return observation
    }
}

/// A table that never changes: the counterpart of ``CommittedTable`` for read-only stores.
package struct ConstantTable: Sendable {
    /// The values.
    package let table: PropertyListTable

    /// The number of the only state.
    let revision = StoreRevision(store: RevisionCounter.makeStoreIdentifier(), generation: 0)

    /// Makes a table.
    package init(_ table: PropertyListTable) {
        self.table = table
    }

    /// Gives an observer the values if it asks for them; there will be no change.
    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        // Changes that the observer makes are not part of a quiet closure in which it is registered.
        if initial { QuietScope.leave { receive(keys.initialChange(from: table)) } }
        return StoreObservation {}
    }
}

/// A store in memory that refuses every write.
package protocol ReadOnlyStore: PropertyListStore {
    /// The remedy in the error for a write.
    var remedyForWrite: String { get }
}

// Public, because they implement requirements of a public protocol for public types.
@_spi(StoreAuthors) extension ReadOnlyStore {
    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: remedyForWrite)
    }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        if batch.hasEffect { try apply(batch) }
    }
}

extension ReadOnlyStore {
    public func synchronize() {}
}

/// A store of values that never change.
package protocol ConstantStore: ReadOnlyStore, ProvenanceReporting, CountingStore {
    /// The values.
    var contents: ConstantTable { get }
}

@_spi(StoreAuthors) extension ConstantStore {
    package var revisionCells: [RevisionCells]? { [] }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision }

    public func storedValue(forKey key: String) -> StoredValue? { contents.table[stored: key] }

    public func snapshot() -> PropertyListTable { contents.table }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    /// The provenance of those keys that have a value.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - detail: The place of a key's value in the store.
    func provenance(forKeys keys: [String], detail: (String) -> String?) -> TextDictionary<Provenance> {
        keys.reduce(into: [:]) { found, key in
            guard contents.table[key] != nil else { return }
            found[key] = Provenance([.init(store: name, detail: detail(key))])
        }
    }
}
