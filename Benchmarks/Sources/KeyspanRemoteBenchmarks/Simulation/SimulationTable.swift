#if Remote
import Foundation

/// The load that many clients put on an origin, as a table in Markdown.
struct SimulationTable {
    let population: Population
    let rules: ClientRules
    let seed: UInt64

    static let heading = """
        | event | clients | cache | requests | of which streams | refused | 304 | MB | MB of events | peak requests/s | \
        peak refused/s | peak MB/s | last client |
        |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
        """

    /// Runs the simulations one by one, and passes each row on.
    ///
    /// - Parameter filter: Only the rows whose first three cells contain this are made.
    func run(filter: String?, print: (String) -> Void) {
        print(Self.heading)
        for scenario in Scenario.all {
            for isLive in [false, true] {
                for group in Scenario.Group.allCases where scenario.concerns(isLive: isLive, group: group) {
                    for locations in [0, 100] {
                        var population = population
                        (population.isLive, population.group, population.cacheLocations) = (isLive, group, locations)
                        let cells = [
                            scenario.name, "\(isLive ? "live" : "polling"), \(group.rawValue)",
                            locations > 0 ? "yes" : "no",
                        ]
                        let name = cells.joined(separator: ", ")
                        guard filter.map({ name.lowercased().contains($0.lowercased()) }) ?? true else { continue }
                        var simulation = Simulation(scenario, population, rules: rules, seed: seed)
                        let row = cells + Self.cells(simulation.run())
                        print("| \(row.joined(separator: " | ")) |")
                    }
                }
            }
        }
    }

    private static func cells(_ outcome: Simulation.Outcome) -> [String] {
        let (origin, peaks) = (outcome.origin, outcome.origin.peaks)
        let answers = origin.documents + origin.notModified
        let eventBytes = origin.events * SimulatedOrigin.eventBytes
        return [
            count(origin.requests),
            count(origin.streams),
            count(origin.refused),
            answers == 0 ? "–" : String(format: "%.0f %%", 100 * Double(origin.notModified) / Double(answers)),
            megabytes(origin.bytes - eventBytes),
            megabytes(eventBytes),
            count(peaks.requests),
            count(peaks.refused),
            megabytes(peaks.bytes),
            outcome.last.map { String(format: "%.1f s", $0) } ?? "–",
        ]
    }

    private static func megabytes(_ bytes: Int) -> String {
        let megabytes = Double(bytes) / 1e6
        return megabytes < 10 ? String(format: "%.2f", megabytes) : count(Int(megabytes.rounded()))
    }

    /// A number with a comma before each three digits.
    private static func count(_ number: Int) -> String {
        let digits = String(number)
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            }
        )
    }
}
#endif
