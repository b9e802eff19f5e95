@_spi(StoreAuthors) import KeyspanCore
import Synchronization

/// An upper estimate of the size of the file with all writes since its last measurement.
///
/// Measuring takes as long as saving. So the estimate adds up the sizes of writes, and measures the table only when the sum exceeds
/// the limit.
struct FileSizeEstimate: ~Copyable, Sendable {
    private let estimate: Atomic<Int>
    /// Held while the file is measured.
    private let measuring = Locked(())
    private let limit: Int

    /// The bytes of a member besides its name and value, such as indentation and quotes.
    private static let memberSize = 16
    /// The bytes of a new group besides its name and indentation, and those of the indentation of its lines for each level.
    private static let (groupSize, indentation) = (12, 8)

    /// Starts from the size of the file.
    init(_ size: Int, limit: Int) {
        estimate = Atomic(size)
        self.limit = limit
    }

    /// Whether the file may be too large with a batch, so that the batch must be checked.
    func mayBeExceeded(by batch: borrowing PropertyListBatch) -> Bool {
        var added = 0
        batch.writes.forEach { added += Self.size(of: $0) }
        return estimate.wrappingAdd(added, ordering: .relaxed).newValue > limit
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
        let size = try measuring.withLock { (_) throws(StoreError) in
            let before = estimate.load(ordering: .relaxed)
            let size = try measure()
            // What other threads add meanwhile counts further.
            estimate.wrappingAdd((size ?? limit) - before, ordering: .relaxed)
            return size
        }
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
        var largest: (key: String?, size: Int) = (nil, 0)
        batch.writes.forEach { write in
            let size = size(of: write)
            if size > largest.size { largest = (write.key, size) }
        }
        return largest.key
    }

    /// The most that a write adds, with the groups that its name may need.
    private static func size(of write: PropertyListBatch.Write) -> Int {
        guard let value = write.value else { return 0 }
        let size = write.key.utf8.count + value.contentSize + memberSize
        let dots = write.key.utf8.count { $0 == UInt8(ascii: ".") }
        return size + dots * (groupSize + indentation * (dots + 1))
    }
}
