internal import KeyspanCore

/// All bytes of a regular file, and its status when they were read.
package struct RegularFile {
    /// The bytes.
    package let bytes: [UInt8]
    /// The status of the open file before it was read.
    package let status: FileStatus
    /// Whether the file had the same size and times before and after it was read.
    package let isUnchanged: Bool
}

extension FileSystem {
    /// Makes the path of a file or folder absolute.
    ///
    /// - Throws: ``FileStoreError`` if the path is invalid or the working folder is unknown.
    func locate(_ path: String) throws(FileStoreError) -> AbsolutePath {
        if path.isEmpty { throw .invalidPath("\"\"", reason: "the path is empty") }
        if path.utf8.contains(0) { throw .invalidPath(path.quoted, reason: "the path has a NUL character") }
        do {
            return try absolutePath(of: path)
        } catch {
            throw FileStoreError(.locate, path: path, error)
        }
    }

    /// Reads a regular file, without waiting if the path leads to a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: The file, or a link that leads to it.
    ///   - limit: The size of the largest file that is read.
    ///   - isWanted: Decides by the status of the open file.
    /// - Returns: The file; `nil` if it does not exist or is not wanted.
    /// - Throws: ``FileStoreError`` if a system call failed, or if the file is larger than the limit or not regular.
    package func readFile(
        _ path: AbsolutePath,
        atMost limit: Int,
        if isWanted: (FileStatus) throws(FileStoreError) -> Bool = { _ in true }
    ) throws(FileStoreError) -> RegularFile? {
        let file: OpenFile
        do {
            file = try openFile(path.text, for: .reading)
        } catch let error where error.isNotFound {
            return nil
        } catch {
            throw FileStoreError(.open, path: path.text, error, in: self)
        }
        // Nothing was written through this descriptor, so closing it cannot lose anything.
        defer { try? closeFile(file) }
        let status: FileStatus
        do {
            status = try self.status(of: file)
        } catch {
            throw FileStoreError(.open, path: path.text, error)
        }
        guard try isWanted(status) else { return nil }
        if status.kind != .regular { throw .notRegular(.open, path: path.text, status.kind) }
        if status.size > limit { throw .tooLarge(.open, path: path.text, size: status.size, limit: limit) }
        let (bytes, after): ([UInt8], FileStatus)
        do {
            bytes = try readToEnd(of: file, expecting: status.size, atMost: limit)
            after = try self.status(of: file)
        } catch {
            throw FileStoreError(.read, path: path.text, error)
        }
        // It grows, or its size says nothing, as in /proc.
        if bytes.count > limit { throw .tooLarge(.read, path: path.text, limit: limit) }
        let isUnchanged = after.signature == status.signature && bytes.count == status.size
        return RegularFile(bytes: bytes, status: status, isUnchanged: isUnchanged)
    }
}

extension RegularFile {
    /// The size of the largest file whose contents are settings: 1 MiB, the limit of Kubernetes for a whole Secret.
    static let maximumSettingsSize = 1 << 20

    /// The contents as the value of one setting: without one line end at the end, which editors and `echo` append, and without the
    /// byte-order mark that some editors put before a text.
    var setting: OutsideText {
        let mark = TextBeginning.byteOrderMark
        let isMarked = bytes.starts(with: mark) && String(validating: bytes, as: UTF8.self) != nil
        var text = isMarked ? bytes.dropFirst(mark.count) : bytes[...]
        if text.last == ASCII.lineFeed {
            text.removeLast()
            if text.last == ASCII.carriageReturn { text.removeLast() }
        }
        return OutsideText(text)
    }
}
