import KeyspanFileStore

/// The calls on paths.
extension SimulatedMachine {
    func status(at path: String) throws(ErrorNumber) -> FileStatus {
        try status(of: try visible.node(at: absolute(path), followingLastLink: false))
    }

    func status(of id: SimulatedNode.ID) throws(ErrorNumber) -> FileStatus {
        guard let node = visible[id] else { throw ErrorNumber(ENOENT) }
        return FileStatus(
            kind: node.kind,
            permissions: node.permissions,
            owner: node.owner,
            group: node.group,
            links: visible.links(of: id),
            signature: FileSignature(
                device: 1,
                inode: node.inode ?? id,
                size: node.size,
                modified: node.modified,
                changed: node.changed
            )
        )
    }

    func target(ofLinkAt path: String) throws(ErrorNumber) -> String {
        let id = try visible.node(at: absolute(path), followingLastLink: false)
        guard case .link(let target)? = visible[id]?.contents else { throw ErrorNumber(EINVAL) }
        return target
    }

    func names(inFolder path: String) throws(ErrorNumber) -> [String] {
        let id = try visible.node(at: absolute(path), followingLastLink: true)
        guard let names = visible[id]?.names else { throw ErrorNumber(ENOTDIR) }
        return names.keys.sorted()
    }

    /// Makes something under a name that is free.
    @discardableResult
    mutating func makeNamed(
        _ contents: SimulatedNode.Contents,
        at path: String,
        permissions: UInt32
    ) throws(ErrorNumber) -> SimulatedNode.ID {
        let place = try visible.place(of: absolute(path), followingLastLink: false)
        guard let name = place.name, place.node == nil else { throw ErrorNumber(EEXIST) }
        let node = makeNode(contents, permissions: permissions)
        change(place.folder, .names([name: node]))
        return node
    }

    /// Gives a file another name, or, between folders, first the new one and then no more the old one.
    mutating func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
        let old = try visible.place(of: absolute(path), followingLastLink: false)
        let new = try visible.place(of: absolute(newPath), followingLastLink: false)
        guard let oldName = old.name, let newName = new.name else { throw ErrorNumber(EBUSY) }
        guard let node = old.node else { throw ErrorNumber(ENOENT) }
        if new.node == node { return }
        if visible.folder(node, contains: new.folder) { throw ErrorNumber(EINVAL) }
        if let replaced = new.node {
            if visible.folder(replaced, contains: old.folder) { throw ErrorNumber(ENOTEMPTY) }
            try checkReplacement(of: replaced, by: node)
        }
        if old.folder == new.folder {
            change(old.folder, .names([oldName: nil, newName: node]))
        } else {
            change(new.folder, .names([newName: node]))
            change(old.folder, .names([oldName: nil]))
        }
        if let replaced = new.node { releaseUnused(replaced) }
    }

    /// Gives a file another name, which must be free.
    mutating func link(_ path: String, to newPath: String) throws(ErrorNumber) {
        let node = try visible.node(at: absolute(path), followingLastLink: false)
        let place = try visible.place(of: absolute(newPath), followingLastLink: false)
        guard let name = place.name, place.node == nil else { throw ErrorNumber(EEXIST) }
        if visible[node]?.kind == .folder { throw ErrorNumber(EPERM) }
        change(place.folder, .names([name: node]))
    }

    mutating func unlink(_ path: String) throws(ErrorNumber) {
        let place = try visible.place(of: absolute(path), followingLastLink: false)
        guard let node = place.node else { throw ErrorNumber(ENOENT) }
        guard let name = place.name, visible[node]?.kind != .folder else { throw ErrorNumber(EISDIR) }
        change(place.folder, .names([name: nil]))
        releaseUnused(node)
    }

    mutating func removeFolder(_ path: String) throws(ErrorNumber) {
        let place = try visible.place(of: absolute(path), followingLastLink: false)
        guard let node = place.node else { throw ErrorNumber(ENOENT) }
        guard let names = visible[node]?.names else { throw ErrorNumber(ENOTDIR) }
        guard let name = place.name else {
            throw ErrorNumber(path.hasSuffix("/..") ? ENOTEMPTY : path.hasSuffix("/.") ? EINVAL : EBUSY)
        }
        if !names.isEmpty { throw ErrorNumber(ENOTEMPTY) }
        change(place.folder, .names([name: nil]))
        releaseUnused(node)
    }

    /// A path from the root; an empty one leads nowhere.
    func absolute(_ path: String) throws(ErrorNumber) -> String {
        if path.isEmpty { throw ErrorNumber(ENOENT) }
        return AbsolutePath(path, relativeTo: properties.workingFolder).text
    }

    private func checkReplacement(of old: SimulatedNode.ID, by new: SimulatedNode.ID) throws(ErrorNumber) {
        switch (visible[new]?.names, visible[old]?.names) {
        case (.some, .none): throw ErrorNumber(ENOTDIR)
        case (.none, .some): throw ErrorNumber(EISDIR)
        case (.some, .some(let names)) where !names.isEmpty: throw ErrorNumber(ENOTEMPTY)
        default: return
        }
    }
}
