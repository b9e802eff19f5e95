import KeyspanCore
import Synchronization

/// About how large the file would be with all that was applied since it was measured.
///
/// Measuring takes as long as saving. So what is applied is added up, and the table is measured only when the sum goes
/// beyond the limit.
struct FileSizeEstimate: ~Copyable, Sendable {
    private let estimate: Atomic<Int>
    private let limit: Int

    /// What a member of the file has beyond its name and its value: indentation, quotes and the like.
    private static let memberSize = 16

    /// Begins with the size of the file.
    init(_ size: Int, limit: Int) {
        estimate = Atomic(size)
        self.limit = limit
    }

    /// Refuses a batch that would make the file too large.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - store: The store's name, for errors.
    ///   - measure: Answers how large the file would be with the batch.
    func check(
        _ batch: PropertyListBatch,
        store: String,
        measure: () throws(StoreError) -> Int
    ) throws(StoreError) {
        var added = 0
        var largest: (key: String, size: Int)?
        for case .set(let value, let key) in batch.operations {
            let size = key.utf8.count + value.contentSize + Self.memberSize
            added += size
            if size > largest?.size ?? 0 { largest = (key, size) }
        }
        guard estimate.wrappingAdd(added, ordering: .relaxed).newValue > limit else { return }
        let size = try measure()
        estimate.store(size > limit ? limit : size, ordering: .relaxed)
        guard size > limit else { return }
        throw StoreError(
            .tooLarge,
            store: store,
            key: largest?.key,
            reason: "the file would have \(size) bytes, and the limit is \(limit)",
            remedy: "store less in it or raise the limit"
        )
    }
}
