/// The writes of this process that are not in the store's backing yet, in the shortest form with the same effect.
///
/// However often a key is written, it has one entry, so that memory does not grow while a disk is full or a server is away.
package struct PendingWrites: Sendable {
    /// Whether all present keys are removed before ``delta`` is applied.
    private var removesAll = false
    private var delta = TableDelta()

    /// Makes no writes.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { !removesAll && delta.isEmpty }

    /// Adds the writes of a batch.
    package mutating func append(_ batch: PropertyListBatch) {
        // Nearly every batch is one write of a value, which needs no array.
        if case .one(.set(let value, let key)) = batch.storage { return delta.write(value, forKey: key) }
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): delta.write(value, forKey: key)
            case .remove(let key): delta.write(nil, forKey: key)
            case .removeAll: (removesAll, delta) = (true, TableDelta())
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

    /// Whether these writes determine the value of a key, whatever others wrote before.
    package func decides(_ key: String) -> Bool {
        removesAll || delta.writes(key)
    }

    /// The effect of these writes on a table.
    package func delta(over table: PropertyListTable) -> TableDelta {
        guard removesAll else { return delta }
        var whole = TableDelta(from: table, to: PropertyListTable())
        whole.append(delta)
        return whole
    }
}
