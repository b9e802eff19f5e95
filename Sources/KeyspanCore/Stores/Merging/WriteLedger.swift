/// What is still to be exchanged between a table in memory and its file: writes of this process that are not in the file,
/// and writes of others that are not in memory.
package struct WriteLedger: Sendable {
    /// The number of the latest write of this process.
    package private(set) var generation: UInt64 = 0
    /// Counts what came from others, so that a decision about it can be told to be out of date.
    package private(set) var arrivals: UInt64 = 0
    private var outgoing = PendingWrites()
    private var incoming = TableDelta()
    /// A batch that is on its way to the file, of which memory does not know yet.
    private var decided = PendingWrites()

    /// Makes an empty ledger.
    package init() {}

    /// Whether writes of others wait to be let into memory.
    package var hasArrivals: Bool { !incoming.isEmpty }

    /// Notes a batch of this process.
    ///
    /// - Returns: Whether it is the first one since the writes were taken, so that a save has to be arranged. For the ones
    ///   after it that has been done, or will be as soon as the first one's thread goes on.
    package mutating func record(_ batch: PropertyListBatch) -> Bool {
        generation += 1
        defer { outgoing.append(batch) }
        return outgoing.isEmpty
    }

    /// Takes the writes of this process to save them together with a batch that they come before.
    package mutating func takeOutgoing(before batch: PropertyListBatch) -> PendingWrites {
        decided.append(batch)
        return takeOutgoing()
    }

    /// Whether a batch rests on a value that the one on its way to the file replaces.
    package func mustWait(_ batch: PropertyListBatch) -> Bool {
        !decided.isEmpty && batch.restsOnValue(where: decided.decides)
    }

    /// Takes the writes of this process to save them.
    ///
    /// What others wrote to the same keys before is void from here on.
    package mutating func takeOutgoing() -> PendingWrites {
        defer { outgoing = PendingWrites() }
        dropVoidArrivals()
        return outgoing
    }

    /// Puts writes back that could not be saved.
    package mutating func putBack(_ writes: PendingWrites) {
        decided = PendingWrites()
        var all = writes
        all.append(outgoing)
        outgoing = all
    }

    /// Notes what others wrote.
    package mutating func receive(_ delta: TableDelta) {
        guard !delta.isEmpty else { return }
        arrivals += 1
        incoming.append(delta)
        dropVoidArrivals()
    }

    /// Lets what others wrote into the table, unless this process has written the same keys since.
    ///
    /// - Returns: What changed.
    package mutating func admit(to table: inout PropertyListTable) -> [PropertyListChange.Entry] {
        dropVoidArrivals()
        defer { incoming = TableDelta() }
        return table.changes(by: incoming)
    }

    /// Lets writes of this process into the table that are in the file already, unless it has written the same keys since.
    ///
    /// What others wrote to those keys before is void from here on.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isFlushed: Whether they are on the disk; if not, the next save flushes them.
    ///   - table: The table.
    /// - Returns: What changed.
    package mutating func admit(
        _ writes: PendingWrites,
        isFlushed: Bool,
        to table: inout PropertyListTable
    ) -> [PropertyListChange.Entry] {
        decided = PendingWrites()
        if !isFlushed { generation += 1 }
        supersede(by: writes)
        var delta = writes.delta(over: table)
        for key in delta.writes.keys.filter({ outgoing.decides($0) }) { delta.forget(key) }
        return table.changes(by: delta)
    }

    /// The first of some keys that others wrote and that waits to be let into memory.
    package func awaited(of keys: some Sequence<String>) -> String? {
        incoming.isEmpty ? nil : keys.first(where: incoming.writes)
    }

    /// Drops what others wrote to keys before a write of this process.
    private mutating func supersede(by writes: PendingWrites) {
        let void = incoming.writes.keys.filter { writes.decides($0) }
        if void.isEmpty { return }
        for key in void { incoming.forget(key) }
        // The rest may be accepted although the whole was refused.
        arrivals += 1
    }

    private mutating func dropVoidArrivals() {
        if !outgoing.isEmpty { supersede(by: outgoing) }
    }
}

extension PropertyListTable {
    /// Applies the writes of a delta, and answers what they changed.
    fileprivate mutating func changes(by delta: TableDelta) -> [PropertyListChange.Entry] {
        var entries: [PropertyListChange.Entry] = []
        for (key, value) in delta.writes {
            let old = self[key]
            guard old != value else { continue }
            self[key] = value
            entries.append(PropertyListChange.Entry(key: key, old: old, new: value))
        }
        return entries
    }
}
