import KeyspanCore
import Synchronization

/// The work on the file: each of these takes the file's mutex and lock, and lets into memory afterwards what it read.
extension FileBackedTable {
    /// How often a save begins anew because someone replaced the file meanwhile who takes no lock.
    private static let attemptsOfSave = 16
    /// How often a fold begins anew, for which nobody waits: it finds the other one gone later, as a rule.
    private static let attemptsOfFold = 2

    /// Saves what is unsaved.
    func saveUnsaved() throws(FileStoreError) {
        let wanted = ledger.withLock { $0.generation }
        // Also after a failure: what others wrote may have been read before it, and no refresh follows then.
        defer { letIn() }
        try withFile { (file) throws(FileStoreError) in
            guard schedules.withLock({ $0[.save].savedGeneration }) < wanted else { return }
            let saved = try exchange(with: &file)
            start(schedules.withLock { $0[.save].saveDidSucceed(saved) }, .save)
        }
        arrangeSave()
        arrangeFold()
    }

    /// Makes durable what others wrote to the file and the journal, and what the disk lacks, unless it is known to be there.
    func flushUnflushed() throws(FileStoreError) {
        defer { letIn() }
        try withFile { (file) throws(FileStoreError) in
            do throws(FileStoreError) {
                if file.isUnwritten { _ = try exchange(with: &file) }
                if file.isFlushed { return }
                try locked(&file, .shared) { (file) throws(FileStoreError) in
                    try catchUp(&file, tolerantly: true, toWrite: false)
                    try file.flush()
                }
                if file.isUnwritten { _ = try exchange(with: &file) }
            } catch let error where error.isWriteProtection && !file.mustRewriteFile && !file.lacksFile {
                // A process that may not write acknowledges nothing either.
                return
            }
        }
    }

    /// Brings what is in the journal into the file.
    func foldUnfolded() throws(FileStoreError) {
        let wanted = schedules.withLock { $0.foldGeneration }
        defer { letIn() }
        try withFile { (file) throws(FileStoreError) in
            try locked(&file, .exclusive, attempts: Self.attemptsOfFold) { (file) throws(FileStoreError) in
                let isFoldedByAnother = try catchUp(&file, tolerantly: false)
                // What the journal has by now is younger than the delay. Otherwise each process that writes would fold.
                if isFoldedByAnother && !file.isFoldUrgent { return }
                try file.fold()
                start(schedules.withLock { $0[.fold].saveDidSucceed(wanted) }, .fold)
            }
        }
        arrangeFold()
    }

    /// Reads what others wrote and lets it into memory.
    func refresh() throws(FileStoreError) {
        let wanted = schedules.withLock { $0.refreshGeneration }
        try withFile { (file) throws(FileStoreError) in
            // A write that held the file meanwhile has read it.
            guard schedules.withLock({ $0[.refresh].savedGeneration }) < wanted else { return }
            try locked(&file, .shared) { (file) throws(FileStoreError) in
                _ = try catchUp(&file, tolerantly: false, toWrite: false)
            }
            if file.mustBeAdopted { adopt(&file) }
        }
        letIn()
        arrangeFold()
    }

    /// Lets a program that takes no lock write the file, while no store does, and lets in what that wrote.
    ///
    /// The file has everything that was applied before when that program begins.
    ///
    /// - Parameter write: Lets the program write. It is called under the file's lock, and so uses no store; a second time if
    ///   someone else who takes no lock has replaced the file meanwhile.
    package func lend(to write: () -> Void) throws(FileStoreError) {
        try saveUnsaved()
        defer { letIn() }
        try withFile { (file) throws(FileStoreError) in
            try locked(&file, .exclusive) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: false)
                try file.fold()
                write()
            }
            try locked(&file, .shared) { (file) throws(FileStoreError) in
                _ = try catchUp(&file, tolerantly: false)
            }
        }
        arrangeFold()
    }

    /// Applies a batch if its expectations agree with what all processes have written, and lets those see it first.
    ///
    /// An error means that it did not happen: what is decided by the disk cannot wait in memory for a disk that takes it,
    /// because what it rests on would be older by then.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - isFlushing: Whether it is on the disk on return; if not, the flush follows as the durability says.
    ///   - store: The store's name, for errors.
    func applyDecided(_ batch: PropertyListBatch, flushing isFlushing: Bool, store: String) throws(StoreError) {
        do throws(BatchFailure) {
            try withFile { (file) throws(BatchFailure) in
                try locked(&file, .exclusive) { (file) throws(BatchFailure) in
                    try catchUp(&file, toDecide: batch, store: store)
                    try decide(batch, in: &file, flushing: isFlushing, store: store)
                }
            }
        } catch {
            letIn()
            throw error.storeError(store: store)
        }
        letIn()
        arrangeSave()
        arrangeFold()
    }

    private func decide(
        _ batch: PropertyListBatch,
        in file: inout SharedFile,
        flushing isFlushing: Bool,
        store: String
    ) throws(BatchFailure) {
        defer { isDeciding.store(false, ordering: .relaxed) }
        var pending = PendingWrites()
        do throws(StoreError) {
            // What other threads write from here on is later than the batch, and waits for it if it rests on what that writes.
            try contents.inspect { (table) throws(StoreError) in
                var table = table
                _ = try table.apply(batch, store: store)
                pending = ledger.withLock { $0.takeOutgoing(before: batch) }
                isDeciding.store(true, ordering: .relaxed)
            }
        } catch {
            throw .store(error)
        }
        var own = PendingWrites()
        own.append(batch)
        var writes = pending
        writes.append(own)
        do throws(FileStoreError) {
            // What memory has already need not be on the disk yet: another process may have written it.
            try file.write(writes.delta(over: file.table).changing(file.table), flushing: isFlushing)
        } catch {
            ledger.withLock { $0.putBack(pending) }
            throw .file(error)
        }
        // It is on the disk, so nothing may refuse it from here on.
        contents.merge(isQuiet: batch.isQuiet, in: .current) { table in
            ledger.withLock { $0.admit(own, isFlushed: isFlushing, to: &table) }
        }
    }

    /// Brings memory up to what all processes have written, as far as a batch rests on it.
    ///
    /// - Throws: A conflict if the batch rests on something that a validation refuses.
    private func catchUp(
        _ file: inout SharedFile,
        toDecide batch: PropertyListBatch,
        store: String
    ) throws(BatchFailure) {
        do throws(FileStoreError) {
            try catchUp(&file, tolerantly: settings.options.journal != .none)
        } catch {
            throw .file(error)
        }
        let path = path
        let refusal = validation.admit(from: ledger, to: contents) { error in
            file.notices.append(.rejected(path: path, error))
        }
        guard let refusal, batch.hasBindingExpectations else { return }
        let keys = batch.expectations.lazy.map(\.key)
        guard let key = ledger.withLock({ $0.awaited(of: keys) }) else { return }
        throw .store(.conflict(key: key, store: store, refusedBy: refusal))
    }

    /// Reads what others wrote, and writes what is unsaved.
    ///
    /// - Returns: The number of the latest write that is in the file now.
    private func exchange(with file: inout SharedFile) throws(FileStoreError) -> UInt64 {
        try locked(&file, .exclusive) { (file) throws(FileStoreError) in
            try catchUp(&file, tolerantly: settings.options.journal != .none)
            let (writes, generation) = ledger.withLock { ($0.takeOutgoing(), $0.generation) }
            do throws(FileStoreError) {
                try file.write(writes.delta(over: file.table))
            } catch {
                ledger.withLock { $0.putBack(writes) }
                throw error
            }
            return generation
        }
    }

    private func adopt(_ file: inout SharedFile) {
        do {
            try locked(&file, .exclusive) { (file) throws(FileStoreError) in
                try catchUp(&file, tolerantly: false)
                if file.mustBeAdopted { try file.write(TableDelta()) }
            }
        } catch {
            // A process that may only read keeps what it knows to itself. One that may write does this with its next save.
        }
    }

    /// Reads what others wrote into the ledger, and takes back the background work that this makes unnecessary.
    ///
    /// - Returns: Whether another process has folded the journal since the last time.
    @discardableResult
    private func catchUp(
        _ file: inout SharedFile,
        tolerantly isTolerant: Bool,
        toWrite isWriting: Bool = true
    ) throws(FileStoreError) -> Bool {
        let (refresh, fold) = schedules.withLock { ($0.refreshGeneration, $0.foldGeneration) }
        let epoch = file.journalEpoch
        let delta = try file.catchUp(tolerantly: isTolerant)
        ledger.withLock { $0.receive(delta) }
        if !isTolerant || file.hasPresentVersion {
            start(schedules.withLock { $0.fileWasRead(refresh, toWrite: isWriting) }, .refresh)
        }
        guard let epoch, let present = file.journalEpoch, present != epoch else { return false }
        start(schedules.withLock { $0[.fold].anotherDidSave(fold) }, .fold)
        arrangeFold(of: file)
        return true
    }

    /// Runs the body with the file unless it is closed, and reports afterwards what is worth telling.
    private func withFile<Failure: Error>(
        _ body: (inout SharedFile) throws(Failure) -> Void
    ) throws(Failure) {
        var notices: [FileStoreNotice] = []
        defer { for notice in notices { report(.notice(notice)) } }
        let askedAt = LockPatience.now
        try file.withLock { (file) throws(Failure) in
            guard !file.isClosed else { return }
            defer { notices = file.takeNotices() }
            file.askedAt = askedAt
            try body(&file)
        }
    }

    /// Runs the body under the file's lock, and again if someone has replaced the file who takes none.
    private func locked<Result, Failure: FileFailure>(
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
