@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Texts that are equal to `String` and differ in their bytes.
@Suite struct SpellingTests {
    private static let spellings = ["\u{E9}", "e\u{301}"]

    private let folder = TemporaryFolder.forTest

    @Test(arguments: FileStoreOptions.modes, [spellings, spellings.reversed()])
    func `a spelling that replaces another one comes into the file`(mode: FileStoreOptions, texts: [String]) throws {
        try folder.write(Array("{\"k\": \"\(texts[0])\"}".utf8), to: "s.json")
        do {
            let store = try JSONFileStore(path: folder.path("s.json"), options: mode)
            try store.apply(PropertyListBatch(.set(.string(texts[1]), key: "k")))
            try store.synchronize()
        }
        let read = try JSONFileStore(path: folder.path("s.json")).string(forKey: "k")
        #expect(read.map { Array($0.utf8) } == Array(texts[1].utf8))
    }

    @Test(arguments: [
        "{\"\u{E9}\": 1, \"e\u{301}\": 2}", "{\"a\": [{\"\u{E9}\": 1, \"e\u{301}\": 2}]}",
        "{\"K\": 1, \"\u{212A}\": 2}",
        "{\"\u{E9}\": null, \"e\u{301}\": 2}",
    ])
    func `a spelling of a name is a name of its own`(text: String) throws {
        let table = try JSONText.parseTable(Array(text.utf8))
        let written = JSONText.encode(table)
        #expect(try JSONText.parseTable(written) == table)
        #expect(
            written.count { $0 == UInt8(ascii: ":") } == text.utf8.count { $0 == UInt8(ascii: ":") }
                - (text.contains("null") ? 1 : 0)
        )
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `a spelling of a name is kept in a property list`(format: PropertyListFormat) throws {
        var entries: PropertyListTable = ["k": .array(Self.spellings.map { .string($0) })]
        for (index, name) in Self.spellings.enumerated() {
            entries[name] = .dictionary([name: .init(index), Self.spellings[1 - index]: "other"])
        }
        let read = try PropertyListData.parseTable(PropertyListData.encode(entries, as: format))
        #expect(read == entries)
        #expect(read.count == 3)
        #expect(Self.spellings.allSatisfy { read[$0]?.dictionaryValue?.count == 2 })
    }

    @Test func `a spelling of a file's name is another file`() throws {
        let files = Self.spellings.map { folder.path("\($0).json") }
        do {
            let stores = try files.map { try JSONFileStore(path: $0) }
            for (index, store) in stores.enumerated() {
                try store.apply(PropertyListBatch(.set(.init(index), key: "n")))
                try store.synchronize()
            }
            #expect(stores.map { $0.integer(forKey: "n") } == [0, 1])
        }
        #expect(try files.map { try JSONFileStore(path: $0).integer(forKey: "n") } == [0, 1])
        let names = try folder.names.filter { $0.utf8.elementsEqual("\(Self.spellings[0]).json".utf8) }
        #expect(names.count == 1)
    }

    @Test(arguments: spellings)
    func `a spelling of a name in a journal is restored after a crash`(name: String) throws {
        let other = Self.spellings.first { !$0.utf8.elementsEqual(name.utf8) } ?? ""
        let delta = TableDelta(from: [name: 1], to: [other: 1])
        #expect(!delta.isEmpty)
        var table: PropertyListTable = [name: 1]
        table.apply(delta)
        #expect(table.map { Array($0.key.utf8) } == [Array(other.utf8)])
    }

    @Test func `a spelling of the path of a folder is refused whatever is before its slash`() {
        #expect(throws: FileStoreError.self) { try JSONFileStore(path: folder.path("\u{600}/")) }
    }
}
