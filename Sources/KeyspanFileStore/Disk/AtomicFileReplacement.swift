/// Replaces the contents of a file so that at any time, even after a crash or power failure, the file is either the complete old
/// version or the complete new one.
///
/// The steps, in this order: open the folder of the file; create a temporary file there; apply the owner and the permissions of
/// the file; write it; set the exact time; flush it to the disk; close it; check that the file is still the old version; rename the
/// temporary file over it; flush the folder. Links to the file stay links; additional names of the same file (hard links) keep the
/// old version.
///
/// The folder is opened first, so that after the rename only its flush can fail. File systems that cannot flush a folder (fsync(2):
/// `EINVAL`, also `ENOTSUP`) are trusted to keep the order of rename and flush by themselves.
package struct AtomicFileReplacement {
    private let fileSystem: any FileSystem
    private let path: AbsolutePath
    private let newFiles: FileStoreOptions.NewFiles
    private let isUnnamed: Bool

    /// Makes a replacement.
    ///
    /// - Parameters:
    ///   - fileSystem: The file system of the file.
    ///   - path: The file, or a link that leads to it.
    ///   - newFiles: The permissions of the file and its folder if they do not exist.
    ///   - isUnnamed: Whether the temporary file has no name until it is complete, where the system offers that: for a file of which no
    ///     later save removes the remains. A new file is then for its owner alone.
    package init(
        fileSystem: any FileSystem,
        path: AbsolutePath,
        newFiles: FileStoreOptions.NewFiles = .areForOwner,
        unnamed isUnnamed: Bool = false
    ) {
        self.fileSystem = fileSystem
        self.path = path
        self.newFiles = newFiles
        self.isUnnamed = isUnnamed
    }

    /// Replaces the contents, or creates the file.
    ///
    /// - Parameters:
    ///   - bytes: The new contents.
    ///   - old: The file that the path led to when the new contents were made.
    ///   - mayCreateFolder: Whether to create missing folders.
    ///   - onReplaced: Called with the new version as soon as the path leads to it, although its name may not be on the disk.
    /// - Returns: The signature of the new version; `nil` if another writer has already replaced it, or if the next version could
    ///   have the same signature.
    /// - Throws: ``FileStoreError`` with the step that failed; ``FileStoreError/isSuperseded`` if another writer has replaced the old
    ///   version. Nothing is written where another user could have planted the file or a link. The file has its old contents, unless the
    ///   step is ``FileStoreError/Step/flushFolder``. The temporary file is removed.
    package func replaceContents(
        with bytes: [UInt8],
        instead old: ResolvedFile,
        mayCreateFolder: Bool,
        onReplaced: (FileSignature) -> Void = { _ in }
    ) throws(FileStoreError) -> FileSignature? {
        if let planted = old.planted { throw .planted(.replace, path: path.text, planted) }
        let folder = try step(.openFolder) { () throws(SystemCallError) in
            mayCreateFolder
                ? try fileSystem.openOrMakeFolder(old.path.folder, newFiles)
                : try fileSystem.openFile(old.path.folder, for: .folder)
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(folder) }
        let written = try write(bytes, over: old, unnamed: isUnnamed)
        onReplaced(written.signature)
        try step(.flushFolder) { () throws(SystemCallError) in try fileSystem.flushFolder(folder) }
        let present = try? fileSystem.status(ofItemAt: old.path.text).signature
        guard let present, present.isRenamed(from: written.signature) else { return nil }
        return written.isUnique || fileSystem.isSettled(present) ? present : nil
    }

    /// The version in the temporary file.
    private struct Written {
        let signature: FileSignature
        /// Whether no other version has the same time.
        let isUnique: Bool
    }

    private func write(
        _ bytes: [UInt8],
        over old: ResolvedFile,
        unnamed isUnnamed: Bool
    ) throws(FileStoreError) -> Written {
        var file = try createTemporaryFile(beside: old, unnamed: isUnnamed)
        try step(.keepAttributes) { () throws(SystemCallError) in try file.takeAttributes(of: old.status) }
        try step(.write) { () throws(SystemCallError) in try file.write(bytes) }
        // The system's times of files advance in ticks, and the next version may reuse the inode number of the version before the
        // last. With the exact time no two versions look alike. Without it, the store reads the file again.
        let time = fileSystem.nanoseconds
        try? file.setModificationTime(time)
        try step(.flush) { () throws(SystemCallError) in try file.flush() }
        let written = try step(.flush) { () throws(SystemCallError) in try file.status().signature }
        do throws(SystemCallError) {
            try file.giveName()
        } catch {
            // A system can refuse that: for a file that was given to another user, or under AppArmor. One with a name needs none.
            return try write(bytes, over: old, unnamed: false)
        }
        try step(.flush) { () throws(SystemCallError) in try file.close() }
        try checkPresence(of: old)
        try step(.replace) { () throws(SystemCallError) in try file.replace(old.path) }
        return Written(signature: written, isUnique: written.modified == time)
    }

    /// Throws if the replacement would undo that of a writer that takes no lock, such as an editor.
    ///
    /// A writer can still come between this check and the rename.
    private func checkPresence(of old: ResolvedFile) throws(FileStoreError) {
        let present = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        if let kind = present.status?.kind, kind != .regular { throw .notRegular(.replace, path: path.text, kind) }
        if let signature = present.status?.signature, signature != old.status?.signature || present.path != old.path {
            throw .superseded(path: path.text)
        }
    }

    private func createTemporaryFile(
        beside old: ResolvedFile,
        unnamed isUnnamed: Bool
    ) throws(FileStoreError) -> TemporaryFile {
        do {
            // Until it has the permissions of the old version, only the owner can read it.
            let newFiles = old.status == nil ? newFiles : .areForOwner
            return try TemporaryFile(beside: old.path, newFiles, unnamed: isUnnamed, in: fileSystem)
        } catch {
            throw FileStoreError(.createTemporaryFile, path: path.text, error, in: fileSystem)
        }
    }

    private func step<Result>(
        _ step: FileStoreError.Step,
        _ body: () throws(SystemCallError) -> Result
    ) throws(FileStoreError) -> Result {
        do {
            return try body()
        } catch {
            throw FileStoreError(step, path: path.text, error, in: fileSystem)
        }
    }
}
