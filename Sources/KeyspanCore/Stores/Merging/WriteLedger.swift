/// The writes that a table in memory and its backing (a file or a server) have not exchanged yet: outgoing writes of this
/// process that the backing lacks, and incoming writes of others that memory lacks.
package struct WriteLedger: Sendable {
    /// The number of the latest write of this process.
    package private(set) var generation: UInt64 = 0
    /// The number of arrivals of incoming writes, by which a decision about them is recognized as outdated.
    package private(set) var arrivals: UInt64 = 0
    private var outgoing = PendingWrites()
    /// The outgoing writes that were taken to be saved and have not reached the backing yet.
    private var saving = PendingWrites()
    private var incoming = TableDelta()
    /// Batches that are on their way to the backing, of which memory may lack some.
    private var decided = PendingWrites()

    /// Makes an empty ledger.
    package init() {}

    /// Whether incoming writes wait to take effect in memory.
    package var hasArrivals: Bool { !incoming.isEmpty }

    /// Whether there are writes of this process that the backing lacks.
    package var hasOutgoing: Bool { !outgoing.isEmpty }

    /// The keys whose writes the backing lacks, those on their way to it among them.
    package var unsavedKeys: [String] {
        if saving.isEmpty { return outgoing.keys }
        var all = saving
        all.append(outgoing)
        return all.keys
    }

    /// Notes a batch of this process.
    ///
    /// - Returns: Whether it is the first one since the outgoing writes were taken, so that its thread must arrange a save. That
    ///   save includes the later ones.
    package mutating func record(_ batch: PropertyListBatch) -> Bool {
        generation += 1
        defer { outgoing.append(batch) }
        return outgoing.isEmpty
    }

    /// Takes the outgoing writes to save them together with a later batch.
    package mutating func takeOutgoing(before batch: PropertyListBatch) -> PendingWrites {
        decided.append(batch)
        return takeOutgoing()
    }

    /// Notes that memory has all batches that were on their way to the backing and got there.
    package mutating func endDecision() {
        decided = PendingWrites()
        saving = PendingWrites()
    }

    /// Notes that the writes that were taken have reached the backing.
    package mutating func endSaving() {
        saving = PendingWrites()
    }

    /// Whether a batch depends on a value that a batch on its way to the backing replaces.
    package func mustWait(_ batch: PropertyListBatch) -> Bool {
        !decided.isEmpty && batch.restsOnValue(where: decided.decides)
    }

    /// Takes the outgoing writes to save them.
    ///
    /// They supersede incoming writes to the same keys.
    package mutating func takeOutgoing() -> PendingWrites {
        defer { outgoing = PendingWrites() }
        dropVoidArrivals()
        saving.append(outgoing)
        return outgoing
    }

    /// Puts back outgoing writes that could not be saved.
    package mutating func putBack(_ writes: PendingWrites) {
        decided = PendingWrites()
        saving = PendingWrites()
        var all = writes
        all.append(outgoing)
        outgoing = all
    }

    /// Replaces the outgoing writes by others with the same meaning.
    package mutating func mapOutgoing(_ transform: (TableDelta) -> TableDelta) {
        outgoing.map(transform)
    }

    /// Notes incoming writes.
    package mutating func receive(_ delta: TableDelta) {
        guard !delta.isEmpty else { return }
        arrivals += 1
        incoming.append(delta)
        dropVoidArrivals()
    }

    /// Applies the incoming writes to the table, unless this process has written the same keys since.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - held: The keys whose writes stay here, until others or this process write the keys again.
    /// - Returns: The changes.
    package mutating func admit(
        to table: inout PropertyListTable,
        holdingBack held: Set<UTF8Text> = []
    ) -> [PropertyListChange.Entry] {
        dropVoidArrivals()
        var (admitted, rest) = (incoming, TableDelta())
        for key in held {
            guard case .some(let value) = incoming.writes[key.wrappedValue] else { continue }
            admitted.forget(key.wrappedValue)
            rest.write(value, forKey: key.wrappedValue)
        }
        incoming = rest
        return table.changes(by: admitted)
    }

    /// The keys of the incoming writes.
    package var awaitedKeys: [String] { Array(incoming.writes.keys) }

    /// Applies writes of this process to the table that are in the backing already, unless it has written the same keys since.
    ///
    /// They supersede incoming writes to the same keys.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - isFlushed: Whether they are durable; if not, the next save makes them so.
    ///   - table: The table.
    /// - Returns: The changes.
    package mutating func admit(
        _ writes: PendingWrites,
        isFlushed: Bool,
        to table: inout PropertyListTable
    ) -> [PropertyListChange.Entry] {
        if !isFlushed { generation += 1 }
        supersede(by: writes)
        var delta = writes.delta(over: table)
        for key in delta.writes.keys.filter({ outgoing.decides($0) }) { delta.forget(key) }
        return table.changes(by: delta)
    }

    /// The first of some keys that has an incoming write.
    package func awaited(of keys: some Sequence<String>) -> String? {
        incoming.isEmpty ? nil : keys.first(where: incoming.writes)
    }

    /// Drops incoming writes to keys that this process has written since.
    private mutating func supersede(by writes: PendingWrites) {
        let void = incoming.writes.keys.filter { writes.decides($0) }
        if void.isEmpty { return }
        for key in void { incoming.forget(key) }
        // The rest may be accepted although the whole was rejected.
        arrivals += 1
    }

    private mutating func dropVoidArrivals() {
        if !outgoing.isEmpty { supersede(by: outgoing) }
    }
}

extension PropertyListTable {
    /// Applies the writes of a delta, and returns the changes.
    package mutating func changes(by delta: TableDelta) -> [PropertyListChange.Entry] {
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
