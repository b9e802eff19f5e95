import ArgumentParser
import Foundation

/// Measures Keyspan next to floors: the least work that any implementation of the same job needs.
@main
struct KeyspanBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan-benchmarks",
        abstract: "Measure Keyspan next to floors, in turns, and print one table."
    )

    @Flag(help: "Run everything with tiny sizes, to see that it works; the figures mean nothing.")
    var smoke = false

    @Option(help: "Run only benchmarks whose names contain this, in upper or lower case.")
    var filter: String?

    /// Runs the benchmarks one by one; the first error ends the program.
    func run() throws {
        let plan: Plan = smoke ? .smoke : .full
        let folder = try TemporaryFolder()
        // Last, because the stores that still save when they are released are gone by then.
        defer { folder.remove() }
        let benchmarks = Self.benchmarks(plan: plan, folder: folder).filter { benchmark in
            filter.map { benchmark.name.lowercased().contains($0.lowercased()) } ?? true
        }
        guard !benchmarks.isEmpty else { throw ValidationError("No benchmark has such a name.") }
        print(Table(try benchmarks.map { try measure($0, plan: plan) }))
    }

    private func measure(_ benchmark: Benchmark, plan: Plan) throws -> Measurement {
        FileHandle.standardError.write(Data("\(benchmark.name)\n".utf8))
        return try Measurement(benchmark, plan: plan)
    }

    private static func benchmarks(plan: Plan, folder: TemporaryFolder) -> [Benchmark] {
        let kinds: [StoreKind] = [.memory, .file(folder)]
        let groups: [[Benchmark]] = [
            (kinds + [.layered]).flatMap { KindBenchmarks(plan: plan).common($0) },
            [StandardStoreBenchmarks.read(plan: plan)],
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
            SavingBenchmarks(plan: plan, folder: folder).all,
            EveryStore.allCases.flatMap { EveryStoreBenchmarks(kind: $0, plan: plan, folder: folder).all },
        ]
        return groups.flatMap { $0 }
    }
}
