import KeyspanCore

/// The file that the next version is written to, until it takes the name of the file that it replaces.
///
/// It is hidden, and in the same folder, because `rename(2)` cannot cross file systems. It is removed when this value
/// goes away before that happened. Only a process that is killed while it saves leaves one behind, which the next one that
/// saves removes.
struct TemporaryFile: ~Copyable {
    private let fileSystem: any FileSystem
    private let file: OpenFile
    private var isOpen = true
    private var isInPlace = false

    /// Creates the file beside another one, readable and writable by its owner alone.
    init(beside path: AbsolutePath, in fileSystem: any FileSystem) throws(SystemCallError) {
        self.fileSystem = fileSystem
        file = try Self.create(beside: path, in: fileSystem)
    }

    deinit {
        // The failure that led here is the one that is reported. Nobody depends on these two: the descriptor is gone
        // either way, and a file that stays is not read by anybody.
        if isOpen { try? fileSystem.closeFile(file) }
        if !isInPlace { try? fileSystem.removeFile(file.path) }
    }

    /// Gives the file the owner, the group and the permissions of the version that it replaces, or 0600 if there is none.
    func takeAttributes(of old: FileStatus?) throws(SystemCallError) {
        if let old { return try FileAttributes(of: old).apply(to: file, in: fileSystem) }
        try FileAttributes.applyNew(to: file, in: fileSystem)
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(SystemCallError) {
        try fileSystem.writeAll(bytes, to: file)
    }

    /// Sets when the contents were written, in nanoseconds since 1970.
    func setModificationTime(_ nanoseconds: Int64) throws(SystemCallError) {
        try fileSystem.setModificationTime(nanoseconds, of: file)
    }

    /// What is known about the file.
    func status() throws(SystemCallError) -> FileStatus {
        try fileSystem.status(of: file)
    }

    /// Returns when the bytes are on the disk.
    func flush() throws(SystemCallError) {
        try fileSystem.flush(file)
    }

    /// Closes the file; some file systems report only here that they could not write it.
    mutating func close() throws(SystemCallError) {
        isOpen = false
        try fileSystem.closeFile(file)
    }

    /// Puts the file in the place of another one, in one step.
    mutating func replace(_ path: AbsolutePath) throws(SystemCallError) {
        try fileSystem.renameFile(file.path, to: path.text)
        isInPlace = true
    }

    /// Creates an empty file of a hidden name.
    static func create(
        beside path: AbsolutePath,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> OpenFile {
        var attempts = 1
        while true {
            do {
                return try fileSystem.openFile(path.sibling(makeName(for: path.name)).text, for: .creating)
            } catch let error where error.isAlreadyThere && attempts < 16 {
                attempts += 1
            }
        }
    }

    /// Whether a name is one of those that temporary files beside a file have.
    static func isName(_ name: String, for original: String) -> Bool {
        let (prefix, suffix) = (prefix(for: original), ".tmp")
        guard name.hasUTF8Prefix(prefix), name.hasUTF8Suffix(suffix) else { return false }
        let middle = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        return UInt64(Substring(middle), radix: 16) != nil
    }

    /// A hidden name that nobody else uses.
    private static func makeName(for name: String) -> String {
        prefix(for: name) + "\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    private static func prefix(for name: String) -> String {
        ".\(CompanionName.stem(of: name, room: 230))."
    }
}
