@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// The exchange between memory and the file. Each of these methods takes the file's mutex and lock, and afterwards lets the
/// writes that it read take effect in memory.
extension FileEngine {
    /// How often a save starts over because a program that takes no lock has replaced the file meanwhile.
    private static let attemptsOfSave = 16
    /// How often a checkpoint starts over.
    ///
    /// No caller waits for it, and a later attempt usually finds the file at rest.
    private static let attemptsOfCheckpoint = 2

    /// Saves what is unsaved.
    func saveUnsaved() throws(FileStoreError) {
        // Also after a failure: others' writes may have been read before it, and no refresh follows then.
        defer { admitArrivals() }
        try withFile { (file) throws(FileStoreError) in try save(&file, upTo: ledger.withLock { $0.generation }) }
        requestSave()
        requestCheckpoint()
    }

    /// Brings what is in the journal into the file.
    func checkpoint() throws(FileStoreError) {
        let wanted = schedules.withLock { $0.checkpointRequest }
        defer { admitArrivals() }
        try withFile { (file) throws(FileStoreError) in
            try locked(&file, .exclusive, attempts: Self.attemptsOfCheckpoint) { (file) throws(FileStoreError) in
                let wasDoneElsewhere = try catchUp(&file, tolerantly: false)
                // The journal's present records are younger than the delay. Otherwise each process that writes would make a
                // checkpoint.
                if wasDoneElsewhere && !file.isCheckpointUrgent { return }
                try measureWriting(of: &file) { (file) throws(FileStoreError) in try file.checkpoint() }
                arrange(schedules.withLock { $0[.checkpoint].complete(wanted) }, of: .checkpoint)
            }
        }
        requestCheckpoint()
    }

    /// Reads what others wrote and lets it take effect in memory.
    ///
    /// - Parameter isFree: Whether nothing else waits for this thread, so that it may call an observer.
    func refresh(onFreeThread isFree: Bool = false) throws(FileStoreError) {
        let wanted = schedules.withLock { $0.refreshRequest }
        try withFile { (file) throws(FileStoreError) in
            // A write that held the file meanwhile has read it.
            guard schedules.withLock({ $0[.refresh].completed }) < wanted else { return }
            try read(&file)
        }
        // Before an observer is called, which may take any time.
        requestCheckpoint()
        admitArrivals(onFreeThread: isFree)
    }

    /// Reads what others wrote because someone asks for it, and lets it take effect in memory.
    ///
    /// - Parameter store: The store's name, for errors.
    /// - Throws: ``StoreError`` if the file cannot be used, or if a part of what others wrote does not take effect.
    func reload(store: String) throws(StoreError) {
        let wait = try validation.examination.beginWait(for: store)
        let reading = Result { () throws(FileStoreError) in
            try withFile { (file) throws(FileStoreError) in
                try read(&file)
                requestCheckpoint(of: file)
            }
        }
        wait?.end()
        do throws(FileStoreError) {
            try reading.get()
        } catch {
            schedules.withLock { $0[.refresh].noteThrown(error) }
            activity.noteStaleness()
            activity.note(.rejected)
            activity.deliver()
            throw .notReloaded(error, store: store)
        }
        if let rejection = admitArrivals(reporting: false) {
            throw .notReloaded(.refused(path: path, rejection), store: store)
        }
    }

    /// Notes that the calling thread needs the file's lock.
    ///
    /// - Throws: ``FileStoreError`` if a validation needs it that keeps the file locked, or for which the thread that has the file waits.
    func beginWait() throws(FileStoreError) -> Examination.Wait? {
        do throws(StoreError) {
            return try validation.examination.beginWait(for: path)
        } catch {
            throw FileStoreError(
                step: .validate,
                path: path,
                reason: error.reason,
                remedy: error.remedy,
                underlying: error
            )
        }
    }

    /// Reads the file to which the path leads since its folder was made or replaced.
    func readAgain() throws(FileStoreError) {
        do {
            let wait = try beginWait()
            defer { wait?.end() }
            try withFile { (file) throws(FileStoreError) in
                try read(&file)
                requestCheckpoint(of: file)
            }
        }
        admitArrivals()
    }

    /// Does what ``refresh()`` does, unless all events since the last look were those of writes that this process knows.
    func refreshUnlessKnown(onFreeThread isFree: Bool) throws(FileStoreError) {
        let (wanted, followsAppends) = schedules.withLock { ($0.refreshRequest, $0.followsAppends) }
        guard followsAppends, knowsEndOfJournal else { return try refresh(onFreeThread: isFree) }
        arrange(schedules.withLock { $0.completeRefresh(wanted, toWrite: false) }, of: .refresh)
    }

    /// Takes the keys of another store into account, which may be nested where the file does not have them.
    ///
    /// - Throws: ``FileStoreError`` if the file has one of them twice, and the options refuse that; nothing has changed then.
    func learn(_ keys: some Sequence<String>) throws(FileStoreError) {
        // The file may be on a disk that does not answer.
        guard let naming = contents.snapshot().naming, naming.with(keys) !== naming else { return }
        let wait = try beginWait()
        defer { wait?.end() }
        try withFile { (file) throws(FileStoreError) in
            try file.learn(keys)
            ledger.withLock { $0.setNaming(file.naming) }
            contents.setNaming(file.naming)
        }
    }

    /// Runs the write of a program that takes no lock, while no store writes the file, and lets the result take effect.
    ///
    /// The file has everything that was applied before when that program begins.
    ///
    /// - Parameter write: Called under the file's lock, so it must not use a store; a second time if another program that
    ///   takes no lock has replaced the file meanwhile.
    package func withExclusiveFile(_ write: () -> Void) throws(FileStoreError) {
        let wait = try beginWait()
        // A wait ends before validators and observers are called, which may take any time.
        defer {
            wait?.end()
            admitArrivals()
        }
        try withFile { (file) throws(FileStoreError) in
            try locked(&file, .exclusive) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: false)
                try writeOutgoing(to: &file, flushing: false)
                try file.checkpoint()
                write()
            }
            try locked(&file, .shared) { (file) throws(FileStoreError) in
                _ = try catchUp(&file, tolerantly: false)
            }
        }
        requestCheckpoint()
    }

    /// Replaces the text of the file by one that a person has edited, in one step, and lets it take effect like the write of others.
    ///
    /// - Parameter edit: Makes the table of the new text from the present one, or `nil` to leave the file as it is. Called under the
    ///   file's lock, so it must not use a store; a second time if a program that takes no lock has replaced the file meanwhile.
    /// - Returns: Why a part of what the file has now does not take effect in this process; `nil` if all of it does.
    package func replaceText(
        _ edit: (PropertyListTable) -> PropertyListTable?
    ) throws(FileStoreError) -> (any Error)? {
        let wait = try beginWait()
        // Also after a failure.
        defer {
            wait?.end()
            admitArrivals()
        }
        try withFile { (file) throws(FileStoreError) in
            try locked(&file, .exclusive) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: false)
                try writeOutgoing(to: &file, flushing: false)
                guard let edited = edit(file.table) else { return }
                do throws(FileStoreError) {
                    try measureWriting(of: &file) { (file) throws(FileStoreError) in
                        try file.replaceText(by: edited)
                    }
                } catch {
                    file.restoreKnownVersion()
                    throw error
                }
                ledger.withLock { _ = $0.receive(file.table, changing: nil) }
            }
        }
        requestCheckpoint()
        wait?.end()
        return admitArrivals(reporting: false)
    }

    /// Saves what is unsaved, unless that has happened up to a number.
    func save(_ file: inout SharedFile, upTo number: UInt64) throws(FileStoreError) {
        guard schedules.withLock({ $0[.save].completed }) < number else { return }
        let saved = try exchange(with: &file)
        arrange(schedules.withLock { $0[.save].complete(saved) }, of: .save)
    }

    /// Reads what others wrote.
    func read(_ file: inout SharedFile) throws(FileStoreError) {
        try locked(&file, .shared) { (file) throws(FileStoreError) in
            _ = try catchUp(&file, tolerantly: false, toWrite: false)
        }
        if file.mustBeRecorded { record(&file) }
    }

    /// Reads what others wrote, and writes what is unsaved.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isFlushing: Whether everything is on the disk on return.
    /// - Returns: The number of the latest write that is in the file now.
    func exchange(with file: inout SharedFile, flushing isFlushing: Bool = true) throws(FileStoreError) -> UInt64 {
        try locked(&file, .exclusive) { (file) throws(FileStoreError) in
            try catchUp(&file, tolerantly: options.keepsJournal)
            return try writeOutgoing(to: &file, flushing: isFlushing)
        }
    }

    /// Writes what is unsaved to a file that is locked and was read.
    ///
    /// - Returns: The number of the latest write that is in the file now.
    @discardableResult
    func writeOutgoing(to file: inout SharedFile, flushing isFlushing: Bool) throws(FileStoreError) -> UInt64 {
        let (writes, generation) = ledger.withLock { ($0.takeOutgoing(), $0.generation) }
        var moved: Set<UTF8Text> = []
        do throws(FileStoreError) {
            try measureWriting(of: &file) { (file) throws(FileStoreError) in
                moved = try file.write(writes, flushing: isFlushing)
            }
        } catch {
            contents.inspect { table in ledger.withLock { $0.putBack(writes, in: table) } }
            throw error
        }
        ledger.withLock { $0.noteSaved(writes, in: file.table, moving: moved) }
        isGivenUp.store(false, ordering: .relaxed)
        return generation
    }

    /// Writes, and notes how many bytes and how long it took, if it wrote anything and someone observes that.
    func measureWriting(
        of file: inout SharedFile,
        _ write: (inout SharedFile) throws(FileStoreError) -> Void
    ) throws(FileStoreError) {
        let (start, before) = (activity.start, file.writtenBytes)
        try write(&file)
        guard let start, file.writtenBytes > before else { return }
        activity.note(.saved(bytes: file.writtenBytes - before, duration: start.duration(to: .now)))
    }

    /// Writes what the table has beyond the disk to the journal, so that other processes see it.
    private func record(_ file: inout SharedFile) {
        do throws(FileStoreError) {
            try locked(&file, .exclusive) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: false)
                guard file.mustBeRecorded else { return }
                let moved = try file.write(PendingWrites())
                ledger.withLock { $0.noteSaved(PendingWrites(), in: file.table, moving: moved) }
            }
        } catch {
            // A process that may only read cannot publish what it knows. One that may write does this with its next save.
        }
    }

    /// Reads what others wrote into the ledger, and completes the background work that this makes unnecessary.
    ///
    /// - Returns: Whether another process has made a checkpoint since the last call.
    @discardableResult
    func catchUp(
        _ file: inout SharedFile,
        tolerantly isTolerant: Bool,
        toWrite isWriting: Bool = true
    ) throws(FileStoreError) -> Bool {
        let (refresh, checkpoint) = schedules.withLock { ($0.refreshRequest, $0.checkpointRequest) }
        let (epoch, start) = (file.journalEpoch, activity.start)
        let keys = try file.catchUp(tolerantly: isTolerant)
        let isWhole = !isTolerant || file.hasPresentVersion
        let isChange = ledger.withLock { $0.receive(file.table, changing: keys) }
        activity.noteReading(ofWhole: isWhole, since: isChange ? start : nil)
        if isWhole {
            arrange(schedules.withLock { $0.completeRefresh(refresh, toWrite: isWriting) }, of: .refresh)
        }
        // Each checkpoint begins a journal with another epoch.
        guard let epoch, let present = file.journalEpoch, present != epoch else { return false }
        arrange(schedules.withLock { $0[.checkpoint].completeElsewhere(checkpoint) }, of: .checkpoint)
        requestCheckpoint(of: file)
        return true
    }

    /// Runs the body with the file unless it is closed, and then reports the notices.
    func withFile<Failure: Error>(
        _ body: (inout SharedFile) throws(Failure) -> Void
    ) throws(Failure) {
        var notices: [FileStoreNotice] = []
        defer { for notice in notices { report(.notice(notice)) } }
        let askedAt = LockPatience.now
        try file.withLock { (file) throws(Failure) in
            guard !file.isClosed else { return }
            defer {
                notices = file.takeNotices()
                // After a checkpoint, so that nothing holds the text from before.
                ledger.withLock { $0.rest(on: file.table) }
            }
            file.askedAt = askedAt
            try body(&file)
        }
    }

    /// Runs the body under the file's lock, and again if a program that takes no lock has replaced the file.
    func locked<Result, Failure: FileFailure>(
        _ file: inout SharedFile,
        _ mode: FileLockMode,
        attempts: Int = attemptsOfSave,
        _ body: (inout SharedFile) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var attempt = 1
        while true {
            do throws(FileStoreError) {
                try file.lock(mode)
            } catch {
                throw Failure(error)
            }
            defer { file.unlock() }
            do throws(Failure) {
                return try body(&file)
            } catch let error where error.isSuperseded && attempt < attempts {
                attempt += 1
            }
        }
    }
}
