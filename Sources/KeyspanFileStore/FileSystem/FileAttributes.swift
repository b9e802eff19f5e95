/// Who a file belongs to and who may read and write it.
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

    /// The same without any right for those who may read but not write.
    var onlyForWriters: FileAttributes {
        var attributes = self
        attributes.permissions = 0o600
        if permissions & 0o020 != 0 { attributes.permissions |= 0o060 }
        if permissions & 0o002 != 0 { attributes.permissions |= 0o006 }
        return attributes
    }

    /// Gives them to an open file.
    ///
    /// Owner and group come first, so that nobody but the owner can read the file until both are right. Where the process
    /// may not keep them the file becomes its own, without rights for a group that was not meant to have any. The set-id
    /// bits, access control lists and extended attributes are not kept.
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

    /// Gives a new file to its owner alone, 0600, whatever the umask of the process has left of that.
    static func applyNew(to file: OpenFile, in fileSystem: any FileSystem) throws(SystemCallError) {
        guard try fileSystem.status(of: file).permissions != 0o600 else { return }
        do {
            try fileSystem.setPermissions(0o600, of: file)
        } catch let error where error.isNotPermitted {
            // A file system without permissions, such as FAT, refuses to set them.
            return
        }
    }

    /// Sets the owner or the group, and answers whether the process may do that.
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
    /// The copy's own group gets none. Members of the lost group count as others now, so others get no more than the
    /// group had.
    static func withoutGroup(_ permissions: UInt32) -> UInt32 {
        let group = (permissions & 0o070) >> 3
        return (permissions & 0o700) | (permissions & 0o007 & group)
    }
}
