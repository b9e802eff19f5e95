import KeyspanFileStore

/// The files and folders of a disk at one instant, as a value.
struct SimulatedVolume: Hashable {
    /// The folder at the root.
    static let root: SimulatedNode.ID = 1

    private(set) var nodes = [root: SimulatedNode(.folder([:]), permissions: 0o755, time: 0)]

    subscript(id: SimulatedNode.ID) -> SimulatedNode? {
        get { nodes[id] }
        set { nodes[id] = newValue }
    }

    /// The number of bytes of all files.
    var usedBytes: Int { nodes.values.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }

    /// The lowest inode number that no file has.
    var lowestFreeInode: UInt64 {
        let taken = Set(nodes.map { $1.inode ?? $0 })
        return (1...).first { !taken.contains($0) } ?? 0
    }

    /// The number of names of a file; for a folder, including those that it and its subfolders have for it.
    func links(of id: SimulatedNode.ID) -> Int {
        let names = nodes.values.reduce(0) { $0 + ($1.names?.values.count { $0 == id } ?? 0) }
        guard let inside = nodes[id]?.names else { return names }
        return 2 + inside.values.count { nodes[$0]?.kind == .folder }
    }

    /// Whether something is in a folder at any depth, or is that folder.
    func folder(_ folder: SimulatedNode.ID, contains id: SimulatedNode.ID) -> Bool {
        id == folder || nodes[folder]?.names?.values.contains { self.folder($0, contains: id) } ?? false
    }

    /// Changes a file or a folder; nothing if it is gone.
    mutating func apply(_ change: SimulatedChange) {
        guard var node = nodes[change.node] else { return }
        switch (change.effect, node.contents) {
        case (.write(let bytes, let offset), .file(let old)):
            node.contents = .file(old.resized(to: max(old.count, offset + bytes.count)).replacing(bytes, at: offset))
        case (.truncate(let size), .file(let old)):
            node.contents = .file(old.resized(to: size))
        case (.names(let changes), .folder(var names)):
            for (name, id) in changes { names[name] = id }
            node.contents = .folder(names)
        case (.permissions(let permissions), _):
            node.permissions = permissions
        case (.owner(let owner, let group), _):
            node.owner = owner ?? node.owner
            node.group = group ?? node.group
        case (.modified(let time), _):
            node.modified = time
        default:
            return
        }
        node.changed = change.time
        if change.isOfContents { node.modified = change.time }
        nodes[change.node] = node
    }

    /// Removes nodes without a name, unless they are kept, or in a folder that is kept.
    mutating func removeUnreachable(except isKept: (SimulatedNode.ID) -> Bool = { _ in false }) {
        var rest = [Self.root] + nodes.keys.filter(isKept)
        var reached = Set(rest)
        while let id = rest.popLast() {
            for inside in nodes[id]?.names?.values ?? [:].values where reached.insert(inside).inserted {
                rest.append(inside)
            }
        }
        nodes = nodes.filter { reached.contains($0.key) }
    }
}

extension [UInt8] {
    /// The bytes cut off, or lengthened with zeros.
    fileprivate func resized(to size: Int) -> [UInt8] {
        size < count ? Array(prefix(size)) : self + [UInt8](repeating: 0, count: size - count)
    }

    fileprivate func replacing(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var copy = self
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }
}

extension SimulatedVolume {
    /// The target of a path: a name in a folder, and the node with that name.
    struct Place {
        /// The folder that the name is in.
        let folder: SimulatedNode.ID
        /// The last name of the path; `nil` if that is the root, `.` or `..`.
        let name: String?
        /// The node; `nil` if there is none.
        let node: SimulatedNode.ID?
    }

    /// Follows an absolute path as the kernel does: path_resolution(7).
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - followsLastLink: Whether a symbolic link in the last place is followed, too.
    /// - Throws: `ENOENT`, `ENOTDIR`, `ENAMETOOLONG`, and `ELOOP` after more than 40 links.
    func place(of path: String, followingLastLink followsLastLink: Bool) throws(ErrorNumber) -> Place {
        var folders = [Self.root]
        var rest = Self.names(in: path)
        var links = 0
        while let name = rest.popLast() {
            // The root is never taken away.
            let folder = folders.last ?? Self.root
            guard let names = nodes[folder]?.names else { throw ErrorNumber(ENOTDIR) }
            if name.utf8.count > 255 { throw ErrorNumber(ENAMETOOLONG) }
            if name == "." { continue }
            if name == ".." {
                if folders.count > 1 { folders.removeLast() }
                continue
            }
            guard let id = names[name] else {
                if rest.isEmpty { return Place(folder: folder, name: name, node: nil) }
                throw ErrorNumber(ENOENT)
            }
            if case .link(let target)? = nodes[id]?.contents, followsLastLink || !rest.isEmpty {
                links += 1
                if links > 40 { throw ErrorNumber(ELOOP) }
                if target.hasPrefix("/") { folders = [Self.root] }
                rest += Self.names(in: target)
            } else if rest.isEmpty {
                return Place(folder: folder, name: name, node: id)
            } else {
                folders.append(id)
            }
        }
        return Place(folder: folders.last ?? Self.root, name: nil, node: folders.last)
    }

    /// The node that a path leads to.
    ///
    /// - Throws: `ENOENT` if there is nothing, and what ``place(of:followingLastLink:)`` throws.
    func node(at path: String, followingLastLink: Bool) throws(ErrorNumber) -> SimulatedNode.ID {
        guard let id = try place(of: path, followingLastLink: followingLastLink).node else { throw ErrorNumber(ENOENT) }
        return id
    }

    /// The names of a path, the last one first; a separator at the end means the folder itself.
    private static func names(in path: String) -> [String] {
        var names = path.split(separator: "/").map(String.init)
        if path.hasSuffix("/") { names.append(".") }
        return names.reversed()
    }
}

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

/// The error of a simulated call: `errno`, to which the file system adds the call and the path.
struct ErrorNumber: Error, Hashable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }
}
