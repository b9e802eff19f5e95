import KeyspanFileStore

/// A file, a folder or a symbolic link of a simulated volume, without its names: what POSIX calls a file serial number
/// and Linux an inode.
struct SimulatedNode: Hashable {
    /// A number that no other node of the disk ever had.
    typealias ID = UInt64

    /// The contents, by kind.
    enum Contents: Hashable {
        case file([UInt8])
        case folder([String: ID])
        case link(target: String)
    }

    var contents: Contents
    var permissions: UInt32
    var owner: UInt32 = 0
    var group: UInt32 = 0
    var modified: Int64
    var changed: Int64
    /// The number that processes see; `nil` if that is the ``ID``.
    var inode: UInt64?

    init(_ contents: Contents, permissions: UInt32, time: Int64) {
        self.contents = contents
        self.permissions = permissions
        modified = time
        changed = time
    }

    /// The kind that a process sees.
    var kind: FileStatus.Kind {
        switch contents {
        case .file: .regular
        case .folder: .folder
        case .link: .symbolicLink
        }
    }

    /// The size that a process sees; that of a folder says nothing.
    var size: Int {
        switch contents {
        case .file(let bytes): bytes.count
        case .folder: 4096
        case .link(let target): target.utf8.count
        }
    }

    /// The names of a folder; `nil` if it is none.
    var names: [String: ID]? {
        if case .folder(let names) = contents { names } else { nil }
    }

    /// The bytes of a file; `nil` if it is none.
    var bytes: [UInt8]? {
        if case .file(let bytes) = contents { bytes } else { nil }
    }
}
