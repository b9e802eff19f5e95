@_spi(StoreAuthors) import KeyspanCore
import Synchronization

/// An upper estimate of the size of the file with all writes since its last measurement.
///
/// Measuring takes as long as saving. So the estimate adds up the sizes of writes, and measures the table only when the sum exceeds
/// the limit.
struct FileSizeEstimate: ~Copyable, Sendable {
    private let estimate: Atomic<Int>
    private let limit: Int

    /// The bytes of a member besides its name and value, such as indentation and quotes.
    private static let memberSize = 16

    /// Starts from the size of the file.
    init(_ size: Int, limit: Int) {
        estimate = Atomic(size)
        self.limit = limit
    }

    /// Rejects a batch that would make the file too large.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - store: The store's name, for errors.
    ///   - measure: Returns the size of the file with the batch, or `nil` if it exceeds the limit.
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
