#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Processes that write to one file at the same time.
@Suite(.heavy, .seeded, .serialized) struct LostUpdateTests {
    private static let names = (1...TestLevel.current.pick(3, thorough: 8)).map { "process\($0)" }
    private static let increments = TestLevel.current.pick(6, thorough: 20, exhaustive: 1_000)
    private static let journaled: [StoreMode] = [.grouped, .everyBatch, .onSynchronize, .hastyFolds]
    private let folder = TemporaryFolder.forTest
    private var path: String { folder.path("settings.json") }

    private func start(_ role: Role, _ mode: StoreMode, count: Int, name: String? = nil) throws -> [StoreProcess] {
        try Self.names.map { try StoreProcess(role, path: path, mode: mode, name: name ?? $0, count: count) }
    }

    // Without a journal an edit is taken as it is, whatever was saved since the editor has read the file.
    @Test(arguments: StoreMode.sample(journaled + [.recovering]))
    func `several processes with one file count on while another program edits the file`(mode: StoreMode) async throws {
        let processes = try start(.incrementer, mode, count: Self.increments)
        let editor = try StoreProcess(.editor, path: path, name: "editor")
        for process in [editor] + processes { try await process.wait(for: Report.ready) }
        for process in [editor] + processes { try await process.finish(asking: SIGTERM) }

        let edits = try #require(editor.numbers(Report.acknowledged).last)
        var expected: PropertyListTable = ["editor": .init(edits)]
        for name in Self.names { expected[name] = .init(Self.increments) }
        #expect(try PlainFile.read(path) == expected)
    }

    @Test(arguments: StoreMode.sample(StoreMode.saving + [.validating, .validatingGrouped]))
    func `several processes with one file raise one counter by what they expect it to be`(mode: StoreMode) async throws
    {
        let processes = try start(.sharedIncrementer, mode, count: Self.increments, name: "counter")
        for process in processes { try await process.finish() }
        #expect(try PlainFile.read(path)?["counter"] == .init(Self.increments * Self.names.count))
    }
}
#endif
