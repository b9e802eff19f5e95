@_spi(StoreAuthors) import KeyspanCore
import Synchronization

/// An upper estimate of the size of the file with all that was written since its last measurement.
///
/// Measuring takes as long as saving. So the estimate adds up the sizes of writes, and the table is measured only when the sum exceeds the
/// limit. It changes together with the table, under the lock of that, so what others add while the table is measured counts further.
struct FileSizeEstimate: ~Copyable, Sendable {
    private let estimate: Atomic<Int>
    private let limit: Int
    /// Held while the table is measured, so that no two threads correct the same estimate.
    let measuring = Locked(())

    /// The bytes of a member besides its name and value, such as indentation and quotes.
    private static let memberSize = 16
    /// The bytes of a new group besides its name and indentation, and those of the indentation of its lines for each level.
    private static let (groupSize, indentation) = (12, 8)

    /// Starts from the size of the file.
    init(_ size: Int, limit: Int) {
        estimate = Atomic(size)
        self.limit = limit
    }

    /// The number of bytes.
    var count: Int { estimate.load(ordering: .relaxed) }

    /// Whether the file may be too large with more bytes; what makes it no larger is never too much.
    func isExceeded(by growth: Int) -> Bool { growth > 0 && count + growth > limit }

    /// Counts more bytes, or fewer if they were measured; called under the lock of the table.
    func add(_ growth: Int) {
        estimate.wrappingAdd(growth, ordering: .relaxed)
    }

    /// The error of a batch that would make the file too large.
    func error(of batch: PropertyListBatch, store: String) -> StoreError {
        StoreError(
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
            let size = growth(by: write.value, forKey: write.key)
            if size > largest.size { largest = (write.key, size) }
        }
        return largest.key
    }

    /// The most that a batch adds.
    static func growth(by batch: borrowing PropertyListBatch) -> Int {
        var growth = 0
        batch.writes.forEach { growth += Self.growth(by: $0.value, forKey: $0.key) }
        return growth
    }

    /// The most that a value adds, with the groups that its name may need.
    static func growth(by value: PropertyListValue?, forKey key: String) -> Int {
        guard let value else { return 0 }
        let size = key.utf8.count + value.contentSize + memberSize
        let dots = key.utf8.count { $0 == UInt8(ascii: ".") }
        return size + dots * (groupSize + indentation * (dots + 1))
    }
}
