package import KeyspanCore

/// A table in memory and the file that follows it: the engine of the file stores, whatever their format.
///
/// Reads and writes use the memory and never wait for the disk. A save takes a snapshot, O(1), and works on that. One
/// save runs at a time; who waits for it finds its own changes saved, as a rule, and returns with it.
///
/// There are two locks beside the table's own: the file's, which is held while a save runs, and the schedule's, which is
/// never held for long. Nothing outside of this module is called under either.
package final class FileBackedTable: Sendable {
    /// The file's absolute path.
    package let path: String
    /// The half in memory; after a commit to it ``tableDidChange()`` is to be called.
    package let contents: CommittedTable

    private let file: Locked<PropertyListFile>
    private let schedule: Locked<SaveSchedule>
    private let timer: any SaveTimer
    private let report: @Sendable (FileStoreError) -> Void

    /// Reads the file, or begins with an empty table if there is none.
    ///
    /// Nothing is written yet.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - saveDelay: How long a change may wait for its save.
    ///   - timer: Runs the saves.
    ///   - report: Called, on any thread and without a lock, when a save in the background fails in another way than the
    ///     last one.
    /// - Throws: ``FileStoreError`` if there is a file that cannot be used.
    package init(
        opening file: consuming PropertyListFile,
        saveDelay: Duration,
        timer: any SaveTimer,
        report: @escaping @Sendable (FileStoreError) -> Void
    ) throws(FileStoreError) {
        path = file.path.text
        contents = CommittedTable(try file.load())
        schedule = Locked(SaveSchedule(savedGeneration: contents.revision.generation, delay: saveDelay))
        self.file = Locked(file)
        self.timer = timer
        self.report = report
    }

    /// Arranges a save if something is unsaved.
    package func tableDidChange() {
        let generation = contents.revision.generation
        start(schedule.withLock { $0.tableDidChange(to: generation) })
    }

    /// Returns when everything that was committed before is on the disk; at once if it is there already.
    ///
    /// Waits for a save that is running, and saves only what that one did not contain.
    package func save() throws(FileStoreError) {
        do {
            try saveUnsaved()
        } catch {
            schedule.withLock { $0.callerWasTold(error) }
            throw error
        }
    }

    private func saveUnsaved() throws(FileStoreError) {
        let wanted = contents.revision.generation
        try file.withLock { (file) throws(FileStoreError) in
            guard schedule.withLock({ $0.savedGeneration }) < wanted else { return }
            let (table, revision) = contents.numberedSnapshot()
            try file.save(table)
            schedule.withLock { $0.saveDidSucceed(revision.generation) }
        }
        tableDidChange()
    }

    /// Saves what is unsaved, and reports a failure instead of throwing it; tries again later.
    package func saveAndReport() {
        do {
            try saveUnsaved()
        } catch {
            let (retry, isNews) = schedule.withLock { $0.saveDidFail(error) }
            start(retry)
            if isNews { report(error) }
        }
    }

    private func start(_ timer: SaveSchedule.Timer?) {
        guard let timer else { return }
        // Weak, so that a pending timer does not keep a table alive that nobody uses any more.
        self.timer.schedule(after: timer.delay) { [weak self] in
            self?.timerDidFire(timer.ticket)
        }
    }

    private func timerDidFire(_ ticket: UInt64) {
        guard schedule.withLock({ $0.timerDidFire(ticket) }) else { return }
        saveAndReport()
    }
}
