/// The part of a file's `stat(2)` that a save needs.
package struct FileStatus: Sendable, Hashable {
    /// The kinds of files that matter to a store.
    package enum Kind: Sendable, Hashable {
        case regular
        case folder
        case symbolicLink
        /// A pipe, a socket or a device.
        case special
    }

    /// The kind of file.
    package let kind: Kind
    /// The permission bits for owner, group and others, without the set-id bits, which have no meaning for data.
    package let permissions: UInt32
    /// Whether only their owners may remove and replace the files of this folder, as in `/tmp`.
    package let isSticky: Bool
    /// The user that owns it.
    package let owner: UInt32
    /// The group that it belongs to.
    package let group: UInt32
    /// The number of names of the file.
    package let links: Int
    /// The part that differs after the file was replaced or written to.
    package let signature: FileSignature

    /// The number of bytes.
    package var size: Int { signature.size }

    /// Makes a status.
    package init(
        kind: Kind,
        permissions: UInt32,
        isSticky: Bool = false,
        owner: UInt32,
        group: UInt32,
        links: Int,
        signature: FileSignature
    ) {
        self.kind = kind
        self.permissions = permissions
        self.isSticky = isSticky
        self.owner = owner
        self.group = group
        self.links = links
        self.signature = signature
    }
}

/// The number of an item of a file system, and its size.
package struct ItemIdentity: Sendable, Hashable {
    /// The file system of the item.
    package let device: UInt64
    /// The number of the item within its file system, which another item can reuse once no process has this one open.
    package let inode: UInt64
    /// The number of bytes.
    package let size: Int

    /// Makes an identity.
    package init(device: UInt64, inode: UInt64, size: Int) {
        self.device = device
        self.inode = inode
        self.size = size
    }

    init(_ signature: FileSignature) {
        self.init(device: signature.device, inode: signature.inode, size: signature.size)
    }

    /// Whether both are of the same item, whatever its size.
    package func isSameItem(as other: ItemIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}

/// The fields of `stat(2)` that differ after a file was replaced or written to.
///
/// Two writes of the same length within one tick of the file system's clock (some milliseconds) can look alike, even to two
/// files, because inode numbers are reused. See ``FileSystem/isSettled(_:)``.
package struct FileSignature: Sendable, Hashable {
    /// The file system of the file.
    package let device: UInt64
    /// The number of the file within its file system, which another file can reuse later.
    package let inode: UInt64
    /// The number of bytes.
    package let size: Int
    /// The last change of the contents, in nanoseconds since 1970.
    package let modified: Int64
    /// The last change of the contents, the name or the attributes, in nanoseconds since 1970.
    package let changed: Int64

    /// Makes a signature.
    package init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// Whether both signatures belong to the same file, whatever its state.
    package func isSameFile(as other: FileSignature) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Whether this is the signature of the same version after a rename, which changes one of the times.
    func isRenamed(from other: FileSignature) -> Bool {
        isSameFile(as: other) && modified == other.modified && size == other.size
    }
}

extension FileSystem {
    /// Whether another write to a file would change its times, because the clock has ticked since the last one.
    ///
    /// Kernels advance the times of files in ticks of up to 10 milliseconds, and some file systems count whole seconds or pairs of
    /// them. A time in the future comes from another clock, so the file never counts as settled then.
    func isSettled(_ signature: FileSignature) -> Bool {
        let second: Int64 = 1_000_000_000
        let countsSeconds = signature.changed % second == 0 && signature.modified % second == 0
        return nanoseconds &- signature.changed >= (countsSeconds ? 2 * second : second / 50)
    }
}
