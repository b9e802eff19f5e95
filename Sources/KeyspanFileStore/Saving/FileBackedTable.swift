package import KeyspanCore
internal import Synchronization

/// A table in memory and the file that follows it, and that it follows: the engine of the file stores, whatever their
/// format.
///
/// Reads and writes use the memory. A save takes the writes that are not saved and puts them into the file; a refresh takes
/// what others put there and lets it into memory. Both go through the ledger, so that neither waits for the other's disk.
///
/// The locks, in the order in which one thread takes them: the file's, which is held while the disk is used; the table's
/// own; the ledger's and the schedules', which are never held for long. Nothing outside of this module is called under
/// any of them, but for a validation, which decides under the file's lock what a batch with expectations rests on.
package final class FileBackedTable: Sendable {
    /// What went wrong, or is worth telling, where no error could be thrown.
    package enum Report: Sendable {
        /// Work in the background failed in another way than the last time.
        case failure(FileStoreError)
        /// Something that a person should know.
        case notice(FileStoreNotice)
    }

    /// The file's absolute path.
    package let path: String
    /// How the table follows its file.
    package let settings: FileTableSettings
    /// What was done about the file when it was opened, if it could not be parsed.
    package let recovery: FileRecovery?
    /// The half in memory.
    package let contents: CommittedTable
    /// Who may refuse what others write.
    package let validation = StoreValidation()

    let codec: any FileCodec
    private let size: FileSizeEstimate
    let file: Locked<SharedFile>
    let ledger = Locked(WriteLedger())
    /// Whether a batch may be on its way to the file of which memory does not know yet; set and asked under the table's lock.
    let isDeciding = Atomic(false)
    let schedules: Locked<FileSchedules>
    let watch = Locked<FileWatch?>(nil)
    let timer: any SaveTimer
    let report: @Sendable (Report) -> Void

    /// Reads the file, or begins with an empty table if there is none.
    ///
    /// Nothing is written, unless the file has to be recovered.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - unusable: What happens if the file cannot be used.
    ///   - settings: How the table follows it.
    ///   - timer: Runs the work in the background.
    ///   - report: Called, on any thread and without a lock, with what no caller is told.
    /// - Throws: ``FileStoreError`` if there is a file that cannot be used.
    package init(
        opening file: consuming SharedFile,
        unusable: UnusableFile = .isRefused,
        settings: FileTableSettings,
        timer: any SaveTimer,
        report: @escaping @Sendable (Report) -> Void
    ) throws(FileStoreError) {
        path = file.path.text
        self.settings = settings
        let failure: FileStoreError?
        do {
            (recovery, failure) = try file.open(unusable)
        } catch {
            // The journal may be open already, and this was its last chance to be closed.
            file.close()
            throw error
        }
        contents = CommittedTable(file.table)
        codec = file.codec
        size = FileSizeEstimate(file.approximateSize, limit: settings.options.limits.fileSize)
        let notices = file.takeNotices()
        self.file = Locked(file)
        schedules = Locked(FileSchedules(settings.options))
        self.timer = timer
        self.report = report
        for notice in notices { report(.notice(notice)) }
        if let recovery { report(.notice(.recovered(recovery))) }
        if let failure { awaitFile(after: failure) }
        arrangeFold()
    }

    /// Applies a batch, and arranges that it is saved.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    package func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try checkNotValidating(store: store)
        try settings.options.limits.check(batch, store: store)
        let batch = try codec.written(batch, store: store)
        try size.check(batch, store: store) { () throws(StoreError) -> Int? in
            var table = contents.snapshot()
            _ = try table.apply(batch, store: store)
            do throws(FileFormatError) {
                return try codec.encode(table, upTo: settings.options.limits.fileSize)?.count
            } catch {
                throw error.storeError(store: store, key: nil)
            }
        }
        if settings.options.durability == .everyBatch {
            try applyDecided(batch, flushing: true, store: store)
        } else if isDecidedByFile(batch) {
            try applyDecided(batch, flushing: false, store: store)
        } else {
            try applyInMemory(batch, store: store)
        }
        contents.deliver()
    }

    /// Whether the file decides what a batch expects, and not memory.
    private func isDecidedByFile(_ batch: PropertyListBatch) -> Bool {
        guard batch.hasBindingExpectations else { return false }
        return batch.arbiter == .durableState || settings.options.expectations == .acrossProcesses
    }

    /// Applies a batch by what this process knows, and arranges that it is saved.
    func applyInMemory(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        var isFirst = false
        while try !contents.commit(
            batch,
            store: store,
            unless: { isDeciding.load(ordering: .relaxed) && ledger.withLock { $0.mustWait(batch) } },
            recording: { isFirst = ledger.withLock { $0.record(batch) } }
        ) {
            // Until the thread that writes the other batch to the file has let it into memory.
            file.withLock { _ in }
        }
        if isFirst { arrangeSave() }
    }

    /// Returns when everything that was applied before is on the disk; at once if it is known to be there already.
    ///
    /// Waits for a save that is running, and saves only what that one did not contain. A file that could not be used yet is
    /// read first. What others wrote is flushed as well, because a batch that found its values in the file did not write
    /// them.
    package func save() throws(FileStoreError) {
        do {
            if isAwaitingFile { try refresh() }
            try saveUnsaved()
            try flushUnflushed()
        } catch {
            schedules.withLock { $0[.save].callerWasTold(error) }
            throw error
        }
    }

    /// Saves what is unsaved and brings what is in the journal into the file, as long as the table is in use.
    package func settle() {
        // A validation that ends the process may have been called with the file locked.
        guard !validation.isRunningOnThisThread else { return }
        run(.save)
        if file.withLock({ $0.canFold }) { run(.fold) }
    }

    /// Closes the file, which was settled before.
    ///
    /// Nothing touches the file after this returns: background work that is due, or that waits for the file's mutex, finds
    /// the file closed and ends.
    package func close() {
        follow(by: nil)
        file.withLock { $0.close() }
    }

    /// Lets into memory what others wrote, and tells observers.
    func letIn() {
        _ = validation.admit(from: ledger, to: contents) { error in
            report(.notice(.rejected(path: path, error)))
        }
        contents.deliver()
    }

    /// Keeps a validation from writing or saving the store whose contents it is looking at.
    ///
    /// Both can make other contents wait for the validation, which would begin anew within itself.
    func checkNotValidating(store: String) throws(StoreError) {
        guard validation.isRunningOnThisThread else { return }
        throw StoreError(
            .validating,
            store: store,
            reason: "the validation of the store writes or synchronizes the store itself",
            remedy: "let the validation only look at the contents that it is given"
        )
    }
}
