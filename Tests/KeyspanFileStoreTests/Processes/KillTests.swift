#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing

/// Writers that are killed at random moments while others go on and read.
///
/// `KEYSPAN_SEED` repeats the moments of another run.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct KillTests {
    private static let writers = 3
    /// Kills in all modes together.
    private static let kills = TestLevel.current.pick(14, thorough: 200, exhaustive: 1_000)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: StoreMode.saving)
    func `processes that are killed lose nothing that was acknowledged, and show no part of it`(mode: StoreMode)
        async throws
    {
        let path = folder.path("settings.json")
        let seed = Int(SeededGenerator.seedOfRun)
        let kills = Self.kills.share(of: mode, among: StoreMode.saving)
        let watching = try [Role.observer, .reader].map { try StoreProcess(Invocation($0, path: path, mode: mode)) }
        for process in watching { try await process.wait(for: Report.ready) }

        let writers = try await withThrowingTaskGroup { group in
            for number in 0..<Self.writers {
                let share = kills.share(of: number, among: Array(0..<Self.writers))
                var writer = KilledWriter(name: "writer\(number)", path: path, mode: mode, seed: seed + number)
                group.addTask {
                    try await writer.run(kills: share)
                    return writer
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        print(
            """
            \(mode): \(kills) kills from KEYSPAN_SEED=\(seed), \(writers.map(\.killsWhileOpening).reduce(0, +)) \
            while opening, \(try folder.names.count { $0.hasSuffix(".tmp") }) while replacing the file
            """
        )
        let acknowledged = writers.map { ($0.name, $0.acknowledged) }
        for process in watching {
            try await process.finish(asking: SIGTERM)
            #expect(try process.numbers(Report.looks).allSatisfy { $0 > 0 })
        }
        do {
            let store = try JSONFileStore(path: path, options: mode.options)
            try expect(acknowledged, in: store.snapshot())
        }
        try expect(acknowledged, in: #require(try PlainFile.read(path)))
    }

    private func expect(_ acknowledged: [(String, Int)], in table: PropertyListTable) throws {
        for (writer, number) in acknowledged {
            switch NumberedBatch.trace(of: writer, in: table) {
            case .whole(let found): #expect(found >= number)
            case .nothing: #expect(number == 0)
            case .torn(let what): Issue.record("\(what)")
            }
        }
    }
}

extension Int {
    /// The part of one of several participants; the remainder goes to the first ones.
    fileprivate func share<Participant: Equatable>(of participant: Participant, among all: [Participant]) -> Int {
        let index = all.firstIndex(of: participant) ?? all.endIndex
        return self / all.count + (index < self % all.count ? 1 : 0)
    }
}
#endif
