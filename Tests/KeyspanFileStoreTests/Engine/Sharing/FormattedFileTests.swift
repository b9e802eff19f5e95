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
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array(Self.text.utf8), to: "file.json")
    }

    private func open(_ options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json"), options: options)
    }

    private func expect(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(String(decoding: try folder.bytes(of: "file.json"), as: UTF8.self) == text, sourceLocation: location)
    }

    @Test(arguments: [FileStoreOptions(), .oneFile])
    func `a save changes the text of the changed key and no other`(options: FileStoreOptions) throws {
        let process = try open(options)
        try process.save(["server.port": 443])
        process.passTime()
        try expect(Self.text.replacing("8080", with: "443"))
        try process.save(["ratio": 1.5, "limits": [4]])
        process.passTime()
        try expect(Self.text.replacing("8080", with: "443").replacing("[1, 2, 3]", with: "[4]"))
    }

    @Test func `the text of an edit that came in while the store was open stays, too`() throws {
        let processes = [try open(), try open()]
        try processes[0].save(["server.port": 443])
        let edited = Self.text.replacing("localhost", with: "example.org").replacing("1.50", with: "2.50")
        try folder.write(Array(edited.utf8), to: "edited")
        #expect(rename(folder.path("edited"), folder.path("file.json")) == 0)
        try processes[1].save(["limits": []])
        for process in processes {
            process.look()
            process.passTime()
            process.look()
        }
        try expect(edited.replacing("8080", with: "443").replacing("[1, 2, 3]", with: "[]"))
    }

    @Test func `processes that take turns at saving keep the text`() throws {
        let processes = [try open(), try open()]
        for round in 1...4 {
            let process = processes[round % 2]
            process.look()
            try process.save(["server.port": .integer(.init(Int64(round))), "new.\(round)": "x"])
            process.passTime()
        }
        try expect(
            Self.text.replacing("8080", with: "4").replacing(
                "\"b\": false}",
                with: "\"b\": false}" + (1...4).map { ",\n    \"new.\($0)\": \"x\"" }.joined()
            )
        )
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
        try folder.write(Array("{\"a\": 1}".utf8), to: "edited")
        #expect(rename(folder.path("edited"), folder.path("file.json")) == 0)
        process.look()
        #expect(old == nil, "after an edit")
        #expect(process.store.snapshot() == ["a": 1])
    }

    @Test func `keys that another process has added keep their order`() throws {
        let processes = [try open(), try open()]
        for name in ["z", "a"] {
            try processes[1].save([name: 1])
            processes[1].passTime()
            processes[0].look()
        }
        try processes[0].save(["server.port": 443])
        processes[0].passTime()
        try expect(
            Self.text.replacing("8080", with: "443").replacing(
                "\"b\": false}",
                with: "\"b\": false},\n    \"z\": 1,\n    \"a\": 1"
            )
        )
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
