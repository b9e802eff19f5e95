#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Programs of versions 1 to 3 that start at the same time on values of version 0, some of which are killed.
@Suite(.heavy, .seeded, .serialized) struct MigrationModelTests {
    private static let modes = StoreMode.sample(StoreMode.saving + [.validatingGrouped])

    @Test func `processes that migrate do each migration once, whichever is killed, and lose nothing`() async throws {
        let kills = TestLevel.current.pick(1, thorough: 3)
        for round in 0..<TestLevel.current.pick(2, thorough: 67, exhaustive: 334) {
            let mode = Self.modes[round % Self.modes.count]
            var random = SeededGenerator(seed: SeededGenerator.seedOfRun &+ UInt64(round))
            try await Round(mode: mode, random: &random, kills: kills).run("round \(round), \(mode)")
        }
    }

    /// Some processes that share one store of version 0, until the last migration is done.
    private struct Round {
        let mode: StoreMode
        private let folder: TemporaryFolder
        private let path: String
        private let victims: [Victim]
        private let survivors: [Int]

        private struct Victim: Sendable {
            let version: Int
            let isKilledAtWork: Bool
            let delay: Duration
        }

        init(mode: StoreMode, random: inout SeededGenerator, kills: Int) throws {
            self.mode = mode
            folder = try TemporaryFolder()
            path = folder.path("settings.json")
            try folder.write(JSONFileCodec().encode(MigrationModel.values), to: "settings.json")
            let old = MigrationModel.pathOfOldStore(beside: "settings.json")
            try folder.write(JSONFileCodec().encode(MigrationModel.oldValues), to: old)
            victims = (0..<kills).map { _ in
                let isKilledAtWork = Int.random(in: 0..<3, using: &random) > 0
                let delay = Int.random(in: 0...(isKilledAtWork ? 8_000 : 60_000), using: &random)
                let version = Int.random(in: 1...3, using: &random)
                return Victim(version: version, isKilledAtWork: isKilledAtWork, delay: .microseconds(delay))
            }
            survivors = [1, 2, 3].shuffled(using: &random)
        }

        func run(_ name: String) async throws {
            var attempted = 0
            var acknowledged = 0
            func count(_ process: StoreProcess) throws {
                attempted += process.numbers(Report.attempted).last ?? 0
                acknowledged += process.numbers(Report.acknowledged).last ?? 0
                #expect(process.lines(Report.fault).isEmpty, "\(name)")
            }
            let living = try survivors.map(start)
            try await withThrowingTaskGroup(of: StoreProcess.self) { group in
                for victim in victims { group.addTask { try await kill(victim) } }
                for process in living { try await process.wait(for: Report.acknowledged, count: 2) }
                for try await process in group { try count(process) }
            }
            for process in living {
                try await process.finish(asking: SIGTERM)
                try count(process)
            }
            // One that was killed may have left originals behind, which the next start of the program removes.
            let last = try start(3)
            try await last.wait(for: Report.acknowledged)
            try await last.finish(asking: SIGTERM)
            try count(last)

            let table = try #require(try PlainFile.read(path))
            #expect(MigrationModel.version(of: table) == 3, "\(name)")
            #expect(MigrationModel.faults(in: table).isEmpty, "\(name)")
            #expect((acknowledged...attempted).contains(MigrationModel.increments(in: table)), "\(name)")
            #expect(table["keyspan.migrations"] == ["model": ["version": 3]], "\(name)")
            #expect(try PlainFile.read(MigrationModel.pathOfOldStore(beside: path)) == [:], "\(name)")
        }

        private func start(_ version: Int) throws -> StoreProcess {
            try StoreProcess(.migrator, path: path, mode: mode, name: "\(version)")
        }

        private func kill(_ victim: Victim) async throws -> StoreProcess {
            let process = try start(victim.version)
            if victim.isKilledAtWork { try await process.wait(for: Report.found) }
            try await Task.sleep(for: victim.delay)  // The pace of the kills, from the seed.
            process.send(SIGKILL)
            #expect(try await process.end() == 128 + SIGKILL, "\(process.problems)")
            return process
        }
    }
}
#endif
