@_spi(StoreAuthors) internal import KeyspanCore

extension FileCodec {
    /// The lines of entries in a file as it is now, read without a lock, because the file may be locked by this thread.
    ///
    /// - Returns: The lines of those that were found; none if the file cannot be read.
    func lines(
        of entries: [String],
        inFileAt path: String,
        _ naming: NestedNaming?,
        sizeLimit: Int,
        _ fileSystem: any FileSystem
    ) -> TextDictionary<Int> {
        do {
            let file = try fileSystem.openFile(path, for: .reading)
            // Nothing was written through this descriptor, so closing it cannot lose anything.
            defer { try? fileSystem.closeFile(file) }
            let status = try fileSystem.status(of: file)
            guard status.kind == .regular, status.size <= sizeLimit else { return [:] }
            let bytes = try fileSystem.readToEnd(of: file, expecting: status.size)
            return try locate(entries, in: bytes, naming).compactMapValues(\.line)
        } catch {
            // The entries are known without their lines.
            return [:]
        }
    }
}
