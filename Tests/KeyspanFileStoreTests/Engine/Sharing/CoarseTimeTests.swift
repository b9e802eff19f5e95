import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Two processes replace a file on a system whose file times advance in ticks, and that uses inode numbers again.
@Suite(.heavy, .seeded) struct CoarseTimeTests {
    private static let millisecond: Int64 = 1_000_000

    /// The tick in milliseconds: kernels with 250 and 100 ticks a second, and file systems that count seconds.
    @Test(arguments: [4, 10, 1000, 2000], [FileStoreOptions.Durability.everyBatch, .grouped])
    func `a file with coarse times loses no change`(tick: Int64, durability: FileStoreOptions.Durability) throws {
        let options = FileStoreOptions(durability: durability, journal: .none)
        for seed in SeededGenerator.seeds(TestLevel.current.pick(1, thorough: 10)) {
            var generator = SeededGenerator(seed: seed)
            let disk = SimulatedDisk(
                .init(
                    clockTick: tick * Self.millisecond,
                    callDuration: .random(in: 1_000...100_000, using: &generator),
                    reusesInodes: true
                )
            )
            try disk.makeFolders("/data")
            let processes = try (0..<2).map { _ in
                try ProcessDouble(path: "/data/file.json", options: options, fileSystem: disk.startProcess())
            }
            // As long as each other, so that the file's size tells nothing.
            var expected: [String: Int] = ["a": 100, "b": 100]
            try processes[0].save(["a": 100, "b": 100])
            for _ in 0..<TestLevel.current.pick(40, thorough: 100) {
                let number = Int.random(in: 0...1, using: &generator)
                let key = ["a", "b"][number]
                let value = (expected[key] ?? 0) + 1
                expected[key] = value
                try processes[number].save([key: .init(value)])
                // Some saves come one after the other, others have time in between.
                if Int.random(in: 0..<4, using: &generator) == 0 { disk.passTime(Int64(tick) * Self.millisecond / 3) }
                let found = try JSONFileCodec().decode(try #require(disk.bytes(of: "/data/file.json")))
                for (key, value) in expected { try #require(found[key] == .init(value), "seed \(seed), key \(key)") }
            }
        }
    }

    @Test func `a file with coarse times is not read again after a save of its own, where times can be set`() throws {
        let disk = SimulatedDisk(.init(clockTick: 4 * Self.millisecond, callDuration: 1_000, reusesInodes: true))
        try disk.makeFolders("/data")
        let process = disk.startProcess()
        let store = try ProcessDouble(
            path: "/data/file.json",
            options: FileStoreOptions(durability: .everyBatch, journal: .none),
            fileSystem: process
        )
        for number in 1...10 { try store.set(["key": .init(number)]) }
        #expect(process.callsOfProcess.filter { $0 == "read file.json" }.isEmpty)
    }
}
