#if Etcd
import KeyspanCore
import KeyspanEtcd

/// Reads of a store on a cluster, next to those of a store in memory.
struct ReadBenchmarks {
    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [Benchmark] { [unchanged] }

    /// One key again and again.
    private var unchanged: Benchmark {
        Benchmark("EtcdStore: read Int, unchanged") { [plan, place] in
            let prefix = place.newPrefix()
            try RawClient(at: place.writing).fill(prefix, count: plan.keys)
            let defaults = Defaults(try place.open(prefix, at: place.writing))
            let memory = Defaults(InMemoryStore())
            for index in 0..<plan.keys { memory[Self.key(index)] = index }
            let key = Self.key(plan.keys / 2)
            guard defaults[key] == plan.keys / 2, memory[key] == defaults[key] else {
                throw BenchmarkError("the store does not have what was written to the cluster")
            }
            let operations = plan.measuring.operations
            return (
                Workload("read", operations: operations) { repeated(operations) { defaults[key] } },
                Workload("InMemoryStore, read", operations: operations) { repeated(operations) { memory[key] } }
            )
        }
    }

    private static func key(_ index: Int) -> Defaults.Key<Int> { Defaults.Key(ClusterPlace.name(index), default: -1) }
}
#endif
