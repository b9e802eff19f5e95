#if Etcd
import KeyspanCore
import KeyspanEtcd

/// Opening a store of many keys, next to one listing of them by the client.
struct OpeningBenchmarks {
    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [Benchmark] { [opening(connected: false), opening(connected: true), pages] }

    /// Shows what it costs to list in pages, as the store does.
    private var pages: Benchmark {
        Benchmark("client: range of \(plan.keys) keys in pages of 1000", rounds: plan.openings) { [plan, place] in
            let prefix = place.newPrefix()
            let client = try RawClient(at: place.writing)
            try client.fill(prefix, count: plan.keys)
            func range(_ name: String, pageSize: Int64) -> Workload {
                Workload(name, reporting: .nanoseconds) {
                    let start = Stopwatch.wall.now
                    let count = try client.range(prefix, pageSize: pageSize)
                    let time = Stopwatch.wall.now - start
                    try Self.check(count, is: plan.keys)
                    return time / .nanoseconds(1)
                }
            }
            return (range("range, pages", pageSize: 1_000), range("client: range", pageSize: 0))
        }
    }

    private func opening(connected isConnected: Bool) -> Benchmark {
        let floorName = isConnected ? "client: range" : "client: connect, range"
        let name = "EtcdStore: open \(plan.keys) keys\(isConnected ? ", beside a connected client" : "")"
        return Benchmark(name, rounds: plan.openings) { [plan, place] in
            let prefix = place.newPrefix()
            let connected = try RawClient(at: place.writing)
            try connected.fill(prefix, count: plan.keys)
            let subject = Workload("open", reporting: .nanoseconds) {
                let start = Stopwatch.wall.now
                let store = try place.open(prefix, at: place.writing)
                let time = Stopwatch.wall.now - start
                try Self.check(store.snapshot().count, is: plan.keys)
                return time / .nanoseconds(1)
            }
            let floor = Workload(floorName, reporting: .nanoseconds) {
                let start = Stopwatch.wall.now
                let client = isConnected ? connected : try RawClient(at: place.writing)
                let count = try client.range(prefix)
                let time = Stopwatch.wall.now - start
                try Self.check(count, is: plan.keys)
                return time / .nanoseconds(1)
            }
            return (subject, floor)
        }
    }

    private static func check(_ count: Int, is expected: Int) throws {
        guard count == expected else { throw BenchmarkError("\(count) entries in place of \(expected)") }
    }
}
#endif
