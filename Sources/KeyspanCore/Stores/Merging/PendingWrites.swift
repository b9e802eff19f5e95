/// The writes of this process that are not in the store's backing yet, in the shortest form with the same effect.
///
/// However often a key is written, it has one entry, so that memory does not grow while a disk is full or a server is away.
package struct PendingWrites: Sendable {
    /// Whether all present keys are removed before ``delta`` is applied.
    package private(set) var removesAll = false
    /// The last write of each key behind that.
    package private(set) var delta = TableDelta()

    /// Makes no writes.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { !removesAll && delta.isEmpty }

    /// Adds the writes of a batch.
    package mutating func append(_ batch: PropertyListBatch) {
        batch.writes.forEach { write in
            if write.removesAll {
                (removesAll, delta) = (true, TableDelta())
            } else {
                delta.write(write.value, forKey: write.key)
            }
        }
    }

    /// Adds later writes.
    package mutating func append(_ later: PendingWrites) {
        if later.removesAll {
            self = later
        } else {
            delta.append(later.delta)
        }
    }

    /// Replaces the writes behind a removal of all keys by others with the same meaning.
    mutating func map(_ transform: (TableDelta) -> TableDelta) {
        if !delta.isEmpty { delta = transform(delta) }
    }

    /// Whether these writes determine the value of a key, whatever others wrote before.
    package func decides(_ key: String) -> Bool {
        removesAll || delta.writes(key)
    }

    /// The keys that are written, without those that a removal of all keys removes.
    var keys: [String] { Array(delta.writes.keys) }

    /// The effect of these writes on a table.
    package func delta(over table: PropertyListTable) -> TableDelta {
        guard removesAll else { return delta }
        var whole = TableDelta(from: table, to: PropertyListTable())
        whole.append(delta)
        return whole
    }
}
