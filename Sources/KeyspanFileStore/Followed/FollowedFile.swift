@_spi(StoreAuthors) package import KeyspanCore

/// A file that a store reads and never writes, and whose changes it follows.
package final class FollowedFile: FollowedSource {
    /// The absolute path of the file.
    package let path: String

    fileprivate let contents = CommittedTable(named: [:])
    let queue: any WorkQueue
    let report: @Sendable (FileReport) -> Void
    let activity = ActivityBroadcaster()
    let examination = Examination()
    let following = Locked(
        Following(WorkSchedule(completed: 0, delay: Following.delay, patience: FollowedFile.patience))
    )
    /// Held while the file is read, so that an older version never replaces a newer one.
    private let reading: Locked<FollowedFileReading>
    /// Where the members are.
    private let lines = Locked(MemberLines())
    /// How the store lists them.
    fileprivate let listing: EntryListing?

    /// How many attempts to parse a file fail before the failure is reported: with growing intervals, about three seconds.
    ///
    /// Another program may still be writing it.
    private static let patience = 4

    /// Reads a file, and follows its changes if the seams have a watcher.
    ///
    /// - Throws: ``FileStoreError`` if the file cannot be read, parsed or accepted. A file that does not exist has no values.
    package init(
        path: String,
        format: any TextFormat,
        keys: [Defaults.AnyKey],
        unknownNames: Defaults.UnknownNames,
        duplicates: FileStoreOptions.Nesting.Duplicates,
        validate: (@Sendable (PropertyListTable) throws -> Void)?,
        seams: FileStoreSeams
    ) throws(FileStoreError) {
        let fileSystem = InterruptRetryingFileSystem(seams.fileSystem)
        let path = try fileSystem.locate(path)
        self.path = path.text
        queue = seams.queue
        report = seams.report
        let reading = FollowedFileReading(
            path: path,
            format: format,
            keys: keys,
            unknownNames: unknownNames,
            duplicates: duplicates,
            validate: validate,
            fileSystem: fileSystem,
            report: seams.report
        )
        listing = EntryListing(of: keys.flatMap(\.entryNames))
        self.reading = Locked(reading)
        _ = try readSource()
        // Nothing has the name of the companion.
        let watched = WatchTarget.file(path, companion: { ".\($0).keyspan-none" })
        if let watcher = seams.watcher { follow(watched, at: path, with: watcher) }
    }

    /// Reads the file and lets its values take effect.
    func readSource() throws(FileStoreError) -> SourceReading {
        let (reports, read) = try reading.withLock { (reading) throws(FileStoreError) in
            guard let version = try reading.readVersion(in: examination) else {
                return ([@Sendable () -> Void](), SourceReading(held: reading.held))
            }
            lines.withLock { $0 = version.lines }
            let before = contents.revision
            contents.replace(by: version.table)
            let isChange = contents.revision != before
            return (
                version.reports,
                SourceReading(isChange: isChange, held: reading.held, isNewlyHeld: version.isNewlyHeld)
            )
        }
        for report in reports { report() }
        contents.deliver()
        return read
    }

    /// The file with the line of each key that has a value.
    fileprivate func provenance(ofKeys keys: [String]) -> TextDictionary<Provenance> {
        let (values, lines) = (contents.snapshot(), lines.withLock { $0 })
        return keys.reduce(into: [:]) { found, key in
            if values[key] != nil {
                found[key] = Provenance([.init(store: path, line: lines.line(of: key, in: values))])
            }
        }
    }

    /// How the file has a part of a key's value; `nil` if it is another one by now.
    fileprivate func sourceText(of part: PropertyListValue, at path: ValuePath, ofKey key: String) -> String? {
        let (values, lines) = (contents.snapshot(), lines.withLock { $0 })
        guard let found = values.find(key), found.value.part(at: path) == part else { return nil }
        let member = lines.member(at: ValuePath(found.place).steps + path.steps)
        return member?.text ?? (part.kind == .date ? nil : part.description)
    }
}

/// A store of a file that it follows and never writes.
package protocol FollowedFileStore: ReadOnlyStore, ProvenanceReporting, SourceTextReporting, CountingStore,
    ReloadableStore,
    ActivityBroadcasting
{
    /// The file.
    var file: FollowedFile { get }
}

@_spi(StoreAuthors) extension FollowedFileStore {
    package var remedyForWrite: String { "edit the file, or write to another layer" }

    package var revisionCells: [RevisionCells]? { file.contents.revisionCells }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { file.contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? {
        file.contents.value(forKey: key).map { StoredValue($0) }
    }

    public func snapshot() -> PropertyListTable { file.contents.snapshot().listed(by: file.listing) }

    /// Reads the file now, also if the store does not follow it.
    public func reload() throws(StoreError) { try file.readSource(for: name) }

    package var activity: ActivityBroadcaster { file.activity }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        file.contents.observe(keys, listedBy: file.listing, initial: initial, receive)
    }

    /// The path and the line of the value of each key; from memory.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        file.provenance(ofKeys: keys)
    }

    package func sourceText(of part: PropertyListValue, at path: ValuePath, ofKey key: String) -> String? {
        file.sourceText(of: part, at: path, ofKey: key)
    }
}
