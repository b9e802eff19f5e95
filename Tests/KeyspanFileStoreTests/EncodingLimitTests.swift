import KeyspanCore
import KeyspanFileStore
import Testing

/// Values that are small in memory, because their parts are shared, and huge as text.
@Suite struct EncodingLimitTests {
    /// A value of a MiB, and a table that has it 64 Ki times: 64 GiB of text.
    private static let shared = PropertyListValue.string(String(repeating: "x", count: 1 << 20))
    private static let huge: PropertyListTable = [
        "key": .array(Array(repeating: .array(Array(repeating: shared, count: 1 << 8)), count: 1 << 8))
    ]

    @Test(arguments: [StoreFormat.json, .xml])
    func `text is written up to the limit, and no further`(format: StoreFormat) throws {
        // More than there is memory for, if it were written to its end.
        #expect(try format.codec.encode(Self.huge, upTo: 4 << 20) == nil)
    }

    @Test(arguments: StoreFormat.allCases)
    func `a text up to the limit is written whole`(format: StoreFormat) throws {
        let table: PropertyListTable = ["a": [1, ["b": "c"], "<&>"], "d": .data(.init(repeating: 1, count: 100))]
        let whole = try format.codec.encode(table)
        #expect(try format.codec.encode(table, upTo: whole.count) == whole)
        #expect(try format.codec.encode(table, upTo: whole.count - 1) == nil)
    }

    @Test(arguments: [StoreFormat.json, .xml])
    func `a store refuses what would make its file too large before it writes it`(format: StoreFormat) throws {
        let folder = try TemporaryFolder()
        let limits = FileStoreLimits(valueSize: .max, fileSize: 4 << 20)
        let store = try format.open(
            path: folder.path("file"),
            options: FileStoreOptions(limits: limits),
            seams: FileStoreSeams(fileSystem: POSIXFileSystem())
        )
        let value = PropertyListValue.array(Array(repeating: Self.shared, count: 16))
        let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(value, key: "key"))) }
        #expect(error?.code == .tooLarge)
        #expect(error?.description.contains("4194304") == true)
        #expect(store.snapshot().isEmpty)
    }
}
