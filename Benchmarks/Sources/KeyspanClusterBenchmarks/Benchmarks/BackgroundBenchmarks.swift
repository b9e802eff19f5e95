#if Etcd
import KeyspanCore
import KeyspanEtcd

/// Writes of many keys in the background, next to the same writes one after the other.
struct BackgroundBenchmarks {
    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [Benchmark] { [background] }

    /// The time of one write.
    private var background: Benchmark {
        Benchmark("EtcdStore: background write of another key, synchronized", rounds: plan.measuring.rounds) {
            [plan, place] in
            let store = try place.open(place.newPrefix(), at: place.writing) { $0.writes = .background() }
            let names = (0..<plan.backgroundWrites).map(ClusterPlace.name)
            var number = 0
            let subject = Workload("write", reporting: .nanoseconds) {
                number += 1
                let start = Stopwatch.wall.now
                for name in names {
                    try store.apply(PropertyListBatch(.set(number.propertyListValue, key: name)))
                }
                try store.synchronize()
                return (Stopwatch.wall.now - start) / .nanoseconds(1) / Double(names.count)
            }
            let client = try RawClient(at: place.writing)
            let prefix = place.newPrefix()
            // A part of the keys: a write costs the same whatever their number.
            let requests = names.prefix(max(names.count / 20, 1)).map { prefix + $0 }
            let floor = Workload("client: put", reporting: .nanoseconds) {
                number += 1
                let time = try client.run { [number] calls in
                    let start = Stopwatch.wall.now
                    for key in requests { _ = try await calls.commit(.put([(key, number)])) }
                    return Stopwatch.wall.now - start
                }
                return time / .nanoseconds(1) / Double(requests.count)
            }
            return (subject, floor)
        }
    }
}
#endif
