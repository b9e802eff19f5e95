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
        let kept = try keep(place.path, as: place.path.name)
        let copy = try readGoodCopy()
        let news = try readNews()
        var restored = copy?.table ?? PropertyListTable()
        let first = news.records.lastIndex { $0.version == copy?.version } ?? 0
        for write in news.records[first...].lazy.flatMap(\.writes) {
            restored[write.key] = write.value
        }
        (position, journalSize, hasDamagedRest) = (news.end, news.size, news.hasDamagedRest)
        (table, known, isNew) = (restored, nil, false)
        isFolded = false
        try replaceFile(isFold: false)
        return FileRecovery(
            path: path.text,
            keptFile: kept.text,
            hadGoodCopy: copy != nil,
            restoredKeys: restored.count,
            cause: error
        )
    }

    /// Keeps a journal beside the file that has bytes in it which are no records.
    mutating func keepDamagedJournal() throws(FileStoreError) {
        guard let journal else { return }
        _ = try keep(journal.path, as: "\(place.path.name).journal")
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
        // Nobody else's file is restored, nor what a link leads to.
        let status: FileStatus
        do {
            status = try fileSystem.status(ofItemAt: path.text)
        } catch let error where error.isNotFound {
            return nil
        } catch {
            throw FileStoreError(.open, path: self.path.text, error)
        }
        guard status.kind == .regular, isTrusted(status) else { return nil }
        guard let copy = try readBytes(of: path), let bytes = GoodCopy.decode(copy.bytes) else { return nil }
        // With its checksum intact it is what this codec wrote, or else some later version of it.
        guard let table = try? codec.decode(bytes) else { return nil }
        return FileContents(table: table, version: FileVersion(bytes), signature: nil)
    }

    /// Copies a file to a dated name beside the settings file.
    private func keep(_ path: AbsolutePath, as name: String) throws(FileStoreError) -> AbsolutePath {
        guard let bytes = try readBytes(of: path)?.bytes else { return path }
        return try step(.keepDamaged) { () throws(SystemCallError) in
            let name = KeptFileName(for: name)
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
