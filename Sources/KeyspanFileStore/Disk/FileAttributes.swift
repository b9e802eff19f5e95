/// The owner, group and permissions of a file.
struct FileAttributes: Sendable {
    private let owner: UInt32
    private let group: UInt32
    private var permissions: UInt32

    /// The attributes of a file.
    init(of status: FileStatus) {
        owner = status.owner
        group = status.group
        permissions = status.permissions
    }

    /// These attributes without the rights of users that may read but not write.
    var onlyForWriters: FileAttributes {
        var attributes = self
        attributes.permissions = 0o600
        if permissions & 0o020 != 0 { attributes.permissions |= 0o060 }
        if permissions & 0o002 != 0 { attributes.permissions |= 0o006 }
        return attributes
    }

    /// Applies the attributes to an open file.
    ///
    /// Owner and group come first, so that only the owner can read the file until both are right. If the process may not set
    /// them, the file belongs to the process's user, and a group that had no rights gets none. Set-id bits, access control lists
    /// and extended attributes are not kept.
    func apply(to file: OpenFile, in fileSystem: any FileSystem) throws(SystemCallError) {
        let present = try fileSystem.status(of: file)
        var permissions = permissions
        if present.group != group, try !setOwner(nil, group: group, of: file, in: fileSystem) {
            permissions = Self.withoutGroup(permissions)
        }
        if present.owner != owner {
            _ = try setOwner(owner, group: nil, of: file, in: fileSystem)
        }
        guard permissions != present.permissions else { return }
        try fileSystem.setPermissions(permissions, of: file)
    }

    /// Gives a new file the owner and the permissions that it should have.
    ///
    /// It is restricted to its owner, 0600, even if the umask of the process removed some of these bits, unless it follows the umask. A
    /// file that root makes in the folder of another user belongs to that user, whose programs could not use it otherwise.
    static func applyNew(
        to file: OpenFile,
        _ newFiles: FileStoreOptions.NewFiles = .areForOwner,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) {
        let present = try fileSystem.status(of: file)
        let folder = AbsolutePath(file.path, relativeTo: "/").folder
        // The dot makes lstat(2) follow links in the place of the folder.
        if present.owner == 0, let around = try? fileSystem.status(ofItemAt: folder + "/.") {
            try around.give(file, in: fileSystem)
        }
        guard newFiles == .areForOwner, present.permissions != 0o600 else { return }
        do {
            try fileSystem.setPermissions(0o600, of: file)
        } catch let error where error.isNotPermitted {
            // A file system without permissions, such as FAT, rejects the call.
            return
        }
    }

    /// Sets the owner or the group, and returns whether the process may do that.
    private func setOwner(
        _ owner: UInt32?,
        group: UInt32?,
        of file: OpenFile,
        in fileSystem: any FileSystem
    ) throws(SystemCallError) -> Bool {
        do {
            try fileSystem.setOwner(owner, group: group, of: file)
            return true
        } catch let error where error.isNotPermitted {
            return false
        }
    }

    /// The permissions for a copy of a file that cannot be in its group.
    ///
    /// The copy's own group gets no permissions. Members of the lost group count as others now, so others get no more than the
    /// group had.
    static func withoutGroup(_ permissions: UInt32) -> UInt32 {
        let group = (permissions & 0o070) >> 3
        return (permissions & 0o700) | (permissions & 0o007 & group)
    }
}

extension FileStatus {
    /// Gives an item that root has just made in this folder to the owner of the folder, unless everyone may put items there.
    func give(_ item: OpenFile, in fileSystem: any FileSystem) throws(SystemCallError) {
        guard owner != 0, permissions & 0o002 == 0 else { return }
        do {
            try fileSystem.setOwner(owner, group: group, of: item)
        } catch let error where error.isNotPermitted {
            // The file system has no owners, or root has not all rights in a container.
            return
        }
    }
}
