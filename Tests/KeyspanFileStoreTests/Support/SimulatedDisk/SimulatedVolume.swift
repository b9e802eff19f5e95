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

    /// How many bytes all files have together.
    var usedBytes: Int { nodes.values.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }

    /// The lowest inode number that no file has.
    var lowestFreeInode: UInt64 {
        let taken = Set(nodes.map { $1.inode ?? $0 })
        return (1...).first { !taken.contains($0) } ?? 0
    }

    /// How many names lead to a file; for a folder also those that it and the folders in it have for it.
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
