import KeyspanCore

/// What is kept of damaged files, and what is restored.
extension SharedFile {
    /// Opens a file that could not be parsed a moment ago, and recovers it unless another process has done that by now.
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
    /// The bad file is kept beside it under a dated name before anything is written.
    ///
    /// - Parameter error: Why the file cannot be parsed.
    /// - Returns: What was kept and restored.
    private mutating func recover(from error: FileStoreError) throws(FileStoreError) -> FileRecovery {
        guard let bad = try readBytes(of: place.path) else { throw error }
        let kept = try keep(bad.bytes, as: .file)
        let copy = try readGoodCopy()
        let news = try readNews()
        (position, journalSize, hasDamagedRest) = (news.end, news.size, news.hasDamagedRest)
        (table, known, isNew) = (copy?.table ?? PropertyListTable(), nil, false)
        replay(news.records, over: copy)
        isFolded = false
        try replaceFile(isFold: false)
        return FileRecovery(
            path: path.text,
            keptFile: kept.text,
            hadGoodCopy: copy != nil,
            restoredKeys: table.count,
            cause: error
        )
    }

    /// Applies the records that a copy does not have.
    private mutating func replay(_ records: [JournalRecord], over copy: FileContents?) {
        if let named = copy.flatMap({ copy in records.lastIndex { $0.version == copy.version } }) {
            apply(records[named...])
        } else if let replaced = copy.flatMap({ copy in records.firstIndex { $0.replaced?.version == copy.version } }) {
            // The file was newer than the copy, by what these records tell of the versions in between.
            apply(records[replaced...].map { JournalRecord(writes: $0.writes) }[...])
        } else {
            // A copy that no record names is older than all of them. Without a copy no record can be in it already.
            apply(records[...])
        }
    }

    /// Keeps a journal beside the file that has bytes in it which are no records.
    mutating func keepDamagedJournal() throws(FileStoreError) {
        guard journal != nil else { return }
        _ = try keep(try readWholeJournal(), as: .journal)
        hasDamagedRest = false
    }

    /// Writes the copy that a file that cannot be parsed is restored from.
    func keepGoodCopy(_ bytes: [UInt8]) throws(FileStoreError) {
        let path = GoodCopy.path(beside: place.path)
        var old = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        // It is like the file, in whatever state it was.
        old = ResolvedFile(path: path, status: old.path == path ? old.status : nil)
        _ = try AtomicFileReplacement(fileSystem: fileSystem, path: path)
            .replaceContents(with: GoodCopy.encode(bytes), instead: old, mayCreateFolder: isNew)
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
        // Nobody else's file is restored, nor what a link leads to.
        guard named.kind == .regular else { return nil }
        // What is trusted is the file that was opened, whatever its name led to before.
        let trusted = { (copy: FileStatus) in
            copy.signature.isSameFile(as: named.signature) && isTrusted(copy) && !canBeWrittenByStrangers(copy)
        }
        let limit = policy.maximumSize.addingReportingOverflow(GoodCopy.maximumLineLength)
        let copy = try readBytes(of: path, atMost: limit.overflow ? .max : limit.partialValue, if: trusted)
        guard let copy, let bytes = GoodCopy.decode(copy.bytes) else { return nil }
        // With its checksum intact it is what this codec wrote, or else some later version of it.
        guard let table = try? codec.decode(bytes) else { return nil }
        return FileContents(table: table, version: FileVersion(bytes), signature: nil)
    }

    /// Writes bytes to a dated name beside the settings file.
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
