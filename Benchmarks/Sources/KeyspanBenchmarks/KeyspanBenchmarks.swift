import ArgumentParser
import Foundation

/// Measures Keyspan next to floors: the least work that any implementation of the same job needs.
@main
struct KeyspanBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan-benchmarks",
        abstract: "Measure Keyspan next to floors, in turns, and print one table.",
        subcommands: [ObservingProcess.self, OpeningProcess.self]
    )

    @Flag(help: "Run everything with tiny sizes, to see that it works; the figures mean nothing.")
    var smoke = false

    @Option(help: "Run only benchmarks whose names contain this, in upper or lower case.")
    var filter: String?

    /// Runs the benchmarks one by one; the first error ends the program.
    func run() throws {
        let plan: Plan = smoke ? .smoke : .full
        let folder = try TemporaryFolder()
        folder.removeAtExit()
        let benchmarks = Self.benchmarks(plan: plan, folder: folder).filter { benchmark in
            filter.map { benchmark.name.lowercased().contains($0.lowercased()) } ?? true
        }
        guard !benchmarks.isEmpty else { throw ValidationError("No benchmark has such a name.") }
        var rows: [Measurement] = []
        // Also after an error, which takes minutes of measurements with it otherwise.
        defer { print(Table(rows)) }
        for benchmark in benchmarks {
            rows += try measure(benchmark, plan: plan)
        }
    }

    /// The rows of a benchmark; none, which is said, where something for it is not installed.
    private func measure(_ benchmark: Benchmark, plan: Plan) throws -> [Measurement] {
        say(benchmark.name)
        do {
            return try Measurement.measure(benchmark, plan: plan)
        } catch let missing as MissingPeer {
            say("left out: \(missing)")
            return []
        }
    }

    private func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }

    private static func benchmarks(plan: Plan, folder: TemporaryFolder) -> [Benchmark] {
        let kinds: [StoreKind] = [.memory, .file(folder)]
        let groups: [[Benchmark]] = [
            (kinds + [.layered]).flatMap { KindBenchmarks(plan: plan).common($0) },
            StandardStoreBenchmarks(plan: plan, folder: folder).all,
            (kinds + [.layered]).flatMap { InterferenceBenchmarks<Int>(kind: $0, plan: plan).all },
            (kinds + [.layered]).flatMap { InterferenceBenchmarks<String>(kind: $0, plan: plan).all },
            (kinds + [.layered]).map { LookupBenchmarks(kind: $0, plan: plan).inTurn },
            kinds.flatMap { CodableBenchmarks<Profile>(kind: $0, plan: plan).all },
            CodableBenchmarks<StructuredProfile>(kind: .memory, plan: plan).all,
            KindBenchmarks(plan: plan).others,
            kinds.flatMap { ApplyingBenchmarks(kind: $0, plan: plan).all },
            (kinds + [.layered]).flatMap { ObserverBenchmarks(kind: $0, plan: plan).all },
            (kinds + [.fileOfOneProcess(folder)]).map { BatchBenchmarks(kind: $0, plan: plan).update },
            (kinds + [.fileOfOneProcess(folder), .layered]).flatMap { ChangeBenchmarks(kind: $0, plan: plan).all },
            (kinds + [.layered]).flatMap { ThreadBenchmarks(kind: $0, plan: plan).all },
            kinds.flatMap { SnapshotBenchmarks(kind: $0, plan: plan).all },
            OpeningBenchmarks(plan: plan, folder: folder).all,
            NestedFileBenchmarks(plan: plan, folder: folder).all,
            MemoryBenchmarks(plan: plan, folder: folder).all,
            StartingBenchmarks(plan: plan, folder: folder).all,
            SavingBenchmarks(plan: plan, folder: folder).all,
            ConcurrentSavingBenchmarks(plan: plan, folder: folder).all,
            NoticingBenchmarks(plan: plan, folder: folder).all,
            PeerBenchmarks(plan: plan, folder: folder).all,
            EveryStore.allCases.flatMap { EveryStoreBenchmarks(kind: $0, plan: plan, folder: folder).all },
        ]
        return groups.flatMap { $0 }
    }
}
