#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A day of a program, in short.
@Suite(.heavy) struct SoakTests {
    @Test func `processes that run for long take no more from the system with time`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("settings.json")
        let writes = TestLevel.current.pick(1_000, thorough: 2_000, exhaustive: 500_000)
        let reopenings = TestLevel.current.pick(10, thorough: 20, exhaustive: 1_000)
        let processes = try [("staying", 1), ("reopening", reopenings)].map { name, openings in
            try StoreProcess(Invocation(.soak, path: path, name: name, count: writes, openings: openings, seed: 0))
        }
        for process in processes {
            try await process.finish()
            let usages = process.lines(Report.usage).compactMap { ResourceUsage($0) }
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
        #expect(try PlainFile.read(path)?.count == 2 * min(200, writes))
    }
}
#endif
