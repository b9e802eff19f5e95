#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing
import KeyspanTestSupport

/// Processes that write to one file at the same time.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct LostUpdateTests {
    private static let names = (1...TestLevel.current.pick(4, thorough: 8)).map { "process\($0)" }
    private static let increments = TestLevel.current.pick(6, thorough: 20, exhaustive: 1_000)
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("settings.json")
    }

    @Test(arguments: [StoreMode.grouped, .everyBatch, .onSynchronize, .hastyFolds, .oneFile])
    func `several processes with one file keep all of their keys`(mode: StoreMode) async throws {
        let count = TestLevel.current.pick(20, thorough: 100, exhaustive: 1_000)
        let processes = try Self.names.map {
            try StoreProcess(Invocation(.keys, path: path, mode: mode, name: $0, count: count))
        }
        for process in processes { try await process.finish() }
        let expected = Self.names.flatMap { name in (1...count).map { "\(name).\($0)" } }
        let table = try #require(try PlainFile.read(path))
        #expect(Set(table.map(\.key)) == Set(expected))
    }

    // Without a journal an edit is taken as it is, whatever was saved since the editor has read the file.
    @Test(arguments: [StoreMode.grouped, .everyBatch, .onSynchronize, .hastyFolds, .recovering])
    func `several processes with one file count on while another program edits the file`(mode: StoreMode) async throws {
        let count = Self.increments
        let processes = try Self.names.map {
            try StoreProcess(Invocation(.incrementer, path: path, mode: mode, name: $0, count: count))
        }
        let editor = try StoreProcess(Invocation(.editor, path: path, name: "editor"))
        for process in processes { try await process.wait(for: Report.ready) }
        try await editor.finish(asking: SIGTERM)
        for process in processes { try await process.finish(asking: SIGTERM) }

        let edits = try #require(try editor.numbers(Report.acknowledged).last)
        print("\(mode): \(edits) edits, \(try editor.numbers(Report.overwritten)) of them overwritten")
        let table = try #require(try PlainFile.read(path))
        var expected = PropertyListTable()
        for name in Self.names { expected[name] = .integer(PropertyListInteger(count)) }
        expected["editor"] = .integer(PropertyListInteger(edits))
        #expect(table == expected)
    }

    @Test(arguments: StoreMode.saving + [.validating, .validatingGrouped])
    func `several processes with one file raise one counter by what they expect it to be`(mode: StoreMode) async throws
    {
        let count = Self.increments
        let processes = try Self.names.map { _ in
            try StoreProcess(Invocation(.sharedIncrementer, path: path, mode: mode, name: "counter", count: count))
        }
        for process in processes { try await process.finish() }
        let table = try #require(try PlainFile.read(path))
        #expect(table["counter"] == .integer(PropertyListInteger(count * Self.names.count)))
    }
}
#endif
