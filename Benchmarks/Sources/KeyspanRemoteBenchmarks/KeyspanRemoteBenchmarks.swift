#if Remote
import ArgumentParser
import Foundation

/// Measures remote settings next to floors: the same jobs done without them.
@main
struct KeyspanRemoteBenchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan-remote-benchmarks",
        abstract: "Measure a publisher and its clients next to the least work of the same kind, and print one table.",
        subcommands: [SimulationCommand.self, ServerProcess.self, FleetProcess.self]
    )

    @Flag(help: "Run everything with tiny sizes, to see that it works; the figures mean nothing.")
    var smoke = false

    @Option(help: "Run only benchmarks whose names contain this, in upper or lower case.")
    var filter: String?

    /// Runs the benchmarks one by one; the first error ends the program.
    func run() async throws {
        let plan: RemotePlan = smoke ? .smoke : .full
        var rows: [Measurement] = []
        // Also after an error, which takes minutes of measurements with it otherwise.
        defer { print(Table(rows)) }
        if isWanted("simulation") {
            let population = Population(count: plan.simulatedClients)
            SimulationTable(population: population, rules: ClientRules(), seed: 1).run(filter: nil) { print($0) }
        }
        for group in Self.groups(plan: plan) where isWanted(group.name) {
            FileHandle.standardError.write(Data("\(group.name)\n".utf8))
            rows += try group.measure()
        }
    }

    private func isWanted(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }

    private static func groups(plan: RemotePlan) -> [(name: String, measure: () throws -> [Measurement])] {
        let benchmarks =
            ReadBenchmarks(plan: plan).all + DocumentBenchmarks(plan: plan).all + PublisherBenchmarks(plan: plan).all
            + DelayBenchmarks(plan: plan).all
        return benchmarks.map { benchmark in
            (benchmark.name, { try Measurement.measure(benchmark, plan: plan.measuring) })
        } + FleetBenchmarks(plan: plan).all
    }
}
#else
/// Says how to build the benchmarks of remote settings.
@main
struct KeyspanRemoteBenchmarks {
    static func main() {
        print("These benchmarks need HTTP: build them with --traits Remote.")
    }
}
#endif
