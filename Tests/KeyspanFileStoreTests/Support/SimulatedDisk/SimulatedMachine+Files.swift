import KeyspanFileStore

/// The calls on open files.
extension SimulatedMachine {
    mutating func open(_ path: String, for purpose: OpenPurpose) throws(ErrorNumber) -> Int32 {
        let node: SimulatedNode.ID
        switch purpose {
        case .reading:
            node = try visible.node(at: absolute(path), followingLastLink: true)
        case .folder, .newFolder:
            node = try visible.node(at: absolute(path), followingLastLink: purpose == .folder)
            if visible[node]?.kind != .folder { throw ErrorNumber(ENOTDIR) }
        case .updating:
            node = try visible.node(at: absolute(path), followingLastLink: false)
            if visible[node]?.kind == .folder { throw ErrorNumber(EISDIR) }
            if visible[node]?.kind == .symbolicLink { throw ErrorNumber(ELOOP) }
        case .creating, .creatingByUmask:
            node = try makeNamed(.file([]), at: path, permissions: purpose == .creating ? 0o600 : 0o644)
        }
        // The lowest number that is free, so that the use of a closed file meets another one.
        var descriptor: Int32 = 3
        while descriptions[descriptor] != nil { descriptor += 1 }
        descriptions[descriptor] = Description(
            node: node,
            isWritable: [.updating, .creating, .creatingByUmask].contains(purpose),
            process: runningProcess
        )
        return descriptor
    }

    mutating func close(_ descriptor: Int32) throws(ErrorNumber) {
        guard let description = descriptions.removeValue(forKey: descriptor) else { throw ErrorNumber(EBADF) }
        releaseUnused(description.node)
    }

    /// Reads from a place, or from the one behind the bytes that were read or written last.
    mutating func read(_ descriptor: Int32, at offset: Int?, atMost count: Int) throws(ErrorNumber) -> [UInt8] {
        if let offset, offset < 0 { throw ErrorNumber(EINVAL) }
        let description = try description(descriptor)
        guard let bytes = visible[description.node]?.bytes else { throw ErrorNumber(EISDIR) }
        let start = offset ?? description.offset
        let result = Array(bytes.dropFirst(start).prefix(count))
        if offset == nil { descriptions[descriptor]?.offset += result.count }
        return result
    }

    /// Writes to a place, or to the one behind the bytes that were read or written last, as much as the disk has room for.
    mutating func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, at offset: Int?) throws(ErrorNumber) -> Int {
        if let offset, offset < 0 { throw ErrorNumber(EINVAL) }
        let description = try writableDescription(descriptor, otherwise: EBADF)
        let start = offset ?? description.offset
        let written = bytes.prefix(max(try roomForGrowth(of: description.node) - start, 0))
        if written.isEmpty {
            if bytes.isEmpty { return 0 }
            throw ErrorNumber(ENOSPC)
        }
        change(description.node, .write(Array(written), offset: start))
        if offset == nil { descriptions[descriptor]?.offset += written.count }
        return written.count
    }

    mutating func truncate(_ descriptor: Int32, to size: Int) throws(ErrorNumber) {
        let description = try writableDescription(descriptor, otherwise: EINVAL)
        if size < 0 { throw ErrorNumber(EINVAL) }
        if try size > roomForGrowth(of: description.node) { throw ErrorNumber(ENOSPC) }
        change(description.node, .truncate(size: size))
    }

    /// Flushes a file; a failure is reported once through each of its open files, and through none that is opened later, as on
    /// Linux.
    mutating func flush(_ descriptor: Int32, contentsOnly: Bool) throws(ErrorNumber) {
        let description = try description(descriptor)
        descriptions[descriptor]?.hasMissedFailure = false
        do throws(ErrorNumber) {
            try flush(description.node, contentsOnly: contentsOnly)
        } catch {
            for (other, opened) in descriptions where opened.node == description.node && other != descriptor {
                descriptions[other]?.hasMissedFailure = true
            }
            throw error
        }
        if description.hasMissedFailure { throw ErrorNumber(EIO) }
    }

    /// Takes a lock; one that the open file has is lost if it cannot be exchanged, as on Linux.
    mutating func lock(_ descriptor: Int32, exclusively isExclusive: Bool) throws(ErrorNumber) -> Bool {
        let description = try description(descriptor)
        if description.lock == isExclusive { return true }
        descriptions[descriptor]?.lock = nil
        let isTaken = descriptions.values.contains { other in
            other.node == description.node && other.lock.map { $0 || isExclusive } ?? false
        }
        if !isTaken { descriptions[descriptor]?.lock = isExclusive }
        return !isTaken
    }

    mutating func unlock(_ descriptor: Int32) throws(ErrorNumber) {
        _ = try description(descriptor)
        descriptions[descriptor]?.lock = nil
    }

    func status(_ descriptor: Int32) throws(ErrorNumber) -> FileStatus {
        try status(of: try description(descriptor).node)
    }

    mutating func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(ErrorNumber) {
        change(try description(descriptor).node, .permissions(permissions & 0o777))
    }

    /// Sets a time, which file systems that count seconds cut off.
    mutating func setModificationTime(_ nanoseconds: Int64, of descriptor: Int32) throws(ErrorNumber) {
        let unit: Int64 = properties.clockTick >= 1_000_000_000 ? properties.clockTick : 1
        change(try description(descriptor).node, .modified(nanoseconds / unit * unit))
    }

    mutating func setOwner(_ owner: UInt32?, group: UInt32?, of descriptor: Int32) throws(ErrorNumber) {
        change(try description(descriptor).node, .owner(owner, group: group))
    }

    private func description(_ descriptor: Int32) throws(ErrorNumber) -> Description {
        guard let description = descriptions[descriptor] else { throw ErrorNumber(EBADF) }
        return description
    }

    private func writableDescription(_ descriptor: Int32, otherwise errno: Int32) throws(ErrorNumber) -> Description {
        let description = try description(descriptor)
        guard description.isWritable else { throw ErrorNumber(errno) }
        return description
    }

    /// The largest length of a file.
    private func roomForGrowth(of node: SimulatedNode.ID) throws(ErrorNumber) -> Int {
        guard let size = visible[node]?.bytes?.count else { throw ErrorNumber(EISDIR) }
        guard let capacity = properties.capacity else { return .max }
        return size + max(capacity - visible.usedBytes, 0)
    }
}
