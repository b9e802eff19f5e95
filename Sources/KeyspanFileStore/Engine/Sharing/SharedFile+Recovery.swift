internal import KeyspanCore

/// The recovery of damaged files: each is kept under another name, and its contents are restored as far as possible.
extension SharedFile {
    /// Opens a file that could not be parsed a moment ago, and recovers it unless another process has done that meanwhile.
    mutating func recoverUnlessMended(_ error: FileStoreError) throws(FileStoreError) -> FileRecovery? {
        do throws(FileStoreError) {
            _ = try catchUp(tolerantly: false)
            return nil
        } catch let error where error.step == .parse {
            return try recover(from: error)
        }
    }

    /// Opens a file that cannot be parsed from its last good copy and its journal; called under the exclusive lock.
    ///
    /// Before anything is written, the damaged file is kept beside it under a dated name.
    ///
    /// - Parameter error: Why the file cannot be parsed.
    /// - Returns: The result for the user.
    private mutating func recover(from error: FileStoreError) throws(FileStoreError) -> FileRecovery {
        guard let bad = try readBytes(of: place.path) else { throw error }
        let kept = try keep(bad.bytes, as: .file)
        let copy = try readGoodCopy()
        let unread = try readUnreadRecords()
        extent = unread.extent
        (table, state) = (copy?.table ?? PropertyListTable(), .recovering)
        table.naming = naming
        replay(unread.records, over: copy)
        coverage.handle(.tableExtended)
        try replaceFile(isCheckpoint: false)
        return FileRecovery(
            path: path.text,
            keptFile: kept.text,
            hadGoodCopy: copy != nil,
            restoredKeys: table.count,
            cause: error
        )
    }

    /// Applies the records that a copy does not include.
    private mutating func replay(_ records: [JournalRecord], over copy: FileContents?) {
        if let named = copy.flatMap({ copy in records.lastIndex { $0.version == copy.version } }) {
            apply(records[named...])
        } else if let replaced = copy.flatMap({ copy in records.firstIndex { $0.replaced?.version == copy.version } }) {
            // The file was newer than the copy, and these records have the changes of the versions in between.
            apply(records[replaced...].map { JournalRecord(writes: $0.writes) }[...])
        } else {
            // A copy that no record names is older than all of them. Without a copy, all records are missing.
            apply(records[...])
        }
    }

    /// Keeps a copy of a journal that contains damage.
    mutating func keepDamagedJournal() throws(FileStoreError) {
        guard journal != nil else { return }
        _ = try keep(try readWholeJournal(), as: .journal)
        extent.hasDamagedRest = false
    }

    /// Writes the copy from which a file that cannot be parsed is restored.
    func keepGoodCopy(_ bytes: [UInt8]) throws(FileStoreError) {
        let path = GoodCopy.path(beside: place.path)
        var old = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        // It gets the attributes of the file and replaces any earlier copy.
        old = ResolvedFile(path: path, status: old.path == path && old.planted == nil ? old.status : nil)
        _ = try AtomicFileReplacement(fileSystem: fileSystem, path: path, newFiles: options.newFiles)
            .replaceContents(with: GoodCopy.encode(bytes), instead: old, mayCreateFolder: state.isNew)
    }

    private func readGoodCopy() throws(FileStoreError) -> FileContents? {
        let path = GoodCopy.path(beside: place.path)
        let named: FileStatus
        do {
            named = try fileSystem.status(ofItemAt: path.text)
        } catch let error where error.isNotFound {
            return nil
        } catch {
            throw FileStoreError(.open, path: self.path.text, error)
        }
        // The copy must be a regular file of a trusted user, and not a link.
        guard named.kind == .regular else { return nil }
        // Trust is decided for the file that was opened, whatever its name led to before.
        let trusted = { (copy: FileStatus) in
            copy.signature.isSameFile(as: named.signature) && isTrusted(copy) && !canBeWrittenByStrangers(copy)
        }
        let limit = options.limits.fileSize.addingReportingOverflow(GoodCopy.maximumLineLength)
        let copy = try readBytes(of: path, atMost: limit.overflow ? .max : limit.partialValue, if: trusted)
        guard let copy, let bytes = GoodCopy.decode(copy.bytes) else { return nil }
        // With an intact checksum it was written by this codec or by a later version of it.
        guard let table = try? codec.decode(bytes) else { return nil }
        return FileContents(table: table, version: FileVersion(bytes), signature: nil)
    }

    /// Writes bytes to a file with a dated name beside the settings file.
    private func keep(_ bytes: [UInt8], as kind: KeptFileName.Kind) throws(FileStoreError) -> AbsolutePath {
        try step(.keepDamaged) { () throws(SystemCallError) in
            let name = KeptFileName(for: place.path.name, kind)
            var attempt = 1
            while true {
                let kept = place.path.sibling(name.text(attempt: attempt))
                do throws(SystemCallError) {
                    try fileSystem.writeNewFile(bytes, at: kept)
                    return kept
                } catch let error where error.isAlreadyThere && attempt < 100 {
                    attempt += 1
                }
            }
        }
    }
}

extension FileSystem {
    /// Writes a new file for its owner alone, and waits until it is on the disk.
    fileprivate func writeNewFile(_ bytes: [UInt8], at path: AbsolutePath) throws(SystemCallError) {
        let file = try openFile(path.text, for: .creating)
        do throws(SystemCallError) {
            try FileAttributes.applyNew(to: file, in: self)
            try writeAll(bytes, to: file)
            try flush(file)
        } catch {
            // The failure that led here is the one that is reported.
            try? closeFile(file)
            try? removeFile(path.text)
            throw error
        }
        try closeFile(file)
        let folder = try openFile(path.folder, for: .folder)
        defer { try? closeFile(folder) }
        try flushFolder(folder)
    }
}
