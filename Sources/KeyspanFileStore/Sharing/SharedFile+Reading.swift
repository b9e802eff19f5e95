import KeyspanCore

extension SharedFile {
    /// Reads the file; does not wait for another process, not even if the path is that of a pipe.
    ///
    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``FileStoreError`` if there is one that cannot be read or parsed. It is left as it is.
    func readFile() throws(FileStoreError) -> FileContents? {
        guard let (bytes, signature) = try readBytes(of: path) else { return nil }
        do {
            return FileContents(
                table: try codec.decode(bytes),
                version: FileVersion(bytes),
                signature: signature
            )
        } catch {
            throw .unparsable(path: path.text, error)
        }
    }

    /// Reads all bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it.
    ///   - limit: The size of the largest file that is read; that of the policy unless given.
    ///   - isWanted: Decides by what is known of the open file.
    /// - Returns: The bytes, and the file's signature if it did not change in the meantime; `nil` if there is no file, or
    ///   one that is not wanted.
    func readBytes(
        of path: AbsolutePath,
        atMost limit: Int? = nil,
        if isWanted: (FileStatus) -> Bool = { _ in true }
    ) throws(FileStoreError) -> (bytes: [UInt8], signature: FileSignature?)? {
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
        let status = try step(.open) { () throws(SystemCallError) in try fileSystem.status(of: file) }
        guard isWanted(status) else { return nil }
        if status.kind != .regular { throw .notRegular(.open, path: path.text, status.kind) }
        let limit = limit ?? policy.maximumSize
        if status.size > limit {
            throw .tooLarge(.open, path: path.text, size: status.size, limit: limit)
        }
        let bytes = try step(.read) { () throws(SystemCallError) in
            try fileSystem.readToEnd(of: file, expecting: status.size)
        }
        let after = try step(.read) { () throws(SystemCallError) in try fileSystem.status(of: file) }
        let isSettled =
            after.signature == status.signature && bytes.count == status.size
            && fileSystem.isSettled(status.signature)
        return (bytes, isSettled ? status.signature : nil)
    }
}
