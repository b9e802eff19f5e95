@_spi(StoreAuthors) public import KeyspanCore

/// How much a file store holds, so that a mistake or an attack fills neither the memory nor the disk.
///
/// A batch beyond a limit throws `StoreError.Code.tooLarge` or `nestingTooDeep` and changes nothing. A file beyond
/// ``fileSize`` is not opened. Entries with kept values and the record of migrations are limited only by ``fileSize``.
public struct FileStoreLimits: Sendable, Hashable {
    /// The size of one value in bytes as UTF-8 and data count, including names within it; 16 MiB by default.
    public var valueSize: Int
    /// The size of the file in bytes; 256 MiB by default.
    ///
    /// It limits the sum of several processes' writes. A store rejects a batch when it is applied if the file would be
    /// too large with the values that this process knows, and when it is saved if the file would be too large with other
    /// processes' journal records: then ``FileStoreError/Step/writeJournal`` fails, and a batch that only removes keys makes
    /// room. A journal larger than this and 2 MiB is not written, and one twice as large is not read.
    public var fileSize: Int
    /// How deeply collections are nested in one value; by default `PropertyListValue.maximumNesting`, which is also the
    /// largest possible limit.
    public var nesting: Int

    /// Makes limits.
    public init(
        valueSize: Int = 16 << 20,
        fileSize: Int = 256 << 20,
        nesting: Int = PropertyListValue.maximumNesting
    ) {
        self.valueSize = valueSize
        self.fileSize = fileSize
        self.nesting = nesting
    }
}

extension FileStoreLimits {
    /// The size of the largest journal that is written; beyond that the file is written instead.
    ///
    /// At least as large as a journal may become before an early checkpoint.
    var journalRoom: Int { max(fileSize, 2 << 20) }

    /// The size of the largest journal that is read; more than is written, because other processes may have other limits.
    var maximumJournalSize: Int { journalRoom > .max / 2 ? .max : 2 * journalRoom }

    /// Throws for a batch with a value that is too large or nested too deeply.
    ///
    /// Entries that the library itself records, such as kept values, may exceed both limits: otherwise a value at the limit
    /// could be neither replaced nor moved.
    func check(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try batch.writes.forEach { (write) throws(StoreError) in
            guard let value = write.value else { return }
            let isTooDeep = isNestedTooDeep(value)
            if !isTooDeep, value.contentSize <= valueSize { return }
            if LibraryEntries.contains(write.key), !value.isNestedDeeper() { return }
            if isTooDeep {
                throw StoreError(
                    .nestingTooDeep,
                    store: store,
                    key: write.key,
                    reason: "the value has more than \(nesting) nested collections",
                    remedy: "store it in a flatter form or raise the limit"
                )
            }
            throw StoreError(
                .tooLarge,
                store: store,
                key: write.key,
                reason: "the value has \(value.contentSize) bytes, and the limit is \(valueSize)",
                remedy: "store it in a file of its own and its path here, or raise the limit"
            )
        }
    }

    private func isNestedTooDeep(_ value: PropertyListValue) -> Bool {
        value.isNestedDeeper(than: min(nesting, PropertyListValue.maximumNesting))
    }
}

extension PropertyListValue {
    /// The number of bytes in strings, data and names; other values count as eight.
    ///
    /// The value must not be nested deeper than ``maximumNesting``, because this method is recursive.
    var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.reduce(0) { $0 + $1.contentSize }
        case .dictionary(let entries): entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentSize }
        case .boolean, .integer, .real, .date: 8
        }
    }
}
