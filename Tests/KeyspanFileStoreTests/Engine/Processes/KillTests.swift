#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing
import KeyspanTestSupport

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
            case .nothing: Issue.record("\(writer) has written nothing, although its last run was not killed")
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

/// A writer that is killed and started again, again and again.
struct KilledWriter: Sendable {
    /// The name of the writer.
    let name: String
    /// The last batch that was reported as durable.
    private(set) var acknowledged = 0
    /// The number of kills before the store was open.
    private(set) var killsWhileOpening = 0

    private let invocation: Invocation
    private var random: SeededGenerator

    init(name: String, path: String, mode: StoreMode, seed: Int) {
        self.name = name
        invocation = Invocation(.writer, path: path, mode: mode, name: name)
        random = SeededGenerator(seed: UInt64(bitPattern: Int64(seed)))
    }

    /// Starts and kills it so many times, and lets it write and end in peace after that.
    mutating func run(kills: Int) async throws {
        for _ in 0..<kills {
            // One exit in between, because the next process has to cope with that as well.
            if Int.random(in: 0..<8, using: &random) == 0 { try await runOnce(endingWith: SIGTERM) }
            try await runOnce(endingWith: SIGKILL)
        }
        // All kills may have come before the first write.
        try await runOnce(endingWith: SIGTERM, whileWriting: true)
    }

    private mutating func runOnce(endingWith signal: Int32, whileWriting isWriting: Bool = false) async throws {
        let process = try StoreProcess(invocation)
        // Most of the time while it writes, now and then while it starts.
        if isWriting || Int.random(in: 0..<4, using: &random) > 0 {
            try await process.wait(for: Report.acknowledged, count: .random(in: 1...20, using: &random))
            try await Task.sleep(for: .microseconds(.random(in: 0...10_000, using: &random)))
        } else {
            try await Task.sleep(for: .microseconds(.random(in: 0...60_000, using: &random)))
        }
        process.send(signal)
        let ending = try await process.wait()
        try check(process, ending, expected: signal == SIGKILL ? .killed(SIGKILL) : .exited(0))
    }

    private mutating func check(
        _ process: StoreProcess,
        _ ending: StoreProcess.Ending,
        expected: StoreProcess.Ending
    ) throws {
        let found = try process.numbers(Report.found).last
        let faults = try process.lines(Report.fault)
        let hasAll = found.map { $0 >= acknowledged } ?? true
        guard ending == expected, faults.isEmpty, hasAll else {
            throw StoreProcess.Failure(
                description: """
                    \(name) \(ending): found \(found ?? -1) after \(acknowledged) was acknowledged, \(faults), \
                    \(try process.problems)
                    """
            )
        }
        if found == nil { killsWhileOpening += 1 }
        acknowledged = max(acknowledged, found ?? 0, try process.numbers(Report.acknowledged).last ?? 0)
    }
}
#endif
