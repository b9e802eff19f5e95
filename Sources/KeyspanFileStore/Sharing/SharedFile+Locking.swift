extension SharedFile {
    /// Takes the lock of the file and looks up where the file is now.
    ///
    /// The lock is the journal's. A reader of a file without a journal needs none, because the file alone is always
    /// whole. For a writer the journal is made; one that does not keep it removes it with ``unlock()``.
    ///
    /// - Throws: ``FileStoreError`` if the lock cannot be had, or not within the limit.
    package mutating func lock(_ mode: FileLockMode) throws(FileStoreError) {
        mayRemoveJournal = false
        let deadline = lockDeadline
        while true {
            let path = try findJournal()
            if let journal, journal.path != path || mode == .exclusive && !journal.isWritable { closeJournal() }
            if journal == nil { try openJournal(at: path, for: mode) }
            guard let journal else {
                if mode == .shared { return }
                continue
            }
            try wait(for: journal, mode, until: deadline)
            let isInPlace: Bool
            do throws(FileStoreError) {
                // Both may have been replaced while this process waited.
                let isNamed = try step(.lock, journal.isInPlace)
                let present = try findJournal()
                isInPlace = isNamed && present == path
            } catch {
                unlock()
                throw error
            }
            if isInPlace {
                mayRemoveJournal = mode == .exclusive
                if mode == .exclusive { try prepareToWrite() }
                return
            }
            closeJournal()
        }
    }

    /// Does once what comes before the first write, under the exclusive lock.
    private mutating func prepareToWrite() throws(FileStoreError) {
        do {
            try flushNamesOfFolders()
        } catch {
            unlock()
            throw error
        }
        lookAtFolder()
    }

    /// Gives the lock back.
    package mutating func unlock() {
        guard let journal else { return }
        defer { turns.lockWasReleased(at: LockPatience.now) }
        guard policy.keepsJournal || !journal.isWritable || position != nil || (try? journal.status().size) != 0 else {
            // It was made for this lock only. If it cannot be removed, it is left behind empty. Of several who share the
            // lock none may remove it: the name may lead to the lock of someone else by now.
            if mayRemoveJournal { try? journal.remove() }
            return closeJournal()
        }
        do {
            try journal.unlock()
        } catch {
            // Closing it gives the lock back in any case.
            closeJournal()
        }
    }

    /// Closes the journal, which gives the lock back.
    package mutating func closeJournal() {
        journal?.close()
        journal = nil
        journalFlushes = JournalFlushes()
    }

    /// Closes the journal for good; ``isClosed`` tells those who come later.
    package mutating func close() {
        closeJournal()
        isClosed = true
    }

    /// Looks up where the file is, and with it its journal.
    private mutating func findJournal() throws(FileStoreError) -> AbsolutePath {
        place = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        if let kind = place.status?.kind, kind != .regular { throw .notRegular(.open, path: path.text, kind) }
        return JournalFile.path(beside: place.path)
    }

    private mutating func openJournal(at path: AbsolutePath, for mode: FileLockMode) throws(FileStoreError) {
        do throws(SystemCallError) {
            journal = try JournalFile(existingAt: path, orForReading: mode == .shared, in: fileSystem)
        } catch let error where mode == .shared && (error.isWriteProtection || error.isNotFolder) {
            // Who may not read the journal sees what it holds when it has been folded.
            return
        } catch let error where error.isRefusal {
            throw .protectedJournal(path: self.path.text, journal: path.text, error)
        } catch {
            throw FileStoreError(.openJournal, path: self.path.text, error)
        }
        guard let journal else {
            if mode == .exclusive { try makeJournal(at: path) }
            return
        }
        do {
            try check(journal)
        } catch {
            closeJournal()
            throw error
        }
    }

    private mutating func makeJournal(at path: AbsolutePath) throws(FileStoreError) {
        if isNew {
            let folder = try step(.openFolder) { () throws(SystemCallError) in
                try fileSystem.openOrMakeFolder(path.folder)
            }
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            try? fileSystem.closeFile(folder)
        }
        do throws(SystemCallError) {
            journal = try JournalFile(creatingAt: path, like: place.status, in: fileSystem)
        } catch let error where error.isNotFound {
            throw FileStoreError(.openFolder, path: self.path.text, error)
        } catch {
            throw FileStoreError(.openJournal, path: self.path.text, error)
        }
    }

    /// Refuses a journal that someone may have put there who may not write the file.
    private func check(_ journal: JournalFile) throws(FileStoreError) {
        var status = try step(.openJournal, journal.status)
        if status.links > 1 {
            journal.removeNamesOfCreation(of: status)
            status = try step(.openJournal, journal.status)
        }
        if status.kind != .regular { throw .notRegular(.openJournal, path: journal.path.text, status.kind) }
        guard isTrusted(status), !canBeWrittenByStrangers(status), status.links <= 1 else {
            throw .untrustedJournal(path: path.text, journal: journal.path.text)
        }
    }

    /// Whether a companion of the file can be written by others than the file can.
    func canBeWrittenByStrangers(_ companion: FileStatus) -> Bool {
        companion.permissions & 0o022 & ~(place.status?.permissions ?? 0) != 0
    }

    /// Whether a companion of the file belongs to who may write the file anyway: this user, root, the file's owner, or
    /// someone of the group that may write the file, where nobody else may put files.
    func isTrusted(_ companion: FileStatus) -> Bool {
        if [fileSystem.user, 0, place.status?.owner].contains(companion.owner) { return true }
        // Containers that share a volume often have one group, and each a user of its own. Who replaces the file becomes its
        // owner, so the owner of the journal need not be the file's for long.
        guard let file = place.status, file.permissions & 0o020 != 0, companion.group == file.group,
            // The dot makes lstat(2) follow links in the place of the folder.
            let folder = try? fileSystem.status(ofItemAt: place.path.folder + "/.")
        else { return false }
        return folder.group == file.group && folder.permissions & 0o002 == 0
    }

    /// When to give up.
    ///
    /// Threads of one process wait for one another before they wait for the lock. One that asked while another thread waited in
    /// vain has waited for the lock as well.
    private var lockDeadline: LockPatience.Instant {
        let now = LockPatience.now
        let begin = unavailableSince.map { max($0, askedAt ?? now) } ?? now
        return begin + patience.limit
    }

    private mutating func wait(
        for journal: JournalFile,
        _ mode: FileLockMode,
        until deadline: LockPatience.Instant
    ) throws(FileStoreError) {
        let pause = mode == .exclusive ? turns.pause(at: LockPatience.now) : .zero
        patience.pause(pause)
        do throws(SystemCallError) {
            let isFree = try journal.lock(mode)
            let isLocked = isFree ? true : try wait(inKernelFor: journal, mode, until: deadline)
            if isLocked {
                unavailableSince = nil
                let hasPaused = pause > .zero
                return turns.lockWasTaken(afterWait: !isFree, afterPause: hasPaused, at: LockPatience.now)
            }
        } catch let error where error.isWithoutLocks {
            if !isWithoutLocks { notices.append(.withoutLocks(path: path.text, error)) }
            isWithoutLocks = true
            return
        } catch {
            throw FileStoreError(.lock, path: path.text, error)
        }
        // The moment from which the deadline was reckoned, so that who asked before it has nothing left to wait.
        unavailableSince = unavailableSince ?? deadline - patience.limit
        throw .locked(path: path.text, after: patience.limit)
    }

    /// Waits for a lock that another process has.
    ///
    /// - Returns: Whether it was taken. If not, the journal may be gone.
    private mutating func wait(
        inKernelFor journal: JournalFile,
        _ mode: FileLockMode,
        until deadline: LockPatience.Instant
    ) throws(SystemCallError) -> Bool {
        if LockPatience.now >= deadline { return false }
        guard let wait = try LockWait(for: journal, mode) else {
            return try patience.wait(until: deadline) { () throws(SystemCallError) in try journal.lock(mode) }
        }
        switch wait.outcome(before: deadline) {
        case .locked: return true
        case .failed(let error): throw error
        case .givenUp:
            self.journal = nil
            // Its name may be that of another one by the next time.
            journalFlushes.isNamed = false
            return false
        }
    }
}
