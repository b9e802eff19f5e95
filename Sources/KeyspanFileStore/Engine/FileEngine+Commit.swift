@_spi(StoreAuthors) package import KeyspanCore
internal import Synchronization

/// How batches are applied: in memory with a save that follows, or in the file before memory shows them.
extension FileEngine {
    /// Applies a batch, and arranges that it is saved.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    package func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try validation.examination.checkNotRunning(for: store)
        try options.limits.check(batch, store: store)
        do throws(StoreError) {
            // A copy of the batch would count a reference to each of its values.
            if codec.isExact {
                try applyExact(batch, store: store)
            } else {
                try applyExact(codec.written(batch, store: store), store: store)
            }
        } catch {
            if error.code == .conflict { activity.note(.conflict) }
            activity.deliver()
            throw error
        }
        contents.deliver()
    }

    /// Applies a batch whose values the file can contain as they are.
    private func applyExact(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        switch options.commitPath(of: batch) {
        case .memory: try commitInMemory(batch, store: store)
        case .file(let isFlushing): try commitInFile(batch, flushing: isFlushing, store: store)
        }
    }

    /// The bytes by which a batch makes the file larger, after the estimated size was corrected by that of the table.
    ///
    /// - Returns: `nil` if a batch that the table lacks is on its way to the file.
    /// - Throws: ``StoreError`` if the file would be too large, and larger than without the batch.
    private func measureGrowth(by batch: PropertyListBatch, store: String) throws(StoreError) -> Int? {
        do throws(FileFormatError) {
            let present = try size.measuring.withLock { (_) throws(FileFormatError) -> (PropertyListTable, Int)? in
                var present: (table: PropertyListTable, size: Int)?
                contents.inspect { if !isDeciding.load(ordering: .relaxed) { present = ($0, size.count) } }
                guard let present else { return nil }
                let measured = try codec.size(of: present.table, upTo: .max) ?? .max
                size.add(measured - present.size)
                return (present.table, measured)
            }
            guard let (before, size) = present else { return nil }
            var table = before
            table.applyWrites(of: batch)
            let after = try codec.size(of: table, upTo: .max) ?? .max
            if after <= max(size, options.limits.fileSize) { return after - size }
        } catch {
            throw error.storeError(store: store, key: nil)
        }
        throw size.error(of: batch, store: store)
    }

    /// Runs work that blocks its thread on a thread of the engine's own, in the scope of the caller.
    func runBlocking(_ work: @escaping @Sendable () throws(StoreError) -> Void) async throws(StoreError) {
        try await commits.run(work)
    }

    /// Applies a batch to the values that this process knows, and arranges that it is saved.
    private func commitInMemory(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        var growth = FileSizeEstimate.growth(by: batch)
        var (isFirst, isFull) = (false, false)
        while try !contents.commit(
            batch,
            store: store,
            unless: {
                isFull = size.isExceeded(by: growth)
                return isFull || isDeciding.load(ordering: .relaxed) && ledger.withLock { $0.mustWait(batch) }
            },
            recording: { _, table, isPlain in
                size.add(growth)
                isFirst = ledger.withLock { $0.record(batch, in: table, isPlain: isPlain) }
            }
        ) {
            if isFull, let measured = try measureGrowth(by: batch, store: store) {
                growth = measured
            } else {
                // Until the thread that writes the other batch to the file has made it visible in memory.
                let wait = try validation.examination.beginWait(for: store)
                file.withLock { _ in }
                wait?.end()
            }
        }
        guard isFirst else { return }
        requestSave()
        requestPublication()
    }

    /// Applies a batch if its expectations match what all processes have written, and makes it visible to them first.
    ///
    /// On an error, the batch has not happened: it cannot wait in memory until the disk accepts it, because by then the values
    /// that it depends on would be older.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - isFlushing: Whether it is on the disk on return, after a flush that it shares with the batches of other threads; if
    ///     not, the flush follows as the durability says.
    ///   - store: The store's name, for errors.
    private func commitInFile(
        _ batch: PropertyListBatch,
        flushing isFlushing: Bool,
        store: String
    ) throws(StoreError) {
        var growth = FileSizeEstimate.growth(by: batch)
        // The file decides later; this error names the key.
        if size.isExceeded(by: growth) { growth = try measureGrowth(by: batch, store: store) ?? growth }
        let commit = FileCommit(of: batch, growth: growth, store: store)
        let wait = try validation.examination.beginWait(for: store)
        if isFlushing {
            groupCommit.run(commit, leading: commitGroup)
        } else {
            commitAlone(commit)
        }
        // Before a validator or an observer is called, which may take any time.
        wait?.end()
        let outcome = commit.outcome
        admitArrivals()
        if case .failure(let error) = outcome { throw error.storeError(store: store) }
        if !isFlushing { requestSave() }
    }

    /// Commits a batch whose flush follows later.
    private func commitAlone(_ commit: FileCommit) {
        do throws(BatchFailure) {
            try withFile { (file) throws(BatchFailure) in
                try locked(&file, .exclusive) { (file) throws(BatchFailure) in
                    try self.commit([commit], to: &file, flushing: false)
                }
                requestCheckpoint(of: file)
            }
        } catch {
            noteFailure(error)
            commit.fail(error)
        }
    }

    private func noteFailure(_ error: BatchFailure) {
        if case .file = error { activity.note(.saveFailed) }
    }

    /// Commits the batches of several threads with one record and one flush, and makes them visible in their order.
    ///
    /// The lock of the file is held until the flush ends, because a batch whose flush fails has not happened, so no process may
    /// have seen it.
    ///
    /// - Parameters:
    ///   - leader: The commit of the calling thread.
    ///   - turn: Gives the commits that wait now, and ends the turn when they have their outcomes.
    private func commitGroup(of leader: FileCommit, _ turn: GroupTurns<FileCommit>.Turn) {
        // A closed file takes no batches and refuses none.
        let notices: [FileStoreNotice] = file.withLock { file in
            guard !file.isClosed else { return [] }
            file.askedAt = leader.askedAt
            do throws(BatchFailure) {
                try locked(&file, .exclusive) { (file) throws(BatchFailure) in
                    // When this is repeated, those that were refused before stay refused.
                    try commit(turn.requests().filter { !$0.hasFailed }, to: &file, flushing: true)
                }
                requestCheckpoint(of: file)
            } catch {
                noteFailure(error)
                turn.fail(error)
            }
            ledger.withLock { $0.rest(on: file.table) }
            return file.takeNotices()
        }
        // Before anything outside is called, which may write to the store.
        turn.end()
        for notice in notices { report(.notice(notice)) }
    }

    /// Decides batches one after the other, and writes those that are accepted as one record.
    private func commit(
        _ commits: [FileCommit],
        to file: inout SharedFile,
        flushing isFlushing: Bool
    ) throws(BatchFailure) {
        let undecided = try catchUp(&file, toCommit: commits)
        defer {
            isDeciding.store(false, ordering: .relaxed)
            ledger.withLock { $0.endDecision() }
        }
        var (pending, accepted) = (PendingWrites(), [FileCommit]())
        // Writes that other threads make from here on are later than the batches, and wait for them if they depend on their
        // values.
        contents.inspect { table in
            var table = table
            for commit in undecided {
                do throws(StoreError) {
                    // A note says nothing of the batches that memory does not have yet.
                    let lost = accepted.isEmpty ? contents.keyOfLostNote(of: commit.batch) : commit.batch.notedKey
                    if let lost { throw .conflict(key: lost, store: commit.store) }
                    _ = try table.applyNamed(commit.batch, store: commit.store)
                    pending.append(ledger.withLock { $0.takeOutgoing(before: commit.batch) })
                    isDeciding.store(true, ordering: .relaxed)
                    size.add(commit.growth)
                    accepted.append(commit)
                } catch {
                    commit.fail(.store(error))
                }
            }
        }
        if accepted.isEmpty { return }
        let batches = accepted.map(\.batch)
        var moved: Set<UTF8Text> = []
        do throws(FileStoreError) {
            try measureWriting(of: &file) { (file) throws(FileStoreError) in
                // A value that memory already has need not be on the disk yet: another process may have written it.
                moved = try file.write(pending, batches, flushing: isFlushing)
            }
        } catch {
            contents.inspect { table in
                for commit in accepted { size.add(-commit.growth) }
                ledger.withLock { $0.putBack(pending, in: table) }
            }
            file.restoreKnownVersion()
            guard accepted.count > 1, !error.isSuperseded, error.underlying as? SystemCallError == nil else {
                throw .file(error)
            }
            // The limit may have room for some of them.
            for commit in accepted {
                do throws(BatchFailure) {
                    try self.commit([commit], to: &file, flushing: isFlushing)
                } catch {
                    commit.fail(error)
                }
            }
            return
        }
        isGivenUp.store(false, ordering: .relaxed)
        // The batches are on the disk, so no check may reject them from here on.
        for commit in accepted {
            contents.merge(isQuiet: commit.isQuiet, in: commit.scope, by: commit.thread) { table in
                ledger.withLock { $0.show(commit.batch, in: &table) }
            }
        }
        ledger.withLock { $0.noteSaved(pending, batches, in: file.table, moving: moved, isFlushed: isFlushing) }
    }

    /// Brings memory up to date with all processes' writes, as far as batches depend on them.
    ///
    /// All of the batches have expectations that must hold in the file, or none has.
    ///
    /// - Returns: The batches that do not depend on a value that a validation rejects; the others have failed.
    private func catchUp(
        _ file: inout SharedFile,
        toCommit commits: [FileCommit]
    ) throws(BatchFailure) -> [FileCommit] {
        let isBinding = commits.first?.isBinding ?? false
        do throws(FileStoreError) {
            // A batch that depends on the file's values cannot be decided without them.
            try catchUp(&file, tolerantly: options.keepsJournal && !isBinding)
        } catch {
            throw .file(error)
        }
        let (path, start) = (path, activity.start)
        var reported: (any Error)?
        if ledger.withLock({ $0.hasArrivals }) { examined.withLock { [file] in $0 = file } }
        let rejection = validation.admit(from: ledger, to: contents, of: size, holdingFile: true) {
            activity.noteReload(since: start)
        } onRejection: { error in
            activity.note(.rejected)
            reported = error
        }
        if let used = examined.withLock({ $0.take() }) { file = used }
        if let reported { file.notices.append(.rejected(path: path, reported)) }
        guard let rejection, isBinding else { return commits }
        let isHeldBack = rejection is HeldValues
        return commits.filter { commit in
            // A value that is held back is no reason to refuse what replaces it.
            if isHeldBack, commit.batch.onlyReplaces { return true }
            let keys = commit.batch.restedKeys
            guard let key = ledger.withLock({ $0.firstAwaited(of: keys) }) else { return true }
            commit.fail(.store(.conflict(key: key, store: commit.store, rejectedBy: rejection)))
            return false
        }
    }

    /// Lets other processes' writes take effect in memory, and notifies observers.
    ///
    /// - Parameters:
    ///   - isFree: Whether nothing else waits for this thread, so that it may call an observer.
    ///   - isReporting: Whether a rejection is reported; if not, the caller throws it.
    /// - Returns: Why writes were rejected or held back; `nil` if all of them are in effect.
    @discardableResult
    func admitArrivals(onFreeThread isFree: Bool = false, reporting isReporting: Bool = true) -> (any Error)? {
        // A validation that ends the process saves, and is not called within itself.
        if validation.examination.isRunningOnThisThread { return nil }
        let start = activity.start
        var isNoted = false
        let rejection = validation.admit(from: ledger, to: contents, of: size) {
            activity.noteReload(since: start)
        } onRejection: { error in
            activity.note(.rejected)
            isNoted = true
            if isReporting { report(.notice(.rejected(path: path, error))) }
        }
        // A caller that asked for the version receives its rejection each time.
        if rejection != nil, !isReporting, !isNoted { activity.note(.rejected) }
        if rejection == nil { activity.noteAcceptance() } else { activity.noteStaleness() }
        // Also if nobody else has written: memory then rests on the file's new text.
        if ledger.withLock({ $0.mustShow }) {
            contents.merge(deliveringInBackground: true) { table in ledger.withLock { $0.show(in: &table) } }
        }
        activity.deliver()
        if isFree { contents.deliverOnFreeThread() } else { contents.deliver() }
        return rejection
    }
}

/// A failure of work under the file's lock, which may be a failure of the file.
protocol FileFailure: Error {
    /// Makes the failure of work that failed because of the file.
    init(_ error: FileStoreError)
    /// Whether the work failed only because another program has replaced the file meanwhile.
    var isSuperseded: Bool { get }
}

extension FileStoreError: FileFailure {
    init(_ error: FileStoreError) { self = error }
}

/// Why a batch that is committed in the file did not happen.
enum BatchFailure: FileFailure {
    /// It could not be made durable.
    case file(FileStoreError)
    /// It cannot be applied.
    case store(StoreError)

    init(_ error: FileStoreError) { self = .file(error) }

    var isSuperseded: Bool {
        switch self {
        case .file(let error): error.isSuperseded
        case .store: false
        }
    }

    /// The error for the caller.
    func storeError(store: String) -> StoreError {
        switch self {
        case .file(let error): .failed(.notApplied, error, store: store)
        case .store(let error): error
        }
    }
}

extension StoreError {
    /// A batch depends on a value that a validation rejects.
    fileprivate static func conflict(key: String, store: String, rejectedBy error: any Error) -> StoreError {
        StoreError(
            .conflict,
            store: store,
            key: key,
            reason:
                "the batch expects something of the key, and the validation refused what the file has now (\(error))",
            remedy: "correct the file",
            underlying: error
        )
    }

    /// The disk failed.
    package static func failed(_ code: Code, _ error: FileStoreError, store: String) -> StoreError {
        StoreError(
            code,
            store: store,
            reason: "cannot \(error.step.rawValue): \(error.reason)",
            remedy: error.remedy,
            underlying: error
        )
    }
}
