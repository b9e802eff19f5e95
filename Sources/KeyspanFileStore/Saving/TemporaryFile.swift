/// The file that the next version is written to, until it takes the name of the file that it replaces.
///
/// It is hidden, and in the same folder, because `rename(2)` cannot cross file systems. It is removed when this value
/// goes away before that happened. Only a process that is killed while it saves leaves one behind, which may be removed
/// by hand.
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
    ///
    /// Owner and group come first, so that nobody but the owner can read the file until both are right. Where the process
    /// may not keep them the file becomes its own, without rights for a group that was not meant to have any. The set-id
    /// bits, access control lists and extended attributes are not kept.
    func takeAttributes(of old: FileStatus?) throws(SystemCallError) {
        let new = try fileSystem.status(of: file)
        guard let old else {
            do {
                return try setPermissions(0o600, insteadOf: new.permissions)
            } catch let error where error.isNotPermitted {
                // A file system without permissions, such as FAT, refuses to set them.
                return
            }
        }
        var permissions = old.permissions
        if new.group != old.group, try !setOwner(nil, group: old.group) {
            permissions = old.permissionsWithoutGroup
        }
        if new.owner != old.owner {
            try setOwner(old.owner, group: nil)
        }
        try setPermissions(permissions, insteadOf: new.permissions)
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) throws(SystemCallError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try fileSystem.writeBytes(rest, to: file)
            // write(2) does not answer 0 for a regular file; if a file system does, asking again would never end.
            if count == 0 { throw .nothingWritten(to: file.path) }
            rest = rest.dropFirst(count)
        }
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

    private func setPermissions(_ permissions: UInt32, insteadOf present: UInt32) throws(SystemCallError) {
        guard permissions != present else { return }
        try fileSystem.setPermissions(permissions, of: file)
    }

    /// Sets the owner or the group, and answers whether the process may do that.
    @discardableResult
    private func setOwner(_ owner: UInt32?, group: UInt32?) throws(SystemCallError) -> Bool {
        do {
            try fileSystem.setOwner(owner, group: group, of: file)
            return true
        } catch let error where error.isNotPermitted {
            return false
        }
    }

    private static func create(
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

    /// A hidden name that nobody else uses, at most 255 bytes long.
    private static func makeName(for name: String) -> String {
        let prefix = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        return ".\(prefix).\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }
}

extension FileStatus {
    /// The permissions for a copy of the file that cannot be in its group.
    ///
    /// The copy's own group gets none. Members of the lost group count as others now, so others get no more than the
    /// group had.
    package var permissionsWithoutGroup: UInt32 {
        let group = (permissions & 0o070) >> 3
        return (permissions & 0o700) | (permissions & 0o007 & group)
    }
}
