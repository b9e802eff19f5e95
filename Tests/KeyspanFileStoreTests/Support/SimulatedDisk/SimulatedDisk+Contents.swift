/// Access for tests, which write durably at once and look contents up without a call that could fail.
extension SimulatedDisk {
    /// Writes a whole file, new or not, with all folders above it.
    func write(_ bytes: [UInt8], to path: String, permissions: UInt32 = 0o600) throws {
        try makeFolders(above: path)
        try withMachine { (machine) throws(ErrorNumber) in
            let place = try machine.visible.place(of: machine.absolute(path), followingLastLink: true)
            let node: SimulatedNode.ID
            if let old = place.node {
                node = old
            } else {
                node = try machine.makeNamed(.file([]), at: path, permissions: permissions)
            }
            machine.change(node, .truncate(size: 0))
            machine.change(node, .write(bytes, offset: 0))
            machine.change(node, .permissions(permissions))
            machine.flushAll()
        }
    }

    /// Makes a folder, with all folders above it.
    func makeFolders(_ path: String) throws {
        try makeFolders(above: path + "/")
    }

    /// Makes a symbolic link.
    func link(_ path: String, to target: String) throws {
        try withMachine { (machine) throws(ErrorNumber) in
            try machine.makeNamed(.link(target: target), at: path, permissions: 0o777)
            machine.flushAll()
        }
    }

    /// Gives a file a further name: a hard link.
    func addName(_ path: String, toFileAt oldPath: String) throws {
        try withMachine { (machine) throws(ErrorNumber) in
            let node = try machine.visible.node(at: machine.absolute(oldPath), followingLastLink: false)
            let place = try machine.visible.place(of: machine.absolute(path), followingLastLink: false)
            guard let name = place.name, place.node == nil else { throw ErrorNumber(EEXIST) }
            machine.change(place.folder, .names([name: node]))
            machine.flushAll()
        }
    }

    /// The bytes of a file as processes see them; `nil` if the file does not exist.
    func bytes(of path: String) -> [UInt8]? {
        let volume = state.visible
        guard let node = try? volume.node(at: path, followingLastLink: true) else { return nil }
        return volume[node]?.bytes
    }

    /// Limits how many bytes all files may have together from now on; `nil` ends the limit.
    func setCapacity(_ capacity: Int?) {
        withMachine { $0.properties.capacity = capacity }
    }

    /// Lets time pass by the machine's own clock, in nanoseconds.
    func passTime(_ duration: Int64) {
        withMachine { $0.passTime(duration) }
    }

    /// All flushes from now on succeed but one, which loses the bytes that it was to write.
    func failFlush(number: Int) {
        withMachine { $0.failFlush(number: number) }
    }

    private func makeFolders(above path: String) throws {
        try withMachine { (machine) throws(ErrorNumber) in
            var folder = ""
            for name in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() where !name.isEmpty {
                folder += "/\(name)"
                guard try machine.visible.place(of: folder, followingLastLink: true).node == nil else { continue }
                try machine.makeNamed(.folder([:]), at: folder, permissions: 0o755)
            }
            machine.flushAll()
        }
    }
}
