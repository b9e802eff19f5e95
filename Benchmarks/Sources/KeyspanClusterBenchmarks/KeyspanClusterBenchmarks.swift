#if Etcd
import ArgumentParser
import Foundation

/// Measures the cluster store next to floors: the same jobs done by its gRPC client alone.
@main
struct KeyspanClusterBenchmarks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan-cluster-benchmarks",
        abstract: "Measure a store on an etcd cluster next to its gRPC client alone, in turns, and print one table.",
        subcommands: [FleetProcess.self]
    )

    // The client of the floors has a `Flag` too.
    @ArgumentParser.Flag(help: "Run everything with tiny sizes, to see that it works; the figures mean nothing.")
    var smoke = false

    @Option(help: "Run only benchmarks whose names contain this, in upper or lower case.")
    var filter: String?

    @Option(help: "The members of a cluster, as host:port with commas between; else three start on loopback.")
    var endpoints: String?

    /// Runs the benchmarks one by one; the first error ends the program.
    func run() throws {
        // Each of a thousand clients has a connection.
        try OpenFiles.raiseLimit()
        let plan: ClusterPlan = smoke ? .smoke : .full
        let started = try endpoints == nil ? TestCluster() : nil
        defer { started?.stop() }
        let members = started?.endpoints ?? endpoints?.split(separator: ",").map(String.init) ?? []
        let place = try ClusterPlace(members)
        defer { place.clear() }
        var rows: [Measurement] = []
        // Also after an error, which takes minutes of measurements with it otherwise.
        defer { print(Table(rows)) }
        for group in Self.groups(plan: plan, place: place) where isWanted(group.name) {
            FileHandle.standardError.write(Data("\(group.name)\n".utf8))
            rows += try group.measure()
        }
    }

    private func isWanted(_ name: String) -> Bool {
        filter.map { name.lowercased().contains($0.lowercased()) } ?? true
    }

    private static func groups(
        plan: ClusterPlan,
        place: ClusterPlace
    ) -> [(name: String, measure: () throws -> [Measurement])] {
        let benchmarks = [
            ReadBenchmarks(plan: plan, place: place).all,
            CommitBenchmarks(plan: plan, place: place).all,
            DelayBenchmarks(plan: plan, place: place).all,
            BackgroundBenchmarks(plan: plan, place: place).all,
            OpeningBenchmarks(plan: plan, place: place).all,
        ]
        return benchmarks.flatMap { $0 }.map { benchmark in
            (benchmark.name, { try Measurement.measure(benchmark, plan: plan.measuring) })
        } + FleetBenchmarks(plan: plan, place: place).all
    }
}
#else
/// Says how to build the benchmarks of the cluster store.
@main
struct KeyspanClusterBenchmarks {
    static func main() {
        print("These benchmarks need gRPC: build them with --traits Etcd.")
    }
}
#endif
