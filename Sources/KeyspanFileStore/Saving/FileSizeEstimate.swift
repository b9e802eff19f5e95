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
    ///   - measure: Answers how large the file would be with the batch; `nil` if it would be larger than the limit.
    func check(
        _ batch: PropertyListBatch,
        store: String,
        measure: () throws(StoreError) -> Int?
    ) throws(StoreError) {
        let added =
            switch batch.storage {
            // Nearly every batch is one write, which needs no array.
            case .one(let operation): Self.size(of: operation)
            case .many(let operations): operations.reduce(0) { $0 + Self.size(of: $1) }
            }
        guard estimate.wrappingAdd(added, ordering: .relaxed).newValue > limit else { return }
        let size = try measure()
        estimate.store(size ?? limit, ordering: .relaxed)
        guard size == nil else { return }
        throw StoreError(
            .tooLarge,
            store: store,
            key: Self.largestKey(of: batch),
            reason: "the file would have more than \(limit) bytes, which is the limit",
            remedy: "store less in it or raise the limit"
        )
    }

    private static func largestKey(of batch: PropertyListBatch) -> String? {
        switch batch.operations.max(by: { size(of: $0) < size(of: $1) }) {
        case .set(_, let key): key
        case .remove, .removeAll, nil: nil
        }
    }

    private static func size(of operation: PropertyListBatch.Operation) -> Int {
        guard case .set(let value, let key) = operation else { return 0 }
        return key.utf8.count + value.contentSize + memberSize
    }
}
