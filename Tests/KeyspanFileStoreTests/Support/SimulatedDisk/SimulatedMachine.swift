import KeyspanFileStore

/// A running machine with one disk, as a value: what processes see, what the disk keeps, and what lies between.
///
/// Its processes may do everything, as those of root: permissions and owners are kept and not enforced. The answers are
/// those of Linux.
struct SimulatedMachine {
    /// The properties in which machines and their disks differ.
    struct Properties: Hashable {
        /// Whether the disk may keep a later name of a folder and lose an earlier one, as without a journal.
        var reordersNames = false
        /// The nanoseconds within which successive changes of files have the same time.
        var clockTick: Int64 = 1
        /// The nanoseconds that a call takes by the machine's own clock; 0 if that is the clock of the real machine.
        var callDuration: Int64 = 0
        /// Whether a new file takes the lowest inode number that is free, and not one that no file had before.
        var reusesInodes = false
        /// The capacity of the disk in bytes; `nil` if it is unlimited.
        var capacity: Int?
        /// The folder that relative paths start from.
        var workingFolder = "/"
    }

    /// An open file description.
    struct Description {
        let node: SimulatedNode.ID
        let isWritable: Bool
        let process: SimulatedProcess.ID
        var offset = 0
        /// The lock that it has: exclusive or not.
        var lock: Bool?
        /// Whether a flush through another open file failed, which the next flush through this one reports.
        var hasMissedFailure = false
    }

    /// The contents as processes see them.
    private(set) var visible: SimulatedVolume
    /// The durable contents.
    private(set) var durable: SimulatedVolume
    /// The changes that the disk may keep or lose, in their order.
    private(set) var pending: [SimulatedChange] = []
    /// The properties of the machine, which may change while it runs.
    var properties: Properties
    /// The open files, by descriptor.
    var descriptions: [Int32: Description] = [:]
    /// The processes but the first one.
    var processes: [SimulatedProcess.ID: SimulatedProcess] = [:]
    /// The process that makes the present call.
    var runningProcess: SimulatedProcess.ID = 0
    /// The number of flushes until the one that fails; `nil` if none does.
    private var flushesToFailure: Int?
    private var time: Int64
    private var lastID: SimulatedNode.ID

    /// Starts a machine with what a disk kept.
    init(_ volume: SimulatedVolume = SimulatedVolume(), properties: Properties = Properties()) {
        visible = volume
        durable = volume
        self.properties = properties
        time = volume.nodes.values.map(\.changed).max() ?? 0
        lastID = volume.nodes.keys.max() ?? SimulatedVolume.root
    }

    /// Makes a file, a folder or a link, which has no name yet.
    ///
    /// It is on the disk at once, and out of reach there until its name is.
    mutating func makeNode(_ contents: SimulatedNode.Contents, permissions: UInt32) -> SimulatedNode.ID {
        lastID += 1
        var node = SimulatedNode(contents, permissions: permissions, time: now())
        if properties.reusesInodes { node.inode = visible.lowestFreeInode }
        visible[lastID] = node
        durable[lastID] = node
        return lastID
    }

    /// Changes a file or a folder for processes now, and for the disk later.
    mutating func change(_ node: SimulatedNode.ID, _ effect: SimulatedChange.Effect) {
        let change = SimulatedChange(node: node, effect: effect, time: now())
        visible.apply(change)
        // Their links or names are their attributes.
        for case let named? in change.names?.values ?? [:].values { visible[named]?.changed = change.time }
        if let new = partThatIsNew(of: change) { pending.append(new) }
    }

    /// The part of a change that the disk does not have yet: bytes that are written again are in no danger.
    private func partThatIsNew(of change: SimulatedChange) -> SimulatedChange? {
        guard case .write(let bytes, let offset) = change.effect, let old = durable[change.node]?.bytes else {
            return change
        }
        let earlier = pending.filter { $0.node == change.node && $0.reaches(offset..<offset + bytes.count) }
        let differing = bytes.indices.filter { index in
            let place = offset + index
            return place >= old.count || bytes[index] != old[place]
                || earlier.contains { $0.reaches(place..<place + 1) }
        }
        guard let first = differing.first, let last = differing.last else { return nil }
        return SimulatedChange(
            node: change.node,
            effect: .write(Array(bytes[first...last]), offset: offset + first),
            time: change.time
        )
    }

    /// Puts all changes of a file or a folder on the disk, or those of its contents.
    ///
    /// The flush that is to fail loses the bytes that it was to write: no later one writes them, as on Linux, where a page
    /// that could not be written counts as clean. The size of a file is in the file system's own journal, which is not lost.
    mutating func flush(_ node: SimulatedNode.ID, contentsOnly: Bool) throws(ErrorNumber) {
        func isFlushed(_ change: SimulatedChange) -> Bool {
            change.node == node && (change.isOfContents || !contentsOnly)
        }
        flushesToFailure? -= 1
        if flushesToFailure == 0 {
            pending.removeAll { isFlushed($0) && $0.isWrite }
            throw ErrorNumber(EIO)
        }
        for change in pending where isFlushed(change) { durable.apply(change) }
        pending.removeAll(where: isFlushed)
        forgetLostNodes()
    }

    /// Lets one of the flushes from now on fail, counted from 1; `nil` for none.
    mutating func failFlush(number: Int?) {
        flushesToFailure = number
    }

    /// Whether that flush has failed.
    var flushHasFailed: Bool { flushesToFailure.map { $0 <= 0 } ?? false }

    /// Puts everything on the disk: `sync(2)`.
    mutating func flushAll() {
        for change in pending { durable.apply(change) }
        pending = []
        forgetLostNodes()
    }

    /// Forgets a file that has no name any more and that nobody has open.
    mutating func releaseUnused(_ node: SimulatedNode.ID) {
        guard visible.links(of: node) == 0, !descriptions.values.contains(where: { $0.node == node }) else { return }
        visible[node] = nil
        forgetLostNodes()
    }

    /// Forgets what neither processes nor the disk can ever reach again.
    private mutating func forgetLostNodes() {
        let named = Set(pending.flatMap { $0.names?.values.compactMap(\.self) ?? [] })
        let seen = visible
        durable.removeUnreachable { seen[$0] != nil || named.contains($0) }
        let kept = durable
        pending.removeAll { kept[$0.node] == nil }
    }

    /// The time by the machine's own clock in nanoseconds; `nil` if it has none.
    var clock: Int64? { properties.callDuration > 0 ? time : nil }

    /// Lets time pass by the machine's own clock, in nanoseconds.
    mutating func passTime(_ duration: Int64) {
        time += duration
    }

    private mutating func now() -> Int64 {
        time += 1
        return time / properties.clockTick * properties.clockTick
    }
}

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

extension SimulatedMachine {
    /// The disk when the power fails now: everything durable, and the chosen part of the rest.
    ///
    /// Names of one folder survive in their order, up to a chosen one, or each by itself if the disk reorders them; those
    /// of two folders, and the contents of files, are independent of each other.
    func volumeAfterPowerLoss(_ choices: inout some CrashChoices) -> SimulatedVolume {
        var volume = durable
        for change in remainingNames(&choices) { volume.apply(change) }
        volume.removeUnreachable()
        // Nobody will see what happens to files without a name, so there is nothing to choose.
        for change in pending where change.names == nil && volume[change.node] != nil {
            for remains in change.remains(&choices) { volume.apply(remains) }
        }
        return volume
    }

    private func remainingNames(_ choices: inout some CrashChoices) -> [SimulatedChange] {
        let changes = pending.filter { $0.names != nil }
        if properties.reordersNames { return changes.flatMap { $0.remains(&choices) } }
        let ofFolders = Dictionary(grouping: changes, by: \.node).sorted { $0.key < $1.key }
        return ofFolders.flatMap { $0.value.dropLast(choices.outcome(of: $0.value.count + 1)) }
    }
}
