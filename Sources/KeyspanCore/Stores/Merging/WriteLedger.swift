/// The writes that a table in memory and its backing (a file or a server) have not exchanged yet.
///
/// Memory is always the same function of the ledger: the last version of the backing that was accepted, and over it the writes of
/// this process that the backing lacks, in their order. So memory and backing agree once everything is exchanged, whatever names lead
/// into one another and whoever wrote first.
package struct WriteLedger: Sendable {
    /// The number of the latest write of this process.
    package private(set) var generation: UInt64 = 0
    /// The number of arrivals of others' writes.
    package private(set) var versions: UInt64 = 0
    /// That number together with those of the own writes over them, by which a decision about them is recognized as outdated.
    package private(set) var arrivals: UInt64 = 0

    /// The backing as it was read or written last.
    private var present: PropertyListTable
    /// The version of it that is in effect, with what this process has written since.
    private var accepted: PropertyListTable { didSet { shownBelow = nil } }
    /// The entries in which the two differ.
    private var awaited: Set<UTF8Text> = [] { didSet { if awaited.isEmpty { own = PendingWrites() } } }
    /// What this process has written to the backing while they differ.
    private var own = PendingWrites()
    /// The entries that memory may have as they were before.
    private var stale: Set<UTF8Text> = []
    /// Whether memory rests on another document than the accepted version.
    private var isMoved = false

    private var outgoing = PendingWrites()
    /// The outgoing writes that were taken to be saved and have not reached the backing yet.
    private var saving = PendingWrites() { didSet { shownBelow = nil } }
    /// Batches that are on their way to the backing, of which memory may lack some.
    private var decided = PendingWrites()
    /// Those of them that memory has.
    private var shown: [PropertyListBatch] = [] { didSet { shownBelow = nil } }
    /// The accepted version with both, while they stay the same.
    private var shownBelow: PropertyListTable?

    /// Makes the ledger of a backing with a table, which memory has.
    package init(of table: PropertyListTable = PropertyListTable()) {
        (present, accepted) = (table, table)
    }

    /// Whether writes of others wait to take effect in memory.
    package var hasArrivals: Bool { !awaited.isEmpty }

    /// Whether there are writes of this process that the backing lacks.
    package var hasOutgoing: Bool { !outgoing.isEmpty }

    /// Whether memory may lack what was accepted or written.
    package var mustShow: Bool { !stale.isEmpty || isMoved }

    /// The keys whose writes the backing lacks, those on their way to it among them.
    package var unsavedKeys: [String] {
        if saving.isEmpty { return outgoing.keys }
        var all = saving
        all.append(outgoing)
        return all.keys
    }
}

// MARK: - Writes of this process

extension WriteLedger {
    /// Notes a batch of this process.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - table: Memory, which has it.
    ///   - isPlain: Whether each of its names is that of an entry, which no dictionary is in.
    /// - Returns: Whether it is the first one since the outgoing writes were taken, so that its thread must arrange a save. That
    ///   save includes the later ones.
    package mutating func record(_ batch: PropertyListBatch, in table: PropertyListTable, isPlain: Bool) -> Bool {
        generation += 1
        defer { outgoing.append(batch, in: table, isPlain: isPlain) }
        return outgoing.isEmpty
    }

    /// Takes the outgoing writes to save them together with a later batch.
    package mutating func takeOutgoing(before batch: PropertyListBatch) -> PendingWrites {
        decided.append(batch)
        return takeOutgoing()
    }

    /// Takes the outgoing writes to save them.
    package mutating func takeOutgoing() -> PendingWrites {
        defer { outgoing = PendingWrites() }
        saving.append(outgoing)
        return outgoing
    }

    /// Notes that memory has all batches that were on their way to the backing and got there.
    package mutating func endDecision() {
        decided = PendingWrites()
    }

    /// Whether a batch depends on a value that a batch on its way to the backing replaces.
    package func mustWait(_ batch: PropertyListBatch) -> Bool {
        !decided.isEmpty && batch.restsOnValue(where: decided.reaches)
    }

    /// Puts back outgoing writes that could not be saved.
    ///
    /// - Parameters:
    ///   - writes: The writes.
    ///   - table: Memory, which has them.
    package mutating func putBack(_ writes: PendingWrites, in table: PropertyListTable) {
        (decided, saving, shown) = (PendingWrites(), PendingWrites(), [])
        var all = writes
        all.append(outgoing, in: table)
        outgoing = all
    }

    /// Notes that writes of this process have reached the backing.
    ///
    /// - Parameters:
    ///   - writes: The writes that were taken.
    ///   - batches: The batches that were decided, after the writes.
    ///   - table: The backing with them.
    ///   - moved: Further entries of the backing that are others now.
    ///   - isFlushed: Whether they are durable; if not, the next save makes them so.
    package mutating func noteSaved(
        _ writes: PendingWrites,
        _ batches: [PropertyListBatch] = [],
        in table: PropertyListTable,
        moving moved: Set<UTF8Text> = [],
        isFlushed: Bool = true
    ) {
        if !isFlushed { generation += 1 }
        var written = moved
        if writes.mayOverlap || writes.removesAll { written.formUnion(writes.entries(of: accepted)) }
        for batch in batches { written.formUnion(batch.entries(of: accepted)) }
        stale.formUnion(written)
        (saving, shown) = (PendingWrites(), [])
        present = table
        if awaited.isEmpty {
            accepted = table
        } else {
            accepted.apply(writes)
            own.append(writes)
            for batch in batches {
                accepted.applyWrites(of: batch)
                own.append(batch)
            }
            let before = awaited
            // A new name may have another place there.
            awaited = differences(of: awaited.union(written))
            // The rest may be accepted although the whole was rejected, and so may a dictionary with a member of this process.
            if awaited != before || !awaited.isDisjoint(with: written) { arrivals += 1 }
        }
        isMoved = true
    }
}

// MARK: - Writes of others

extension WriteLedger {
    /// Notes what the backing has now.
    ///
    /// - Parameters:
    ///   - table: The table of the backing.
    ///   - keys: The entries that may have changed; `nil` if that is unknown.
    /// - Returns: Whether others have written anything.
    @discardableResult
    package mutating func receive(_ table: PropertyListTable, changing keys: Set<UTF8Text>?) -> Bool {
        let changed =
            keys?.filter { present.entry($0.wrappedValue) != table.entry($0.wrappedValue) }
            ?? present.keysOfDifference(to: table)
        present = table
        isMoved = true
        awaited = differences(of: awaited.union(changed))
        if awaited.isEmpty { accepted = table }
        if changed.isEmpty { return false }
        (versions, arrivals) = (versions + 1, arrivals + 1)
        return true
    }

    /// Notes that the backing has the same values over another document.
    package mutating func rest(on table: PropertyListTable) {
        guard table.document !== present.document || table.document !== accepted.document else { return }
        present = table
        accepted = awaited.isEmpty ? table : accepted.moved(to: table, from: nil)
        isMoved = true
    }

    /// Lets names lead into dictionaries in another way.
    package mutating func setNaming(_ naming: NestedNaming?) {
        (present.naming, accepted.naming) = (naming, naming)
    }

    /// The entries in which the version of others differs from the accepted one.
    package var awaitedEntries: Set<UTF8Text> { awaited }

    /// The first of some names whose value others have written, and this process has not since.
    package func firstAwaited(of names: some Sequence<String>) -> String? {
        if awaited.isEmpty { return nil }
        let (before, after) = (visible, visible(acceptingAllBut: []))
        return names.first { before[$0] != after[$0] }
    }

    /// The table that memory would have with the version of others.
    ///
    /// - Parameter held: The names whose values stay as they are.
    package func visible(acceptingAllBut held: Set<UTF8Text>) -> PropertyListTable {
        var copy = self
        copy.accept(holdingBack: held)
        return copy.visible
    }

    /// Lets the version of others take effect.
    ///
    /// - Parameter held: The names whose values stay as they were, until others or this process write them again.
    package mutating func accept(holdingBack held: Set<UTF8Text> = []) {
        var changed = awaited
        let before = accepted
        accepted = present
        for name in held.sorted().map(\.wrappedValue) {
            if let value = before[name] {
                // Names in a dictionary may have other places as well, where nothing is held back.
                accepted.setAlone(value, named: name)
            } else {
                accepted[name] = nil
            }
            changed.formUnion(name.entries(changedByWriting: nil))
        }
        // A value that is held back holds back no write of this process into it.
        for (name, value) in own.ordered where name.beginningsBeforeDots.contains(where: held.contains) {
            accepted[name] = value
            changed.formUnion(name.entries(changedByWriting: value))
        }
        stale.formUnion(changed)
        awaited = differences(of: changed)
        isMoved = true
    }

    private func differences(of entries: Set<UTF8Text>) -> Set<UTF8Text> {
        entries.filter { accepted.entry($0.wrappedValue) != present.entry($0.wrappedValue) }
    }

    /// Shows a batch of this process that has reached the backing and that memory lacks.
    ///
    /// - Returns: The changes of entries.
    package mutating func show(
        _ batch: PropertyListBatch,
        in table: inout PropertyListTable
    ) -> [PropertyListChange.Entry] {
        var below = visibleBelow
        below.applyWrites(of: batch)
        shown.append(batch)
        shownBelow = below
        noteChanges(by: [batch], of: table)
        let new = visible
        defer { table = new }
        return table.changes(of: stale, to: new)
    }

    /// Notes the entries in which memory may be outdated: the names of pending writes may lead elsewhere now.
    private mutating func noteChanges(by batches: [PropertyListBatch], of table: PropertyListTable) {
        for writes in [saving, outgoing] where writes.mayOverlap || writes.removesAll {
            stale.formUnion(writes.entries(of: table))
        }
        for batch in batches { stale.formUnion(batch.entries(of: table)) }
    }

    /// The table that memory should have.
    package var visible: PropertyListTable {
        var table = visibleBelow
        if !outgoing.isEmpty { table.apply(outgoing) }
        return table
    }

    private var visibleBelow: PropertyListTable {
        if let shownBelow { return shownBelow }
        var table = accepted
        if !saving.isEmpty { table.apply(saving) }
        for batch in shown { table.applyWrites(of: batch) }
        return table
    }

    /// Brings memory up to date.
    ///
    /// - Returns: The changes of entries.
    package mutating func show(in table: inout PropertyListTable) -> [PropertyListChange.Entry] {
        let new = visible
        noteChanges(by: shown, of: table)
        let entries = table.changes(of: stale, to: new)
        (stale, isMoved) = ([], false)
        table = new
        return entries
    }
}
