/// Replaces the contents of a file so that at any instant, a crash or power failure included, it is wholly the old version
/// or wholly the new one.
///
/// The steps, in this order: follow the links in the place of the file; open its folder; create a temporary file there;
/// give it the owner and the permissions of the file; write it; flush it to the disk; close it; rename it over the file;
/// flush the folder. Links to the file stay links; further names of the same file (hard links) keep the old version.
///
/// The folder is opened first, so that after the rename nothing is left to fail but its flush. File systems that cannot
/// flush a folder (fsync(2): `EINVAL`, also `ENOTSUP`) are trusted to keep the order of rename and flush by themselves.
struct AtomicFileReplacement {
    let fileSystem: any FileSystem
    /// The file, or a link that leads to it.
    let path: AbsolutePath

    /// Replaces the contents, or creates the file with permissions 0600.
    ///
    /// - Parameters:
    ///   - bytes: The new contents.
    ///   - mayCreateFolder: Whether missing folders are made, with permissions 0700.
    /// - Throws: ``FileStoreError`` naming the step. The file has its old contents, unless that is
    ///   ``FileStoreError/Step/flushFolder``. The temporary file is removed.
    func replaceContents(with bytes: [UInt8], mayCreateFolder: Bool) throws(FileStoreError) {
        let old = try step(.locate) { () throws(SystemCallError) in try fileSystem.resolve(path) }
        if let kind = old.status?.kind, kind != .regular { throw .notRegular(.replace, path: path.text, kind) }
        let folder = try step(.openFolder) { () throws(SystemCallError) in
            mayCreateFolder
                ? try fileSystem.openOrMakeFolder(old.path.folder)
                : try fileSystem.openFile(old.path.folder, for: .folder)
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(folder) }
        try write(bytes, over: old)
        try step(.flushFolder) { () throws(SystemCallError) in try fileSystem.flushFolder(folder) }
    }

    private func write(_ bytes: [UInt8], over old: ResolvedFile) throws(FileStoreError) {
        var file = try createTemporaryFile(beside: old.path)
        try step(.keepAttributes) { () throws(SystemCallError) in try file.takeAttributes(of: old.status) }
        try step(.write) { () throws(SystemCallError) in try file.write(bytes) }
        try step(.flush) { () throws(SystemCallError) in try file.flush() }
        try step(.flush) { () throws(SystemCallError) in try file.close() }
        try step(.replace) { () throws(SystemCallError) in try file.replace(old.path) }
    }

    private func createTemporaryFile(beside path: AbsolutePath) throws(FileStoreError) -> TemporaryFile {
        do {
            return try TemporaryFile(beside: path, in: fileSystem)
        } catch {
            throw FileStoreError(.createTemporaryFile, path: self.path.text, error)
        }
    }

    private func step<Result>(
        _ step: FileStoreError.Step,
        _ body: () throws(SystemCallError) -> Result
    ) throws(FileStoreError) -> Result {
        do {
            return try body()
        } catch {
            throw FileStoreError(step, path: path.text, error)
        }
    }
}
