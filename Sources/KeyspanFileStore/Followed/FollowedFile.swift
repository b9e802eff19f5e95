@_spi(StoreAuthors) package import KeyspanCore

/// A file that a store reads and never writes, and whose changes it follows.
package final class FollowedFile: Sendable {
    /// The absolute path of the file.
    package let path: String

    fileprivate let contents = CommittedTable([:])
    private let queue: any WorkQueue
    private let report: @Sendable (FileReport) -> Void
    /// Held while the file is read, so that an older version never replaces a newer one.
    private let reading: Locked<FollowedFileReading>
    private let state: Locked<State>

    private struct State {
        var schedule = WorkSchedule(completed: 0, delay: FollowedFile.delay, patience: FollowedFile.patience)
        /// The number of the latest request to read the file.
        var request: UInt64 = 0
        var watch: FileWatch?
        /// The line of each key.
        var lines: TextDictionary<Int> = [:]
    }

    /// How long a change waits for those that belong to it.
    private static let delay = Duration.milliseconds(20)
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
        keys: [String],
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
        reading = Locked(
            FollowedFileReading(
                path: path,
                format: format,
                keys: keys,
                unknownNames: unknownNames,
                duplicates: duplicates,
                validate: validate,
                fileSystem: fileSystem,
                report: seams.report
            )
        )
        state = Locked(State())
        try readFile()
        if let watcher = seams.watcher { watchFile(at: path, with: watcher) }
    }

    // MARK: - Following the file

    private func watchFile(at path: AbsolutePath, with watcher: any FileWatcher) {
        let watch = watcher.watch(
            // Nothing has the name of the companion.
            .file(path, companion: { ".\($0).keyspan-none" }),
            onPolling: { [report] error in report(.notice(.polling(error, path: path.text))) },
            onChange: { [weak self] in self?.fileMayHaveChanged() }
        )
        state.withLock { $0.watch = watch }
        // The file may have changed between its reading and the start of the watch.
        fileMayHaveChanged()
    }

    private func fileMayHaveChanged() {
        let run = state.withLock { state in
            state.request += 1
            return state.schedule.request(state.request)
        }
        arrange(run)
    }

    /// Arranges a reading that the schedule asks for.
    private func arrange(_ run: WorkSchedule.Run?) {
        guard let run else { return }
        // Weak, so that a pending run does not keep a store alive that nobody uses anymore.
        queue.run(after: run.delay) { [weak self] in
            guard let self, state.withLock({ $0.schedule.begin(run.ticket) }) else { return }
            refresh()
        }
    }

    /// Reads the file, and on failure reports it and tries again later.
    private func refresh() {
        let request = state.withLock { $0.request }
        do throws(FileStoreError) {
            try readFile()
            arrange(state.withLock { $0.schedule.complete(request) })
        } catch {
            let (retry, mustReport) = state.withLock { $0.schedule.fail(error) }
            arrange(retry)
            if mustReport { report(.notice(.unreadable(error))) }
        }
    }

    /// Reads the file and lets its values take effect.
    private func readFile() throws(FileStoreError) {
        let reports = try reading.withLock { (reading) throws(FileStoreError) in
            guard let version = try reading.readVersion() else { return [@Sendable () -> Void]() }
            state.withLock { $0.lines = version.lines }
            contents.replace(by: version.table)
            return version.reports
        }
        for report in reports { report() }
        contents.deliver()
    }

    /// The file with the line of each key that has a value.
    fileprivate func provenance(ofKeys keys: [String]) -> TextDictionary<Provenance> {
        let (values, lines) = (contents.snapshot(), state.withLock { $0.lines })
        return keys.reduce(into: [:]) { found, key in
            if values[key] != nil { found[key] = Provenance([.init(store: path, line: lines[key])]) }
        }
    }
}

extension CommittedTable {
    /// Replaces all values in one change, which background threads report to the observers.
    fileprivate func replace(by values: PropertyListTable) {
        merge(deliveringInBackground: true) { table in
            var entries: [PropertyListChange.Entry] = []
            table.forEachDifference(to: values) { key, old, new in
                entries.append(
                    .init(key: key, storedOld: old.map { StoredValue($0) }, storedNew: new.map { StoredValue($0) })
                )
                return true
            }
            table = values
            return entries
        }
    }
}

/// A store of a file that it follows and never writes.
package protocol FollowedFileStore: ReadOnlyStore, ProvenanceReporting, CountingStore {
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

    public func snapshot() -> PropertyListTable { file.contents.snapshot() }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        file.contents.observe(keys, initial: initial, receive)
    }

    /// The path and the line of the value of each key; from memory.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        file.provenance(ofKeys: keys)
    }
}
