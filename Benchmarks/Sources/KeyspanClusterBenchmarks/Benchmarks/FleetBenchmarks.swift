#if Etcd
/// Many stores on one prefix, next to as many connections with a watch by the client alone.
struct FleetBenchmarks {
    /// The key that changes.
    static let name = ClusterPlace.name(0)

    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [(name: String, measure: () throws -> [Measurement])] {
        plan.fleets.map { size in
            let name = "\(size.clients) EtcdStores in \(size.processes) process\(size.processes == 1 ? "" : "es")"
            return (name, { try measure(name, clients: size.clients, processes: size.processes) })
        }
    }

    private func measure(_ name: String, clients: Int, processes: Int) throws -> [Measurement] {
        let stores = try Fleet(of: .store, clients: clients, processes: processes, place: place)
        let connections = try Fleet(of: .client, clients: clients, processes: processes, place: place)
        let client = try RawClient(at: place.writing)
        var delays: [(subject: Double, floor: Double)] = []
        for number in 1...plan.changes {
            delays.append((try stores.delay(of: number, by: client), try connections.delay(of: number, by: client)))
        }
        func row(_ part: String, _ unit: Unit, _ figure: (FleetReport) -> Double) -> Measurement {
            row(part, unit, stores.reports.map(figure), connections.reports.map(figure))
        }
        func row(_ part: String, _ unit: Unit, _ subjects: [Double], _ floors: [Double]) -> Measurement {
            let (subject, floor) = (Figures(subjects), Figures(floors))
            return Measurement(
                name: "\(name): \(part)",
                floorName: "client: connection, watch",
                unit: unit,
                subject: subject,
                floor: floor,
                ratio: subject.typical / floor.typical,
                allocations: nil,
                bytes: nil
            )
        }
        return [
            row("open another", .nanoseconds, \.openingNanoseconds),
            row("memory of another", .bytes, \.bytes),
            row("last one notified", .nanoseconds, delays.map(\.subject), delays.map(\.floor)),
        ]
    }
}
#endif
