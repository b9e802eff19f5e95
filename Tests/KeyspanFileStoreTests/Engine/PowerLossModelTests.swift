import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Processes write, publish, save, make checkpoints, die and lose the power in random order; the run goes on with what the
/// machine then finds.
@Suite(.heavy, .seeded) struct PowerLossModelTests {
    @Test(arguments: [false, true])
    func `no power loss takes an acknowledged batch, or a part of one`(flushesFail: Bool) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(3, thorough: 200, exhaustive: 10_000)) {
            var model = try PowerLossModel(seed: seed, flushesFail: flushesFail)
            for _ in 0..<40 { try model.step() }
            try model.losePower()
        }
    }
}

/// Batch `n` of a process gives two keys of its own a text that tells `n`.
private struct PowerLossModel {
    private final class Actor {
        var options: FileStoreOptions
        var fileSystem: FaultyFileSystem
        var process: ProcessDouble?
        /// The last batch, and the last one that a process has acknowledged.
        var (last, acknowledged) = (0, 0)

        init(_ options: FileStoreOptions, on disk: SimulatedDisk) {
            self.options = options
            fileSystem = FaultyFileSystem(disk.startProcess())
        }

        /// Stops the process at once: it does nothing more when it is released.
        func stop() {
            fileSystem.inject(.crash(call: 1))
            process = nil
        }
    }

    private static let path = "/data/app/settings.json"
    private let seed: UInt64
    private let flushesFail: Bool
    private var random: SeededGenerator
    private var disk: SimulatedDisk
    private var actors: [Actor] = []
    private var count = 0

    init(seed: UInt64, flushesFail: Bool) throws {
        (self.seed, self.flushesFail) = (seed, flushesFail)
        random = SeededGenerator(seed: seed)
        disk = SimulatedDisk(.init(reordersNames: Bool.random(using: &random), callDuration: 1_000))
        if Bool.random(using: &random) { try disk.write(Array("{ }".utf8), to: Self.path) }
        for _ in 0..<3 { actors.append(Actor(anyOptions(), on: disk)) }
    }

    private mutating func anyOptions() -> FileStoreOptions {
        FileStoreOptions.modes.randomElement(using: &random) ?? FileStoreOptions()
    }

    mutating func step() throws {
        let number = Int.random(in: 0..<actors.count, using: &random)
        let actor = actors[number]
        let process =
            try actor.process ?? ProcessDouble(path: Self.path, options: actor.options, fileSystem: actor.fileSystem)
        actor.process = process
        let choice = Int.random(in: 0..<20, using: &random)
        // Not in the step that kills a process: Linux reports a failed flush to nobody else then, and later flushes succeed.
        if flushesFail, choice != 17, Int.random(in: 0..<3, using: &random) == 0 {
            disk.failFlush(number: .random(in: 1...2, using: &random))
        }
        switch choice {
        case 0..<8: write(number)
        case 8..<12: try synchronize(number)
        // Long enough to publish, and too short for a checkpoint, which would flush everything.
        case 12..<16: process.pass(.milliseconds(1))
        case 16: process.passTime()
        case 17: try kill(number)
        case 18: try losePower()
        default: disk.passTime(.random(in: 0...5_000_000_000, using: &random))
        }
        disk.failFlush(number: nil)
        for process in actors.compactMap(\.process) { check(process.store.snapshot(), isOnDisk: false) }
    }

    /// Applies the next batch of a process.
    private mutating func write(_ number: Int) {
        let (actor, batch) = (actors[number], nextBatch(of: number))
        do throws(StoreError) {
            try actor.process?.store.apply(batch)
            if actor.options.durability == .everyBatch { actor.acknowledged = count }
        } catch {
            #expect(flushesFail, "seed \(seed): \(error)")
        }
    }

    /// Makes the next batch of a process, which may depend on the last one, so that it is decided in the file.
    private mutating func nextBatch(of number: Int) -> PropertyListBatch {
        count += 1
        let actor = actors[number]
        var batch = PropertyListBatch()
        for key in ["a\(number)", "b\(number)"] {
            if Bool.random(using: &random) { batch.expect(actor.process?[key], forKey: key) }
            batch.set(Self.text(count), forKey: key)
        }
        actor.last = count
        return batch
    }

    /// Lets a process acknowledge all that it has, which may be others' batches.
    private mutating func synchronize(_ number: Int) throws {
        guard let process = actors[number].process else { return }
        do throws(StoreError) {
            try process.store.synchronize()
        } catch {
            #expect(flushesFail, "seed \(seed): \(error)")
            return
        }
        for (number, actor) in actors.enumerated() {
            actor.acknowledged = max(actor.acknowledged, Self.number(of: process["a\(number)"]) ?? 0)
        }
        try checkCrashes()
    }

    /// Kills a process at one of the calls of its next batch.
    private mutating func kill(_ number: Int) throws {
        let (actor, batch) = (actors[number], nextBatch(of: number))
        actor.fileSystem.inject(.crash(call: .random(in: 1...15, using: &random)))
        if (try? actor.process?.store.applyAndSynchronize(batch)) != nil { actor.acknowledged = count }
        actor.stop()
        actor.fileSystem = FaultyFileSystem(disk.startProcess())
        try checkCrashes()
    }

    /// Goes on with one of the disks that a power loss may leave.
    mutating func losePower() throws {
        var choices = RandomChoices(SeededGenerator(seed: random.next()))
        disk = disk.crash(choosing: &choices)
        for actor in actors { actor.stop() }
        let table = try check(disk)
        for (number, actor) in actors.enumerated() {
            actor.options = anyOptions()
            actor.fileSystem = FaultyFileSystem(disk.startProcess())
            // From now on this is on the disk.
            actor.acknowledged = Self.number(of: table["a\(number)"]) ?? 0
        }
    }

    private mutating func checkCrashes() throws {
        for found in disk.crashes(enumerated: 2, sampled: 3, seed: random.next()) { try check(found) }
    }

    @discardableResult
    private func check(_ found: SimulatedDisk) throws -> PropertyListTable {
        let table = try ProcessDouble(path: Self.path, fileSystem: found.afterProcessesWereKilled()).store.snapshot()
        check(table, isOnDisk: true)
        return table
    }

    private func check(_ table: PropertyListTable, isOnDisk: Bool) {
        for (number, actor) in actors.enumerated() {
            let value = table["a\(number)"]
            let found = Self.number(of: value)
            #expect(value == table["b\(number)"], "seed \(seed): a batch of \(number) is not whole")
            #expect((value == nil) == (found == nil), "seed \(seed): nobody has stored this")
            #expect(found ?? 0 <= actor.last, "seed \(seed)")
            if isOnDisk { #expect(found ?? 0 >= actor.acknowledged, "seed \(seed): a batch of \(number) is lost") }
        }
    }

    /// A text that tells the number, sometimes longer than a sector.
    private static func text(_ number: Int) -> PropertyListValue {
        let length = number.isMultiple(of: 5) ? number * 104_729 % 1_500 : number % 7
        return .string("\(number) " + String(repeating: "*", count: length))
    }

    private static func number(of value: PropertyListValue?) -> Int? {
        guard case .string(let text)? = value, let number = Int(text.prefix { $0 != " " }) else { return nil }
        return self.text(number) == value ? number : nil
    }
}
