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

    /// Restricts a new file to its owner, 0600, even if the umask of the process removed some of these bits.
    static func applyNew(to file: OpenFile, in fileSystem: any FileSystem) throws(SystemCallError) {
        guard try fileSystem.status(of: file).permissions != 0o600 else { return }
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
