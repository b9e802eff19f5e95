#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Writers that are killed at random moments while others go on and read.
@Suite(.heavy, .seeded, .serialized) struct KillTests {
    private static let modes = StoreMode.sample(StoreMode.saving)
    private static let writers = TestLevel.current.pick(2, thorough: 3)
    /// The kills of each writer in each mode.
    private static let kills = TestLevel.current.pick(1, thorough: 10, exhaustive: 50)
    private let folder = TemporaryFolder.forTest

    /// The observer calls nothing: every change comes to it by itself.
    @Test(arguments: modes)
    func `killed processes lose nothing acknowledged, and others see whole batches`(mode: StoreMode) async throws {
        let path = folder.path("settings.json")
        let watching = try [Role.observer, .reader].map { try StoreProcess($0, path: path, mode: mode) }
        for process in watching { try await process.wait(for: Report.ready) }

        let writers = try await withThrowingTaskGroup { group in
            for number in 0..<Self.writers {
                let seed = SeededGenerator.seedOfRun &+ UInt64(number)
                var writer = KilledWriter(name: "writer\(number)", path: path, mode: mode, seed: seed)
                group.addTask {
                    try await writer.run(kills: Self.kills)
                    return writer
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await watching[0].wait(for: "\(Report.received)\(writers.map(\.acknowledged).reduce(0, +))")
        for process in watching {
            try await process.finish(asking: SIGTERM)
            #expect(process.numbers(Report.looks).allSatisfy { $0 > 0 })
        }
        let tables = [
            try JSONFileStore(path: path, options: mode.options).snapshot(), try #require(try PlainFile.read(path)),
        ]
        for (table, writer) in tables.flatMap({ table in writers.map { (table, $0) } }) {
            #expect(NumberedBatch.trace(of: writer.name, in: table) == .whole(number: writer.acknowledged))
        }
    }
}

/// A writer that is killed and started again, again and again.
struct KilledWriter: Sendable {
    /// The name of the writer.
    let name: String
    /// The last batch that was reported as durable.
    private(set) var acknowledged = 0

    private let path: String
    private let mode: StoreMode
    private var random: SeededGenerator

    init(name: String, path: String, mode: StoreMode, seed: UInt64) {
        (self.name, self.path, self.mode) = (name, path, mode)
        random = SeededGenerator(seed: seed)
    }

    /// Starts and kills it so many times, and lets it write and end in peace after that.
    mutating func run(kills: Int) async throws {
        for _ in 0..<kills {
            // One exit in between, because the next process has to cope with that as well.
            if Int.random(in: 0..<8, using: &random) == 0 { try await runOnce(endingWith: SIGTERM) }
            try await runOnce(endingWith: SIGKILL)
        }
        // All kills may have come before the first write.
        try await runOnce(endingWith: SIGTERM)
    }

    private mutating func runOnce(endingWith signal: Int32) async throws {
        let process = try StoreProcess(.writer, path: path, mode: mode, name: name)
        // At a random pace: most of the time while it writes, now and then while it starts, when only a kill has a certain end.
        if signal != SIGKILL || Int.random(in: 0..<4, using: &random) > 0 {
            try await process.wait(for: Report.acknowledged, count: .random(in: 1...20, using: &random))
            try await Task.sleep(for: .microseconds(.random(in: 0...10_000, using: &random)))  // The pace.
        } else {
            try await Task.sleep(for: .microseconds(.random(in: 0...60_000, using: &random)))  // The pace.
        }
        try await process.finish(asking: signal, status: signal == SIGKILL ? 128 + SIGKILL : 0)
        let found = process.numbers(Report.found).last
        #expect(found ?? acknowledged >= acknowledged, "\(name) has lost batches")
        acknowledged = max(acknowledged, found ?? 0, process.numbers(Report.acknowledged).last ?? 0)
    }
}
#endif
