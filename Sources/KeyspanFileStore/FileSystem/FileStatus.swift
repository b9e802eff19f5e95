/// What the system knows about a file: the part of `stat(2)` that a save needs.
package struct FileStatus: Sendable, Hashable {
    /// The kinds of files that are told apart.
    package enum Kind: Sendable, Hashable {
        case regular
        case folder
        case symbolicLink
        /// A pipe, a socket or a device.
        case special
    }

    /// The kind of file.
    package let kind: Kind
    /// The permission bits for owner, group and others, without the set-id bits, which mean nothing for data.
    package let permissions: UInt32
    /// Whether only their owners may remove and replace the files of this folder, such as in `/tmp`.
    package let isSticky: Bool
    /// The user that owns it.
    package let owner: UInt32
    /// The group that it belongs to.
    package let group: UInt32
    /// How many names the file has.
    package let links: Int
    /// What differs when the file was replaced or written to.
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
