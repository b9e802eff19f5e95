#if Remote
import Foundation
import KeyspanRemote

/// Many clients on the stream of a publisher, next to as many of a server that writes bytes to all its connections.
struct FleetBenchmarks {
    /// What one of the servers costs.
    private struct Costs {
        /// Of each client, in bytes.
        var memory = 0.0
        /// Of each change for each client, in nanoseconds.
        var processorTimes: [Double] = []
        /// From the change until half of the clients have it, and until the last one does.
        var (medians, lasts): ([Double], [Double]) = ([], [])
    }

    /// A server with its clients.
    private final class Side {
        let server: RunningServer
        let fleet: Fleet
        private(set) var costs = Costs()

        init(_ kind: ServerProcess.Kind, clients: Int, processes: Int) throws {
            server = try RunningServer(kind, keys: 20, signingKey: SigningKey.generate(id: "benchmark"))
            // The first connections and changes need more than another one.
            let first = try Fleet(clients: processes, processes: processes, port: server.port)
            _ = try server.change(to: 0)
            _ = try first.arrivals()
            let before = try server.report()
            fleet = try Fleet(clients: clients, processes: processes, port: server.port)
            costs.memory = (try server.report().memory - before.memory) / Double(clients)
            withExtendedLifetime(first) {}
        }

        func change(to number: Int, clients: Int) throws {
            let before = try server.report()
            let start = try server.change(to: number)
            let delays = try fleet.arrivals().map { $0 - start }
            let figures = Figures(delays)
            costs.medians.append(figures.typical)
            costs.lasts.append(figures.maximum)
            costs.processorTimes.append((try server.report().processorTime - before.processorTime) / Double(clients))
        }
    }

    let plan: RemotePlan

    var all: [(name: String, measure: () throws -> [Measurement])] {
        plan.fleets.map { size in
            let name = "\(size.clients) streams to \(size.processes) process\(size.processes == 1 ? "" : "es")"
            return (name, { try measure(name, clients: size.clients, processes: size.processes) })
        }
    }

    private func measure(_ name: String, clients: Int, processes: Int) throws -> [Measurement] {
        let publisher = try Side(.publisher, clients: clients, processes: processes)
        let bytes = try Side(.bytes, clients: clients, processes: processes)
        for number in 1...plan.fleetChanges {
            try publisher.change(to: number, clients: clients)
            try bytes.change(to: number, clients: clients)
        }
        func row(_ part: String, _ unit: Unit, _ figures: (Costs) -> [Double]) -> Measurement {
            let (subject, floor) = (Figures(figures(publisher.costs)), Figures(figures(bytes.costs)))
            return Measurement(
                name: "\(name): \(part)",
                floorName: "bytes to all connections",
                unit: unit,
                subject: subject,
                floor: floor,
                ratio: subject.typical / floor.typical,
                allocations: nil,
                bytes: nil
            )
        }
        return [
            row("memory of the server for each", .bytes) { [$0.memory] },
            row("change until half of them have it", .nanoseconds, \.medians),
            row("change until the last one has it", .nanoseconds, \.lasts),
            row("processor time of the server for each", .nanoseconds, \.processorTimes),
        ]
    }
}
#endif
