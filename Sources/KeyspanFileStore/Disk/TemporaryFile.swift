import KeyspanCore

/// A temporary file for the next version of a file, until the temporary file takes the name of the file that it replaces.
///
/// The file is hidden, and in the same folder, because `rename(2)` cannot cross file systems. It is removed if this value ends
/// before the replacement. Only a process that is killed while it saves leaves a file behind, which the next save removes. One without a name
/// gets its name when it is complete, so that hardly anything can leave it behind.
struct TemporaryFile: ~Copyable {
    private let fileSystem: any FileSystem
    private let file: OpenFile
    private let newFiles: FileStoreOptions.NewFiles
    private var isOpen = true
    private var hasName = true
    private var isInPlace = false

    /// Creates the file beside another one.
    ///
    /// - Parameters:
    ///   - path: The other file.
    ///   - newFiles: The permissions if there is no other version.
    ///   - isUnnamed: Whether it has no name until it is complete, where the system offers that.
    ///   - fileSystem: The file system.
    init(
        beside path: AbsolutePath,
        _ newFiles: FileStoreOptions.NewFiles,
        unnamed isUnnamed: Bool = false,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        self.fileSystem = fileSystem
        self.newFiles = newFiles
        if isUnnamed, let file = fileSystem.openUnnamedFile(for: path.sibling(Self.makeName(for: path.name)).text) {
            (self.file, hasName) = (file, false)
        } else {
            file = try Self.create(beside: path, newFiles, in: fileSystem)
        }
    }

    deinit {
        // The earlier failure is the one to report. Nothing depends on these two calls: the descriptor is gone either way, and a
        // remaining file is never read.
        if isOpen { try? fileSystem.closeFile(file) }
        if hasName, !isInPlace { try? fileSystem.removeFile(file.path) }
    }

    /// Applies the owner, group and permissions of the version to be replaced, or those of a new file if there is none.
    func takeAttributes(of old: FileStatus?) throws(SystemCallError) {
        if let old { return try FileAttributes(of: old).apply(to: file, in: fileSystem) }
        try FileAttributes.applyNew(to: file, newFiles, in: fileSystem)
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(SystemCallError) {
        try fileSystem.writeAll(bytes, to: file)
    }

    /// Sets the time of the last change, in nanoseconds since 1970.
    func setModificationTime(_ nanoseconds: Int64) throws(SystemCallError) {
        try fileSystem.setModificationTime(nanoseconds, of: file)
    }

    /// The status of the file.
    func status() throws(SystemCallError) -> FileStatus {
        try fileSystem.status(of: file)
    }

    /// Flushes the file to the disk.
    func flush() throws(SystemCallError) {
        try fileSystem.flush(file)
    }

    /// Gives the file its name, if it has none.
    mutating func giveName() throws(SystemCallError) {
        if hasName { return }
        try fileSystem.nameFile(file)
        hasName = true
    }

    /// Closes the file; some file systems only report now that they could not write it.
    mutating func close() throws(SystemCallError) {
        isOpen = false
        try fileSystem.closeFile(file)
    }

    /// Atomically replaces another file with this one.
    mutating func replace(_ path: AbsolutePath) throws(SystemCallError) {
        try fileSystem.renameFile(file.path, to: path.text)
        isInPlace = true
    }

    /// Creates an empty file with a hidden name.
    static func create(
        beside path: AbsolutePath,
        _ newFiles: FileStoreOptions.NewFiles,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile {
        var attempts = 1
        while true {
            do {
                return try fileSystem.openFile(path.sibling(makeName(for: path.name)).text, for: newFiles.purpose)
            } catch let error where error.isAlreadyThere && attempts < 16 {
                attempts += 1
            }
        }
    }

    /// Whether a name is that of a temporary file beside a file.
    static func isName(_ name: String, for original: String) -> Bool {
        let (prefix, suffix) = (prefix(for: original), ".tmp")
        guard name.hasUTF8Prefix(prefix), name.hasUTF8Suffix(suffix) else { return false }
        let middle = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        return UInt64(Substring(middle), radix: 16) != nil
    }

    /// A hidden name that no other file has.
    private static func makeName(for name: String) -> String {
        prefix(for: name) + "\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    private static func prefix(for name: String) -> String {
        ".\(CompanionName.stem(of: name, room: 230))."
    }
}
