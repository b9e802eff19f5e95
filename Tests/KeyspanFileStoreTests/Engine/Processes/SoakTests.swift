#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing
import KeyspanTestSupport

/// A day of a program, in short.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct SoakTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("settings.json")
    }

    @Test func `processes that run for long take no more from the system with time`() async throws {
        let writes = TestLevel.current.pick(1_000, thorough: 2_000, exhaustive: 500_000)
        let staying = Invocation(.soak, path: path, name: "staying", count: writes)
        let reopening = Invocation(
            .soak,
            path: path,
            name: "reopening",
            count: writes,
            openings: TestLevel.current.pick(10, thorough: 20, exhaustive: 1_000)
        )
        let processes = try [staying, reopening].map { try StoreProcess($0) }
        for process in processes {
            try await process.finish()
            let usages = try process.lines(Report.usage).compactMap { ResourceUsage($0) }
            let early = try #require(usages.prefix(max(1, usages.count / 10)).last)
            let late = try #require(usages.last)
            let journal = usages.map(\.journal).max() ?? 0
            let files = usages.map(\.openFiles).max() ?? 0
            print("memory \(early.memory) to \(late.memory) bytes, \(files) files, journal \(journal) bytes")
            #expect(late.memory <= early.memory + 32 << 20)
            #expect(files <= early.openFiles + 8)
            // A journal is folded at 1 MiB; what two processes write until that is done comes on top.
            #expect(journal <= 4 << 20)
        }
        #expect(try folder.names.filter { $0.hasSuffix(".tmp") }.isEmpty)
        let table = try #require(try PlainFile.read(path))
        #expect(table.count == 2 * min(200, writes))
    }
}
#endif
