@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// A store on one ``FileEngine``: the implementation that the file stores of all formats share.
///
/// The conforming types are final and in this module, so the compiler specializes these methods for each of them.
package protocol FileStore: ProvenanceReporting, CountingStore, ReloadableStore, ActivityBroadcasting, ExitSavingStore {
    /// The table in memory, which all stores of the file in this process share.
    var engine: FileEngine { get }
    /// How this store lists its entries.
    var listing: EntryListing? { get }
}

extension FileStore {
    package var activity: ActivityBroadcaster { engine.activity }

    package func giveUpSavingAtExit() {
        engine.isGivenUp.store(true, ordering: .relaxed)
    }

}

// Users call these as members of the protocol.
@_spi(StoreAuthors) extension FileStore {
    package var revisionCells: [RevisionCells]? { engine.contents.revisionCells }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { engine.contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? {
        engine.contents.storedValue(forKey: key)
    }

    /// The form that the store's options or else its format chooses.
    public var valueForm: Defaults.ValueForm { engine.valueForm }

    public func snapshot() -> PropertyListTable {
        engine.contents.snapshot().listed(by: listing)
    }

    /// The file's path, with the line of each value if lines are asked for and the format has lines.
    ///
    /// To find lines, this reads and parses the file as it is on the disk now. A value gets no line and
    /// the words `(not in the file now)` if the file has another value or none: because the value is not saved yet, is only
    /// in the journal, or was just changed by another process. If the file cannot be read or parsed, no value gets a line.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        engine.provenance(forKeys: keys, store: name, findingLines: findingLines)
    }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try engine.apply(batch, store: name)
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        engine.contents.observe(keys, listedBy: listing, initial: initial, receive)
    }

    public func synchronize() throws(StoreError) {
        try engine.synchronize(store: name)
    }

    /// Reads the file and the journal now, also if the store does not watch them.
    public func reload() throws(StoreError) {
        try engine.reload(store: name)
    }

    public var unsavedKeys: [String] { engine.ledger.withLock(\.unsavedKeys) }

    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        try await engine.runBlocking { () throws(StoreError) in try self.applyAndSynchronize(batch) }
    }
}
