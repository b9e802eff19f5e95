#if Remote
import ArgumentParser

/// Simulates the clients of an origin, and prints the load that they put on it.
struct SimulationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate a million clients, and print the load of their origin as a table in Markdown."
    )

    @Option(help: "The seed of all chance; runs with the same seed print the same.")
    var seed: UInt64 = 1

    @Option(help: "The number of clients.")
    var clients = 1_000_000

    @Option(help: "The requests in a second above which the origin refuses the rest.")
    var capacity: Int?

    // Not `--filter`, which is an option of the command above.
    @Option(help: "Simulate only rows whose first cells contain this, such as \"an outage, live\".")
    var rows: String?

    func validate() throws {
        guard (1...50_000_000).contains(clients) else { throw ValidationError("--clients must be from 1 to 50000000.") }
        guard capacity.map({ $0 > 0 }) ?? true else { throw ValidationError("--capacity must be at least 1.") }
    }

    func run() {
        var population = Population()
        (population.count, population.capacity) = (clients, capacity)
        SimulationTable(population: population, rules: ClientRules(), seed: seed).run(filter: rows) { print($0) }
    }
}
#endif
