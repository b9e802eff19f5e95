#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

/// The writes of a store that its mirror does not have yet, in their order.
struct WriteQueue: Sendable {
    /// The writes of the next transaction but those before it.
    struct Entry: Sendable {
        /// Differs from that of any other entry.
        let id: UInt64
        /// Grows along the queue; the parts of an entry that was divided have the same one.
        let number: UInt64
        var writes: ClusterWrites
        /// The waiting writer; `nil` for writes that readers see already.
        let commit: ClusterCommit?
    }

    /// A transaction that the cluster has committed, and that the mirror will have once the watch has come so far.
    struct Acknowledged: Sendable {
        let revision: Int64
        let writes: ClusterWrites
    }

    private(set) var entries: [Entry] = []
    private(set) var acknowledged: [Acknowledged] = []
    /// The number of the last entry.
    private(set) var last: UInt64 = 0
    private var lastID: UInt64 = 0
    /// Whether the first entry was handed out to be sent, so that nothing is added to it.
    private var isHeadTaken = false

    /// The number of the last entry of which the outcome is known.
    var finished: UInt64 { entries.first.map { $0.number - 1 } ?? last }

    /// The number of keys that wait to be committed and that readers see already.
    var pendingKeys: Int { entries.reduce(0) { $0 + ($1.commit == nil ? $1.writes.count : 0) } }

    /// The number of such keys with more writes.
    func pendingKeys(with writes: ClusterWrites, operations: Int, bytes: Int) -> Int {
        guard let open = openEntry(for: writes, operations: operations, bytes: bytes) else {
            return pendingKeys + writes.count
        }
        return pendingKeys - entries[open].writes.count + entries[open].writes.count(with: writes)
    }

    /// The last entry, if a transaction has room for it and for more writes.
    private func openEntry(for writes: ClusterWrites, operations: Int, bytes: Int) -> Int? {
        guard let open = entries.indices.last, entries[open].commit == nil, open > 0 || !isHeadTaken else { return nil }
        // A removal of all keys has a transaction of its own: how many operations it takes depends on what else the cluster has then.
        if entries[open].writes.pending.removesAll, !writes.pending.removesAll { return nil }
        let isSmall = entries[open].writes.operationCount(with: writes) <= operations
        return isSmall && entries[open].writes.size + writes.size <= bytes ? open : nil
    }

    /// The names of these keys.
    var pendingNames: [String] { entries.flatMap { $0.commit == nil ? $0.writes.names : [] } }

    /// Whether writes of this store that readers see determine the value of a key.
    func decides(_ name: String) -> Bool {
        if entries.isEmpty, acknowledged.isEmpty { return false }
        return acknowledged.contains { $0.writes.decides(name) } || isPending(name)
    }

    /// Whether writes that the cluster has not committed, and that readers see, determine the value of a key.
    func isPending(_ name: String) -> Bool {
        entries.contains { $0.commit == nil && $0.writes.decides(name) }
    }

    /// The values that readers see over those of the cluster.
    func visible(over table: PropertyListTable) -> PropertyListTable {
        var table = table
        for item in acknowledged { table.apply(item.writes.pending.delta(over: table)) }
        for entry in entries where entry.commit == nil { table.apply(entry.writes.pending.delta(over: table)) }
        return table
    }

    /// Adds writes that readers see already, to the last entry if a transaction has room for both.
    mutating func append(_ writes: ClusterWrites, operations: Int, bytes: Int) {
        if let open = openEntry(for: writes, operations: operations, bytes: bytes) {
            entries[open].writes.append(writes)
        } else {
            last += 1
            entries.append(makeEntry(last, writes))
        }
    }

    /// Adds writes for which their writer waits.
    ///
    /// - Returns: The id of the entry.
    mutating func append(_ writes: ClusterWrites, for commit: ClusterCommit) -> UInt64 {
        last += 1
        let entry = makeEntry(last, writes, commit)
        entries.append(entry)
        return entry.id
    }

    private mutating func makeEntry(_ number: UInt64, _ writes: ClusterWrites, _ commit: ClusterCommit? = nil) -> Entry
    {
        lastID += 1
        return Entry(id: lastID, number: number, writes: writes, commit: commit)
    }

    /// The first entry, to which nothing is added from here on.
    mutating func takeHead() -> Entry? {
        isHeadTaken = !entries.isEmpty
        return entries.first
    }

    /// Divides the first entry, which was handed out, into two transactions.
    ///
    /// - Returns: `false` if it is not the first one, or all of its writes are committed together.
    mutating func divide(_ id: UInt64) -> Bool {
        guard let head = entries.first, head.id == id, head.commit == nil,
            let (first, second) = head.writes.halves()
        else { return false }
        let parts = [makeEntry(head.number, first), makeEntry(head.number, second)]
        entries.replaceSubrange(0..<1, with: parts)
        isHeadTaken = false
        return true
    }

    /// Removes an entry.
    ///
    /// - Returns: The entry, if it was there.
    @discardableResult
    mutating func remove(_ id: UInt64) -> Entry? {
        guard let position = entries.firstIndex(where: { $0.id == id }) else { return nil }
        if position == 0 { isHeadTaken = false }
        return entries.remove(at: position)
    }

    /// Removes an entry that the cluster has committed, and lets readers see it.
    mutating func acknowledge(_ id: UInt64, at revision: Int64) {
        guard let entry = remove(id) else { return }
        acknowledged.append(Acknowledged(revision: revision, writes: entry.writes))
    }

    /// Forgets acknowledged writes that the mirror has.
    ///
    /// - Returns: These writes, which no longer lie over the mirror.
    @discardableResult
    mutating func forgetAcknowledged(upTo revision: Int64) -> [ClusterWrites] {
        let forgotten = acknowledged.filter { $0.revision <= revision }
        if !forgotten.isEmpty { acknowledged.removeAll { $0.revision <= revision } }
        return forgotten.map(\.writes)
    }
}
#endif
