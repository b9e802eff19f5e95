#if Remote
import KeyspanCore
import KeyspanRemote

/// Reads of a store whose values came from a publisher, next to those of a store in memory.
struct ReadBenchmarks {
    let plan: RemotePlan

    var all: [Benchmark] { [unchanged, inTurn] }

    /// One key again and again.
    private var unchanged: Benchmark {
        Benchmark("RemoteStore: read Int, unchanged") { [plan] in
            let (remote, memory) = try Self.stores(count: plan.keys)
            let key = PublishedSettings.number
            let operations = plan.measuring.operations
            return (
                Workload("read", operations: operations) { repeated(operations) { remote[key] } },
                Workload("InMemoryStore, read", operations: operations) { repeated(operations) { memory[key] } }
            )
        }
    }

    /// Each key once, through a key that was just made and so has kept nothing.
    private var inTurn: Benchmark {
        Benchmark("RemoteStore: read String, each key") { [plan] in
            let (remote, memory) = try Self.stores(count: plan.keys)
            let indices = 0..<plan.keys
            return (
                Workload("read", operations: plan.keys) { for index in indices { blackHole(remote[.text(index)]) } },
                Workload("InMemoryStore, read", operations: plan.keys) {
                    for index in indices { blackHole(memory[.text(index)]) }
                }
            )
        }
    }

    private static func stores(count: Int) throws -> (remote: Defaults, memory: Defaults) {
        let key = try SigningKey.generate(id: "benchmark")
        let settings = try PublishedSettings(count: count, signingKey: key)
        settings.change(to: 1)
        let document = try settings.document()
        let store = try DocumentTransport([document]).makeStore(count: count, verificationKey: key.verificationKey)
        _ = try waiting { try await store.fetch() }
        let (remote, memory) = (Defaults(store), Defaults(settings.store))
        guard remote[PublishedSettings.number] == 1, remote[.text(0)] == memory[.text(0)] else {
            throw BenchmarkError("the store does not have what was published")
        }
        return (remote, memory)
    }
}

extension Defaults.Key<String> {
    fileprivate static func text(_ index: Int) -> Defaults.Key<String> { PublishedSettings.text(index) }
}
#endif
