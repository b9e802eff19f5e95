@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// The engine of the file stores, whatever their format: a table in memory, and the file that it is kept in step with.
///
/// Reads and writes use the memory. A save writes the pending writes to the file; a refresh reads what other processes wrote and
/// lets it take effect in memory. Both go through the ledger, so that neither waits for the other's disk.
///
/// The locks, in the order in which one thread takes them: the file's, which is held while the disk is used; the table's
/// own; the ledger's and the schedules', which are never held for long. No code outside of this module is called under
/// any of them, except a validation, which must decide under the file's lock whether a batch with expectations may depend on
/// the file's contents. The thread may have the turn of a group meanwhile. The calls that a validation may make take no lock of the
/// file, or throw.
package final class FileEngine: Sendable {
    /// The file's absolute path.
    package let path: String
    /// The result of recovering the file when it was opened, if it could not be parsed.
    package let recovery: FileRecovery?
    /// The table in memory.
    package let contents: CommittedTable
    /// Rejects what others write, if a validator of a store does.
    package let validation = StoreValidation()

    let codec: any FileCodec
    let options: FileStoreOptions
    private let fileSystem: any FileSystem
    /// The form in which keys write values that a property list has no kind for.
    let valueForm: Defaults.ValueForm
    let size: FileSizeEstimate
    let file: Locked<SharedFile>
    /// The file while a thread keeps it locked and examines its contents: a validation may end the process, which saves then.
    ///
    /// The thread takes it back when the examination is over.
    let examined = Locked<SharedFile?>(nil)
    private let knownEnd: KnownEnd
    let ledger: Locked<WriteLedger>
    /// Whether memory lacks a batch that is on its way to the file; set and read under the table's lock.
    let isDeciding = Atomic(false)
    /// Whether the disk did not answer in time when the program wanted to end, and no save has succeeded since.
    let isGivenUp = Atomic(false)
    /// The batches that threads commit together.
    let groupCommit = GroupTurns<FileCommit>()
    /// The threads that wait for a save together.
    let groupSave = GroupTurns<SaveRequest>()
    let schedules: Locked<WorkSchedules>
    private let watch = Locked<FileWatch?>(nil)
    /// Whether a thread of the watcher refreshes the table.
    private let isLooking = Atomic(false)
    private let queue: any WorkQueue
    /// Runs the blocking work of asynchronous commits, apart from that of other files, which may be on a disk that does not
    /// answer.
    let commits = BlockingWork(limit: 16)
    let report: @Sendable (FileReport) -> Void
    /// Passes on what the engine does with the file.
    package let activity = ActivityBroadcaster()

    /// Reads the file, or begins with an empty table if there is none.
    ///
    /// Writes nothing, unless the file must be recovered.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - unusable: What happens if the file cannot be used.
    ///   - queue: Runs the work in the background.
    ///   - report: Called, on any thread and without a lock, with problems that no caller receives.
    /// - Throws: ``FileStoreError`` if there is a file that cannot be used.
    package init(
        opening file: consuming SharedFile,
        unusable: UnusableFile = .isRefused,
        queue: any WorkQueue,
        report: @escaping @Sendable (FileReport) -> Void
    ) throws(FileStoreError) {
        path = file.path.text
        var failure: FileStoreError?
        do {
            recovery = try file.open()
        } catch {
            switch unusable {
            case .isRefused:
                // The journal may be open already, and this is the last chance to close it.
                file.close()
                throw error
            case .isAwaited:
                (recovery, failure) = (nil, error)
            }
        }
        contents = CommittedTable(named: file.table)
        ledger = Locked(WriteLedger(of: file.table))
        codec = file.codec
        options = file.options
        fileSystem = file.fileSystem
        valueForm = options.valueForm ?? codec.valueForm
        size = FileSizeEstimate(file.approximateSize, limit: options.limits.fileSize)
        schedules = Locked(WorkSchedules(options))
        let notices = file.takeNotices()
        knownEnd = file.knownEnd
        self.file = Locked(file)
        self.queue = queue
        self.report = report
        for notice in notices { report(.notice(notice)) }
        if let recovery { report(.notice(.recovered(recovery))) }
        if let failure { awaitFile(after: failure) }
        requestCheckpoint()
    }

    /// Whether the file could not be used when it was opened, and has not been read since.
    var isAwaitingFile: Bool { file.withLock { $0.known == nil } }

    /// Reports why the file cannot be used, and schedules attempts to read it, with growing intervals.
    private func awaitFile(after failure: FileStoreError) {
        activity.noteStaleness(ofFirstVersion: true)
        report(.failure(failure))
        // The work in the background fails for the same reason, which is not reported again.
        schedules.withLock { schedules in
            schedules[.refresh].noteThrown(failure)
            schedules[.save].noteThrown(failure)
        }
        fileMayHaveChanged()
    }

    /// Saves what is unsaved and brings what is in the journal into the file, as long as the engine is in use.
    ///
    /// - Returns: Whether this thread could use the file. If not, the engine must not be closed, because another thread still uses it.
    @discardableResult
    package func settle() -> Bool {
        let wait: Examination.Wait?
        do throws(FileStoreError) {
            // A process may end in an examination, for which the thread that has this file may wait.
            wait = Examination.isExclusiveOnThisThread ? try beginWait() : nil
        } catch {
            saveExamined(after: error)
            return false
        }
        defer { wait?.end() }
        if isGivenUp.load(ordering: .relaxed), !isFileAvailableSoon { return false }
        run(.save)
        if file.withLock({ $0.canCheckpoint }) { run(.checkpoint) }
        return true
    }

    /// Saves what is unsaved to the file that this thread, or one that waits for it, keeps locked while it examines the contents.
    private func saveExamined(after refusal: FileStoreError) {
        do throws(FileStoreError) {
            try examined.withLock { (examined) throws(FileStoreError) in
                guard var file = examined else { throw refusal }
                defer { examined = file }
                try writeOutgoing(to: &file, flushing: true)
            }
        } catch {
            if ledger.withLock({ $0.hasOutgoing }) { fail(.save, with: error) }
        }
    }

    /// Whether no thread holds the file, or the one that does releases it within a fifth of a second.
    ///
    /// A disk that was given up may have answered meanwhile.
    private var isFileAvailableSoon: Bool {
        for _ in 0..<20 {
            if file.withLockIfAvailable({ _ in true }) != nil { return true }
            LockPatience.stopThread(for: .milliseconds(10))
        }
        return false
    }

    /// Closes the file, which was settled before.
    ///
    /// Nothing touches the file after this returns: background work that is due, or that waits for the file's mutex, finds
    /// the file closed and ends.
    package func close() {
        setWatch(nil)
        file.withLock { $0.close() }
    }

    /// The origins of keys' values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - store: The name of the store: its path to the file, which another store may reach by a link.
    ///   - findingLines: Whether the file is read to find their lines.
    package func provenance(forKeys keys: [String], store: String, findingLines: Bool) -> TextDictionary<Provenance> {
        let values = contents.snapshot()
        let present = keys.filter { values[$0] != nil }
        let located = findingLines && !present.isEmpty ? locate(present, naming: values.naming) : nil
        return present.reduce(into: [:]) { found, key in
            guard let located else { return found[key] = Provenance([.init(store: store)]) }
            if let place = located[key], place.value == values[key] {
                found[key] = Provenance([.init(store: store, line: place.line)])
            } else {
                // The line of another value would mislead.
                found[key] = Provenance([.init(store: store, detail: "(not in the file now)")])
            }
        }
    }

    /// The places of parts of values in the file as it is now.
    ///
    /// - Parameter paths: The paths, each with the name of a key as its first step.
    /// - Returns: The place of each part, or of the innermost part around it that the file has; `nil` for values that the file does
    ///   not have now, and for all if it cannot be read or its format has no lines.
    package func places(of paths: [ValuePath]) -> [LineAndColumn?] {
        let table = contents.snapshot()
        do {
            let contents = try readFile()
            let paths = paths.map { path in
                guard case .name(let name)? = path.steps.first else { return path }
                return ValuePath(ValuePath(table.place(ofName: name)).steps + path.steps.dropFirst())
            }
            if let places = try contents.map({ try codec.places(of: paths, in: table, $0.bytes) }) ?? nil {
                return places
            }
        } catch {
            // Operations that need the file report that it cannot be used; the values are known without it.
        }
        return paths.map { _ in nil }
    }

    /// The places of keys in the file as it is now; `nil` if they cannot be found.
    private func locate(_ keys: [String], naming: NestedNaming?) -> TextDictionary<LocatedValue>? {
        do {
            guard let contents = try readFile() else { return [:] }
            return try codec.locate(keys, in: contents.bytes, naming)
        } catch {
            // Operations that need the file report that it cannot be used; the values are known without it.
            return nil
        }
    }

    /// Reads the file as it is now, without its lock, which this thread may have.
    private func readFile() throws(FileStoreError) -> RegularFile? {
        try fileSystem.readFile(AbsolutePath(path, relativeTo: "/"), atMost: options.limits.fileSize)
    }
}

// MARK: - Background work

extension FileEngine {
    /// Does one kind of work now, and on failure reports it and retries later.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - isFree: Whether nothing else waits for this thread, so that it may call an observer.
    package func run(_ work: BackgroundWork, onFreeThread isFree: Bool = false) {
        do throws(FileStoreError) {
            switch work {
            case .save: try saveUnsaved()
            case .checkpoint: try checkpoint()
            case .refresh: try refreshUnlessKnown(onFreeThread: isFree)
            }
        } catch {
            fail(work, with: error)
        }
    }

    /// Reports that work in the background failed, and retries it later.
    private func fail(_ work: BackgroundWork, with error: FileStoreError) {
        let (retry, mustReport) = schedules.withLock { $0[work].fail(error) }
        arrange(retry, of: work)
        switch work {
        case .save, .checkpoint:
            activity.note(.saveFailed)
            if error.isAboutReading { activity.noteStaleness() }
            guard mustReport else { break }
            report(.failure(work == .save ? error.naming(unsaved: ledger.withLock(\.unsavedKeys)) : error))
        case .refresh:
            activity.noteStaleness()
            guard mustReport else { break }
            activity.note(.rejected)
            report(.notice(.unreadable(error)))
        }
        activity.deliver()
    }

    /// Runs work soon on a background thread; the work keeps the engine alive until then.
    func runInBackground(_ work: @escaping @Sendable () -> Void) {
        queue.run(after: .zero, work)
    }

    /// Publishes writes on a background thread; it keeps no engine alive.
    func publishLater(after delay: Duration, _ publish: @escaping @Sendable () -> Void) {
        queue.run(after: delay, publish)
    }

    /// Arranges a run that a schedule asks for.
    func arrange(_ run: WorkSchedule.Run?, of work: BackgroundWork) {
        guard let run else { return }
        // Weak, so that a pending run does not keep an engine alive that no store uses anymore.
        queue.run(after: run.delay) { [weak self] in
            guard let self, schedules.withLock({ $0[work].begin(run.ticket) }) else { return }
            self.run(work)
        }
    }

    /// Arranges a refresh, because another process may have changed the file.
    package func fileMayHaveChanged() {
        arrange(schedules.withLock { $0.requestRefresh(at: LockPatience.now) }, of: .refresh)
    }

    /// Requests a refresh, because this process or another one has written to the journal.
    private func journalMayHaveGrown() -> EventResponse {
        var response = EventResponse()
        let (run, isResting) = schedules.withLock { schedules in
            (schedules.requestRefresh(afterAppend: true, at: LockPatience.now), schedules.isResting)
        }
        response.isResting = isResting
        guard let run else { return response }
        // On the thread that has the event, because waking another one takes longer than the refresh.
        response.look = { [weak self] in self?.look(arrangedAs: run) }
        return response
    }

    /// Refreshes on a thread of the watcher, or on a background thread if another thread of the watcher is at it.
    ///
    /// A refresh may take long, for instance in a validation. Each further event would then hold up another thread.
    private func look(arrangedAs run: WorkSchedule.Run) {
        if isLooking.exchange(true, ordering: .relaxed) { return arrange(run, of: .refresh) }
        defer { isLooking.store(false, ordering: .relaxed) }
        guard schedules.withLock({ $0[.refresh].begin(run.ticket) }) else { return }
        self.run(.refresh, onFreeThread: true)
    }

    /// Whether the journal ends where this process knows it to end.
    package var knowsEndOfJournal: Bool { knownEnd.isPresent() }

    /// Arranges a save if there are unsaved writes.
    func requestSave() {
        guard options.savesInBackground else { return }
        let generation = ledger.withLock { $0.generation }
        arrange(schedules.withLock { $0[.save].request(generation) }, of: .save)
    }

    /// Arranges a checkpoint if the journal has records that the file lacks: at once if the journal is large.
    func requestCheckpoint() {
        file.withLock { requestCheckpoint(of: $0) }
    }

    /// Arranges a checkpoint of the file, whose mutex the calling thread holds, if one is needed.
    func requestCheckpoint(of file: borrowing SharedFile) {
        guard file.canCheckpoint else { return }
        let isUrgent = file.isCheckpointUrgent
        arrange(schedules.withLock { $0.requestCheckpoint(isUrgent: isUrgent) }, of: .checkpoint)
    }

    /// Refreshes the table whenever others change the file, until the engine is closed.
    func watchFile(with watcher: any FileWatcher) {
        let path = AbsolutePath(path, relativeTo: "/")
        let watch = watcher.watch(
            .file(path, companion: JournalFile.name(beside:)),
            onAppend: { [weak self] in self?.journalMayHaveGrown() ?? EventResponse() },
            onPolling: { [report] error in report(.notice(.polling(error, path: path.text))) },
            onChange: { [weak self] in self?.fileMayHaveChanged() }
        )
        setWatch(watch)
        // Another process may have written between the reading of the file and the start of the watch.
        fileMayHaveChanged()
    }

    private func setWatch(_ watch: FileWatch?) {
        let replaced = self.watch.withLock { present in
            defer { present = watch }
            return present
        }
        // Outside the lock, because the end of a watch calls out.
        replaced?.cancel()
    }
}
