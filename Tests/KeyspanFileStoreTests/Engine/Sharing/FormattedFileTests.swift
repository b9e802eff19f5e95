@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A file that a person has formatted, and stores that save it.
@Suite struct FormattedFileTests {
    private static let text = """
        {
            "server.port":   8080,
            "server.host": "localhost",

            "limits": [1, 2, 3],  "ratio": 1.50,
            "nested": {"a": true,
                       "b": false}
        }

        """
    private let folder = TemporaryFolder.forTest

    init() throws {
        try folder.write(Self.text, to: "file.json")
    }

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a save changes the text of the changed key and no other`(options: FileStoreOptions) throws {
        let process = try open(options)
        try process.save(["server.port": 443])
        process.passTime()
        #expect(try folder.text(of: "file.json") == Self.text.replacing("8080", with: "443"))
        try process.save(["ratio": 1.5, "limits": [4]])
        process.passTime()
        let edited = Self.text.replacing("8080", with: "443").replacing("[1, 2, 3]", with: "[4]")
        #expect(try folder.text(of: "file.json") == edited)
    }

    @Test func `memory lets go of a text that was replaced`() throws {
        let process = try open()
        let document = try #require(process.store.snapshot().document as? JSONDocument)
        weak var old = document
        #expect(old != nil)
        _ = consume document
        try process.save(["server.port": 1])
        process.passTime()
        #expect(old == nil, "after a checkpoint")

        old = process.store.snapshot().document as? JSONDocument
        #expect(old != nil)
        try folder.edit(["a": 1])
        process.look()
        #expect(old == nil, "after an edit")
        #expect(process.store.snapshot() == ["a": 1])
    }

    @Test func `a process that only follows does not keep a text of which little is left`() throws {
        let names = (0..<2_000).map { "name \($0)" }
        try folder.write(
            JSONFileCodec().encode(PropertyListTable(Dictionary(uniqueKeysWithValues: names.map { ($0, 0) }))),
            to: "file.json"
        )
        let processes = [try open(), try open()]
        weak let old = processes[0].store.snapshot().document as? JSONDocument
        #expect(old != nil)
        try processes[1].save(Dictionary(uniqueKeysWithValues: names.prefix(1_500).map { ($0, nil) }))
        for _ in 0..<2 {
            processes[1].passTime()
            processes[0].look()
            try processes[1].save(["other": 1])
        }
        #expect(old == nil)
        #expect(processes[0].store.snapshot().count >= 500)
    }
}
