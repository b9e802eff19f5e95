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
