import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// What all formats of files do alike.
@Suite(.heavy) struct FileFormatTests {
    private static func encode(_ value: PropertyListValue, as format: StoreFormat) throws -> [UInt8] {
        switch format {
        case .json: try JSONText.encode(value)
        case .xml: try PropertyListData.encode(value, as: .xml)
        case .binary: try PropertyListData.encode(value, as: .binary)
        }
    }

    private static func parse(_ bytes: [UInt8], as format: StoreFormat) throws -> PropertyListValue {
        format == .json ? try JSONText.parse(bytes) : try PropertyListData.parse(bytes)
    }

    @Test(.seeded, arguments: StoreFormat.allCases)
    func `any table reads back as it was, and writes the same bytes again`(format: StoreFormat) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(30, thorough: 1_000)) {
            var random = RandomValues(seed: seed)
            var values = random.dictionary(levels: 4)
            values["reals"] = .array((0..<30).map { _ in .real(random.real()) })
            values["dates"] = .array(
                (0..<30).map { _ in .date(Date(timeIntervalSinceReferenceDate: random.interval())) }
            )
            var table = PropertyListTable()
            for (key, value) in values {
                if let held = try? format.codec.written(value, forKey: key) {
                    table[key] = held
                } else {
                    // A value that stores reject is rejected here.
                    #expect(throws: ValueEncodingError.self, "seed \(seed)") { try format.bytes([key: value]) }
                }
            }
            let bytes = try format.bytes(table)
            let read = try format.members(of: bytes)
            try #require(read == table, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            try #require(try format.bytes(read) == bytes, "seed \(seed)")
            try #require(try Self.parse(bytes, as: format) == .dictionary(table.dictionary), "seed \(seed)")
        }
    }

    @Test(arguments: StoreFormat.allCases)
    func `kinds and signs of equal numbers stay apart`(format: StoreFormat) throws {
        let value: PropertyListValue = [
            true, 1, 1.0, "1", false, 0, 0.0, .real(-0.0), .integer(PropertyListInteger(UInt64.max)),
            .integer(PropertyListInteger(Int64.min)), .real(.nan), .real(.infinity), .real(-.infinity),
            .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
        ]
        #expect(try Self.parse(Self.encode(value, as: format), as: format) == value)
    }

    @Test(arguments: StoreFormat.allCases)
    func `a file is nested as deep as values are, and no deeper`(format: StoreFormat) throws {
        func nested(_ levels: Int) -> PropertyListValue {
            (0..<levels).reduce(1) { inner, level in level.isMultiple(of: 2) ? [inner] : ["a": inner] }
        }
        let limit = PropertyListValue.maximumNesting
        let deepest = nested(limit)
        #expect(try Self.parse(Self.encode(deepest, as: format), as: format) == deepest)
        let error = #expect(throws: ValueEncodingError.self) { try Self.encode(nested(limit + 1), as: format) }
        #expect(error?.description.contains("\(limit)") == true)
        #expect(try format.members(of: format.bytes(["key": deepest])) == ["key": deepest])
        let tooDeep = try format.bytes(["key": nested(limit + 1)])
        #expect(throws: (any Error).self) { try format.members(of: tooDeep) }
        #expect(throws: (any Error).self) { try Self.parse(tooDeep, as: format) }
    }

    @Test(.seeded, arguments: PropertyListFormat.allCases)
    func `a damaged property list is a value or an error`(format: PropertyListFormat) throws {
        let bytes = try PropertyListData.encode(
            .array([1, "tëxt &", 1.5, ["a": []], .data(Data(0..<20)), .date(Date(timeIntervalSinceReferenceDate: 9))]),
            as: format
        )
        #expect(PropertyListData.format(of: bytes) == format)
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<TestLevel.current.pick(1_000, thorough: 10_000) {
            var damaged = bytes
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: damaged.removeSubrange(place...)
            default: damaged.insert(contentsOf: bytes[place...].prefix(7), at: place)
            }
            do throws(PropertyListDataError) {
                let value = try PropertyListData.parse(damaged)
                #expect(!value.isNestedDeeper())
            } catch {
                #expect(!error.reason.isEmpty && !error.reason.hasSuffix("."))
            }
        }
    }

    @Test(arguments: PropertyListFormat.allCases)
    func `a property list is the content of a store only if it is a dictionary`(format: PropertyListFormat) throws {
        let bytes = try PropertyListData.encode([1], as: format)
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parseTable(bytes) }
        #expect(error?.reason.contains("no dictionary") == true)
    }
}

/// Values that are small in memory, because their parts are shared, and huge as text.
@Suite(.heavy) struct EncodingLimitTests {
    /// A value of a MiB, and a table that has it 64 Ki times: 64 GiB of text.
    private static let shared = PropertyListValue.string(String(repeating: "x", count: 1 << 20))
    private static let huge: PropertyListTable = [
        "key": .array(Array(repeating: .array(Array(repeating: shared, count: 1 << 8)), count: 1 << 8))
    ]

    @Test(arguments: [StoreFormat.json, .xml])
    func `text is written up to the limit, and no further`(format: StoreFormat) throws {
        // More than there is memory for, if it were written to its end.
        #expect(try format.codec.encode(Self.huge, upTo: 4 << 20)?.bytes == nil)
    }

    @Test(arguments: StoreFormat.allCases)
    func `a text up to the limit is written whole`(format: StoreFormat) throws {
        let table: PropertyListTable = ["a": [1, ["b": "c"], "<&>"], "d": .data(.init(repeating: 1, count: 100))]
        let whole = try format.codec.encode(table)
        #expect(try format.codec.encode(table, upTo: whole.count)?.bytes == whole)
        #expect(try format.codec.encode(table, upTo: whole.count - 1)?.bytes == nil)
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
