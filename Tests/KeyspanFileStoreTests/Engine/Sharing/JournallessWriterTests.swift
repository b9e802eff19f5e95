import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// A store without a journal writes a file that others have open with one, and an editor writes what it has read before.
@Suite struct JournallessWriterTests {
    private let folder: TemporaryFolder
    private let journalled: ProcessDouble
    private let journalless: ProcessDouble

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.path("file.json")
        journalled = try ProcessDouble(path: path)
        journalless = try ProcessDouble(path: path, options: .oneFile)
        try journalled.save(["edited": 1, "saved": 1, "folded": 1])
        journalled.passTime()
    }

    private func edit(_ change: (inout PropertyListTable) -> Void, since text: [UInt8]) throws {
        var table = try JSONFileCodec().decode(text)
        change(&table)
        try folder.edit(table)
    }

    private func expect(_ table: PropertyListTable, sourceLocation: SourceLocation = #_sourceLocation) throws {
        journalled.look()
        journalless.look()
        #expect(journalled.store.snapshot() == table, sourceLocation: sourceLocation)
        #expect(journalless.store.snapshot() == table, sourceLocation: sourceLocation)
        journalled.passTime()
        let text = try folder.bytes(of: "file.json")
        #expect(try JSONFileCodec().decode(text) == table, sourceLocation: sourceLocation)
    }

    @Test func `a store without a journal saves what no editor undoes that had read the file before`() throws {
        let read = try folder.bytes(of: "file.json")
        try journalless.save(["saved": 2])
        try edit({ $0["edited"] = 2 }, since: read)
        try expect(["edited": 2, "saved": 2, "folded": 1])
    }

    @Test func `a store without a journal leaves them what they need against a stale edit`() throws {
        let read = try folder.bytes(of: "file.json")
        try journalled.save(["folded": 2])
        journalled.passTime()
        try journalless.save(["saved": 2])
        try edit({ $0["edited"] = 2 }, since: read)
        try expect(["edited": 2, "saved": 2, "folded": 2])
    }

    @Test func `a store without a journal lets a person take a change of its back`() throws {
        let read = try folder.bytes(of: "file.json")
        try journalless.save(["saved": 2])
        try edit({ _ in }, since: read)
        try expect(["edited": 1, "saved": 1, "folded": 1])
    }

    @Test func `a store without a journal makes no journal where nobody has one`() throws {
        let folder = try TemporaryFolder()
        let process = try ProcessDouble(path: folder.path("file.json"), options: .oneFile)
        try process.save(["saved": 1])
        #expect(try folder.names == ["file.json"])
    }
}
