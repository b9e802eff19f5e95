#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import Testing

/// What a day does to a program, in short.
///
/// `KEYSPAN_SOAK_WRITES` and `KEYSPAN_SOAK_OPENINGS` say how long the day is.
@Suite("Processes that run for long", .serialized, .timeLimit(.minutes(60)))
struct SoakTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("settings.json")
    }

    @Test func `take no more from the system with time`() async throws {
        let writes = Amount.soakWrites.value / 2
        let staying = Invocation(.soak, path: path, name: "staying", count: writes)
        let reopening = Invocation(
            .soak,
            path: path,
            name: "reopening",
            count: writes,
            openings: Amount.soakOpenings.value
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
