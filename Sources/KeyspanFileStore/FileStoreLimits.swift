public import KeyspanCore

/// How much a file store holds, so that a mistake or an attack fills neither the memory nor the disk.
///
/// What goes beyond is refused with `StoreError.Code.tooLarge` or `nestingTooDeep`, and nothing is changed. A file beyond
/// ``fileSize`` is not opened. Of the entries with kept values and with the record of migrations only ``fileSize`` is a limit.
public struct FileStoreLimits: Sendable, Hashable {
    /// The size of one value in bytes as UTF-8 and data count, names within it included; 16 MiB unless set.
    public var valueSize: Int
    /// The size of the file in bytes; 256 MiB unless set.
    ///
    /// It holds for what several processes write together. A store refuses a batch when it is applied if the file would be
    /// too large with what this process knows, and when it is saved if it would be with what others wrote to the journal:
    /// ``FileStoreError/Step/writeJournal`` fails then, and a batch that only removes keys makes room. A journal larger than
    /// this and 2 MiB is not written, and one twice as large not read.
    public var fileSize: Int
    /// How many collections one value has within one another; `PropertyListValue.maximumNesting`, which is also the most,
    /// unless set.
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
