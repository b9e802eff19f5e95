import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

/// Two processes on one machine: a victim that saves batches until it is killed, and a survivor that goes on.
struct SurvivorScenario: Sendable, CustomTestStringConvertible {
    /// The writes that the survivor acknowledges.
    enum Deed: String, Sendable, CaseIterable {
        /// The values that it finds, which it writes once more.
        case repetition
        /// A key of its own.
        case addition
    }

    /// The facts when a machine has stopped.
    struct Run {
        var disk: SimulatedDisk
        let victimWasKilled: Bool
        let survivorWasKilled: Bool
        /// The last batch that either of them acknowledged; `nil` if neither did.
        var acknowledged: Int?
        /// Whether the survivor acknowledged its own key.
        var addedKey = false
        /// The calls of both.
        let history: String
    }

    let base: DurabilityScenario
    let deed: Deed
    /// Whether the survivor has the file open before the victim does.
    let isOpenBefore: Bool

    var testDescription: String { "\(deed), open \(isOpenBefore ? "before" : "afterwards"), \(base.testDescription)" }

    private static let modes: [FileStoreOptions] = [
        FileStoreOptions(), .oneFile, FileStoreOptions(durability: .everyBatch),
        FileStoreOptions(durability: .everyBatch, journal: .none), FileStoreOptions(recovery: .lastGoodCopy),
    ]

    static let all = modes.flatMap { options in
        [DurabilityScenario.Start.noFolder, .noFile, .file].flatMap { start in
            Deed.allCases.flatMap { deed in
                [false, true].map { isOpenBefore in
                    let base = DurabilityScenario(start: start, reordersNames: true, options: options)
                    return SurvivorScenario(base: base, deed: deed, isOpenBefore: isOpenBefore)
                }
            }
        }
    }

    /// Scenarios for tests that multiply.
    static let typical =
        TestLevel.current == .exhaustive ? all : all.filter { $0.base.start == .file && !$0.isOpenBefore }

    /// Lets both run.
    func run(victimKilledAtCall call: Int, survivorKilledAtCall laterCall: Int? = nil) throws -> Run {
        let disk = try base.makeDisk()
        let (first, second) = (disk.startProcess(killedAtCall: call), disk.startProcess(killedAtCall: laterCall))
        var survivor = isOpenBefore ? try? open(on: second) : nil
        var acknowledged = base.run(on: first)
        var addedKey = false
        do {
            survivor = try survivor ?? open(on: second)
            if let survivor {
                survivor.look()
                try act(as: survivor, &acknowledged, &addedKey)
            }
        } catch  where second.wasKilled {}
        var run = Run(
            disk: disk,
            victimWasKilled: first.wasKilled,
            survivorWasKilled: second.wasKilled,
            acknowledged: acknowledged,
            addedKey: addedKey,
            history: "\(first.callsOfProcess), then \(second.callsOfProcess)"
        )
        // The machine has stopped by now: what the survivor does when it is released is not to count.
        run.disk = disk.afterProcessesWereKilled()
        withExtendedLifetime(survivor) {}
        return run
    }

    /// The fault in a disk that the machine finds when it starts again; `nil` if there is none.
    func problem(with disk: SimulatedDisk, after run: Run) -> String? {
        if let problem = base.problem(with: disk, after: run.acknowledged) { return problem }
        guard run.addedKey else { return nil }
        return (try? base.open(on: disk))?.value(forKey: "added") == true ? nil : "the key of the survivor is lost"
    }

    private func act(as survivor: ProcessDouble, _ acknowledged: inout Int?, _ addedKey: inout Bool) throws {
        let found = base.number(ofBatchIn: survivor.store.snapshot())
        if deed == .repetition {
            guard let found else { return }
            try survivor.store.apply(DurabilityScenario.batch(found))
            try survivor.store.synchronize()
            acknowledged = max(found, acknowledged ?? found)
        } else {
            try survivor.save(["added": true])
            addedKey = true
        }
    }

    private func open(on disk: SimulatedDisk) throws -> ProcessDouble {
        try ProcessDouble(path: DurabilityScenario.path, format: base.format, options: base.options, fileSystem: disk)
    }
}
