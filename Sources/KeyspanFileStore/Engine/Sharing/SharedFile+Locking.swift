extension SharedFile {
    /// Takes the lock of the file and looks up where the file is now.
    ///
    /// The lock is the journal's. A reader of a file without a journal needs none, because the file alone is never torn.
    /// For a writer the journal is created; a store that does not keep a journal removes it with ``unlock()``.
    ///
    /// - Throws: ``FileStoreError`` if the lock cannot be taken, or not within the limit.
    package mutating func lock(_ mode: FileLockMode) throws(FileStoreError) {
        lockState = .released
        let deadline = lockWaits.deadline
        while true {
            if let journal, mode.isExclusive, !journal.isWritable { closeJournal() }
            // An open journal is usually the present one, which is checked under its lock.
            if journal == nil { try openJournal(at: try findJournal(for: mode), for: mode) }
            guard let journal else {
                if mode.isExclusive { continue }
                lockState = .held(mode)
                return
            }
            try wait(for: journal, mode, until: deadline)
            do throws(FileStoreError) {
                // Both may have been replaced since they were opened, and while this process waited.
                let path = try findJournal(for: mode)
                sizeAtLock = path == journal.path ? try step(.lock, journal.sizeInPlace) : nil
            } catch {
                unlock()
                throw error
            }
            if sizeAtLock != nil {
                lockState = .held(mode)
                guard mode.isExclusive else { return }
                do throws(FileStoreError) {
                    return try prepareToWrite()
                } catch {
                    unlock()
                    throw error
                }
            }
            closeJournal()
        }
    }

    /// Releases the lock.
    package mutating func unlock() {
        let held = lockState
        lockState = .released
        guard let journal else { return }
        // Before others can write more.
        knownEnd.note(extent.tail, of: journal)
        defer { lockWaits.turns.lockWasReleased(at: LockPatience.now) }
        let isKept = options.keepsJournal || !journal.isWritable || extent.end != nil
        guard isKept || (try? journal.status().size) != 0 else {
            // It was created for this lock only. If it cannot be removed, it is left behind empty.
            switch held {
            case .held(.exclusive): try? journal.remove()
            // Of several processes that share the lock none may remove it: the name may lead to another journal by now.
            case .held(.shared), .released, .closed: break
            }
            return closeJournal()
        }
        do {
            try journal.unlock()
        } catch {
            // Closing the journal releases the lock in any case.
            closeJournal()
        }
    }

    /// Closes the journal, which releases the lock.
    package mutating func closeJournal() {
        knownEnd.note(nil, of: nil)
        journal?.close()
        journal = nil
        journalFlushes = JournalFlushes(after: journalFlushes)
    }

    /// Closes the journal for good; ``isClosed`` is then `true`.
    package mutating func close() {
        closeJournal()
        lockState = .closed
    }

    /// Looks up where the file is, and with it its journal.
    private mutating func findJournal(for mode: FileLockMode) throws(FileStoreError) -> AbsolutePath {
        place = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        // Readers get what the user who planted it wants them to read, and no more.
        if mode.isExclusive, let planted = place.planted { throw .planted(.open, path: path.text, planted) }
        if let kind = place.status?.kind, kind != .regular { throw .notRegular(.open, path: path.text, kind) }
        return JournalFile.path(beside: place.path)
    }

    private mutating func openJournal(at path: AbsolutePath, for mode: FileLockMode) throws(FileStoreError) {
        do throws(SystemCallError) {
            journal = try JournalFile(existingAt: path, orForReading: !mode.isExclusive, in: fileSystem)
        } catch let error where !mode.isExclusive && (error.isWriteProtection || error.isNotFolder) {
            // A process that may not read the journal sees its contents after a checkpoint.
            return
        } catch let error where error.isRefusal {
            throw .protectedJournal(path: self.path.text, journal: path.text, error, in: fileSystem)
        } catch {
            throw FileStoreError(.openJournal, path: self.path.text, error)
        }
        guard let journal else {
            if mode.isExclusive { try createJournal(at: path) }
            return
        }
        do throws(FileStoreError) {
            try check(journal)
        } catch {
            closeJournal()
            throw error
        }
    }

    private mutating func createJournal(at path: AbsolutePath) throws(FileStoreError) {
        if state.isNew {
            let folder = try step(.openFolder) { () throws(SystemCallError) in
                try fileSystem.openOrMakeFolder(path.folder, options.newFiles)
            }
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            try? fileSystem.closeFile(folder)
        }
        do throws(SystemCallError) {
            journal = try JournalFile(creatingAt: path, like: place.status, options.newFiles, in: fileSystem)
        } catch let error where error.isNotFound {
            throw FileStoreError(.openFolder, path: self.path.text, error)
        } catch {
            // Without a journal, the file beside it is only a lock.
            throw FileStoreError(
                options.keepsJournal ? .openJournal : .lock,
                path: self.path.text,
                error,
                in: fileSystem
            )
        }
    }

    /// Rejects a journal that a user without write access to the file could have planted.
    private func check(_ journal: JournalFile) throws(FileStoreError) {
        var status = journal.opened
        if status.links > 1 {
            journal.removeNamesOfCreation(of: status)
            status = try step(.openJournal, journal.status)
        }
        if status.kind != .regular { throw .notRegular(.openJournal, path: journal.path.text, status.kind) }
        guard isTrusted(status), !canBeWrittenByStrangers(status), status.links <= 1 else {
            throw .untrustedJournal(path: path.text, journal: journal.path.text)
        }
    }

    /// Whether users without write access to the file can write a companion of it.
    func canBeWrittenByStrangers(_ companion: FileStatus) -> Bool {
        let mayWrite: UInt32 =
            switch options.newFiles {
            case .areForOwner: 0
            case .followUmask: 0o022
            }
        return companion.permissions & 0o022 & ~(place.status?.permissions ?? mayWrite) != 0
    }

    /// Whether the owner of a companion of the file may write the file anyway.
    ///
    /// This user, root and the file's owner may. In a folder where other users may not put files, so may its owner if the file is missing,
    /// and a member of the group that may write the file.
    func isTrusted(_ companion: FileStatus) -> Bool {
        if [fileSystem.user, 0, place.status?.owner].contains(companion.owner) { return true }
        // The dot makes lstat(2) follow links in the place of the folder.
        guard let folder = try? fileSystem.status(ofItemAt: place.path.folder + "/."), folder.permissions & 0o002 == 0
        else { return false }
        // That user could put the file there as well. Root gives what it makes to that user.
        if place.status == nil, companion.owner == folder.owner { return true }
        // Containers that share a volume often have one group, and each a user of its own. A process that replaces the file
        // becomes its owner, so the owner of the journal need not be the file's for long.
        let file = place.status ?? (options.newFiles == .followUmask ? companion : nil)
        guard let file, file.permissions & 0o020 != 0 else { return false }
        return companion.group == file.group && folder.group == file.group
    }

    private mutating func wait(
        for journal: JournalFile,
        _ mode: FileLockMode,
        until deadline: LockPatience.Instant
    ) throws(FileStoreError) {
        if !mode.isExclusive, !options.locksToRead { return }
        let pause = mode.isExclusive ? lockWaits.turns.pause(at: LockPatience.now) : .zero
        lockWaits.patience.pause(pause)
        do throws(SystemCallError) {
            let isFree = try journal.lock(mode)
            let isLocked = isFree ? true : try wait(inKernelFor: journal, mode, until: deadline)
            if isLocked {
                lockWaits.unavailableSince = nil
                let hasPaused = pause > .zero
                return lockWaits.turns.lockWasTaken(
                    afterWait: !isFree,
                    afterPause: hasPaused,
                    at: LockPatience.now
                )
            }
        } catch let error where error.isWithoutLocks {
            if !lockWaits.isUnsupported { notices.append(.withoutLocks(path: path.text, error)) }
            lockWaits.isUnsupported = true
            return
        } catch {
            throw FileStoreError(.lock, path: path.text, error)
        }
        throw .locked(path: path.text, after: lockWaits.giveUp(at: deadline))
    }

    /// Waits for a lock that another process has.
    ///
    /// - Returns: Whether the lock was taken. If not, the journal may be gone.
    private mutating func wait(
        inKernelFor journal: JournalFile,
        _ mode: FileLockMode,
        until deadline: LockPatience.Instant
    ) throws(SystemCallError) -> Bool {
        if LockPatience.now >= deadline { return false }
        guard let wait = LockWait(for: journal, mode) else {
            return try lockWaits.patience.wait(until: deadline) { () throws(SystemCallError) in
                try journal.lock(mode)
            }
        }
        // The wait closes the journal as soon as it is given up. Until then, all events are those of the process that is waited for.
        knownEnd.note(nil, of: nil)
        switch wait.outcome(before: deadline) {
        case .locked: return true
        case .failed(let error): throw error
        case .givenUp:
            self.journal = nil
            // Its name may lead to another journal by the next time.
            journalFlushes.isNamed = false
            return false
        }
    }
}

/// How the waits of one file for its lock went.
struct LockWaits: Sendable {
    /// How long a wait lasts at most.
    let patience: LockPatience
    /// When the engine was asked for work that needs the lock.
    var askedAt: LockPatience.Instant?
    /// Since when waits have failed; `nil` once the lock was taken.
    var unavailableSince: LockPatience.Instant?
    /// How the turns at the lock went.
    var turns = LockTurns()
    /// Whether the file system has no locks.
    var isUnsupported = false

    /// Makes waits of a file that has not been locked yet.
    init(patience: LockPatience) {
        self.patience = patience
    }

    /// When to give up.
    ///
    /// Threads of one process wait for one another before they wait for the lock. The time during which another thread waited
    /// in vain counts for a thread that had asked by then.
    var deadline: LockPatience.Instant {
        let now = LockPatience.now
        let begin = unavailableSince.map { max($0, askedAt ?? now) } ?? now
        return begin + patience.limit
    }

    /// Notes that a wait failed.
    ///
    /// - Returns: How long it lasted.
    mutating func giveUp(at deadline: LockPatience.Instant) -> Duration {
        // The moment from which the deadline was reckoned, so that a thread that asked before it does not wait again.
        unavailableSince = unavailableSince ?? deadline - patience.limit
        return patience.limit
    }
}
