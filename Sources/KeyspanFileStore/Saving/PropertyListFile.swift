package import KeyspanCore

/// A file of keys and values, which is read whole and replaced whole: the half of a file store that is on the disk.
package struct PropertyListFile: Sendable {
    /// The file, or a link that leads to it.
    package let path: AbsolutePath
    private let fileSystem: any FileSystem
    private let codec: any FileCodec
    /// Whether there never was a file, as far as is known: only then a missing folder is made, because one that goes
    /// away later may be a volume that is not mounted.
    private var isNew = true

    /// Makes a file, without touching the disk.
    ///
    /// - Parameters:
    ///   - path: A path of any kind; a relative one starts from the present working folder.
    ///   - codec: The format.
    ///   - fileSystem: Where the file is.
    /// - Throws: ``FileStoreError`` if no file can have that path.
    package init(path: String, codec: any FileCodec, fileSystem: any FileSystem) throws(FileStoreError) {
        if path.isEmpty { throw .invalidPath("\"\"", reason: "the path is empty") }
        if path.utf8.contains(0) { throw .invalidPath(path.debugDescription, reason: "the path has a NUL character") }
        if path.hasSuffix("/") { throw .invalidPath(path, reason: "the path is that of a folder") }
        do {
            let folder = AbsolutePath.isAbsolute(path) ? "/" : try fileSystem.workingFolder()
            self.path = AbsolutePath(path, relativeTo: folder)
        } catch {
            throw FileStoreError(.locate, path: path, error)
        }
        self.codec = codec
        self.fileSystem = fileSystem
    }

    /// Reads the file.
    ///
    /// Does not wait for another process, not even if the path is that of a pipe.
    ///
    /// - Returns: What it holds, or nothing if there is no such file.
    /// - Throws: ``FileStoreError`` if there is one that cannot be read or parsed. It is left as it is.
    package mutating func load() throws(FileStoreError) -> PropertyListTable {
        guard let bytes = try readContents() else { return PropertyListTable() }
        isNew = false
        do {
            return try codec.decode(bytes)
        } catch {
            throw .unparsable(path: path.text, error)
        }
    }

    /// Replaces the file, and returns when that is on the disk.
    package mutating func save(_ table: PropertyListTable) throws(FileStoreError) {
        try AtomicFileReplacement(fileSystem: fileSystem, path: path)
            .replaceContents(with: codec.encode(table), mayCreateFolder: isNew)
        isNew = false
    }

    private func readContents() throws(FileStoreError) -> [UInt8]? {
        let file: OpenFile
        do {
            file = try fileSystem.openFile(path.text, for: .reading)
        } catch let error where error.isNotFound {
            return nil
        } catch {
            throw FileStoreError(.open, path: path.text, error)
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? fileSystem.closeFile(file) }
        let status: FileStatus
        do {
            status = try fileSystem.status(of: file)
        } catch {
            throw FileStoreError(.open, path: path.text, error)
        }
        if status.kind != .regular { throw .notRegular(.open, path: path.text, status.kind) }
        do {
            return try fileSystem.readToEnd(of: file, expecting: status.size)
        } catch {
            throw FileStoreError(.read, path: path.text, error)
        }
    }
}
