import KeyspanCore

/// A store that refuses each batch that expects something, or each at all, though nobody else writes it.
///
/// It has no end of conflicts, but an end of patience: a writer that does not give up gets another error some time.
final class ContestedStore: ForwardingStore {
    let base = InMemoryStore(name: "the store")
    private let refusesAll: Bool
    private let hasRevision: Bool
    private let count = Locked(0)

    init(refusesAll: Bool = false, hasRevision: Bool = true) {
        self.refusesAll = refusesAll
        self.hasRevision = hasRevision
    }

    /// How many batches were refused.
    var conflicts: Int { count.withLock(\.self) }

    var revision: StoreRevision? { hasRevision ? base.revision : nil }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        guard refusesAll || !batch.expectations.isEmpty else { return try base.apply(batch) }
        let count = count.withLock { count in
            count += 1
            return count
        }
        throw StoreError(
            count > 1_000 ? StoreError.Code("impatience") : .conflict,
            store: name,
            key: "count",
            reason: "the script says so",
            remedy: "write another script"
        )
    }
}
