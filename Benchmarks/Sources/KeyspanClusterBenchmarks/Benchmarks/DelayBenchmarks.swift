#if Etcd
import Foundation
import KeyspanCore
import KeyspanEtcd

/// The time from a write until somebody on another connection, to another member, is notified.
struct DelayBenchmarks {
    private static let name = ClusterPlace.name(0)

    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [Benchmark] { [commitToObserver, sameChange] }

    /// Two stores, next to two clients.
    private var commitToObserver: Benchmark {
        Benchmark("EtcdStore: commit until observed by another", rounds: plan.writes, showsTail: true) { [place] in
            let prefix = place.newPrefix()
            let (store, other) = try (place.open(prefix, at: place.writing), place.open(prefix, at: place.watching))
            let seen = Arrivals()
            let observation = other.observe(.named([Self.name]), initial: false) { seen.note($0, of: Self.name) }
            var number = 0
            let subject = Workload("commit, observer", reporting: .nanoseconds) {
                number += 1
                let batch = PropertyListBatch(.set(number.propertyListValue, key: Self.name))
                let start = Stopwatch.wall.now
                try store.apply(batch)
                let time = try withExtendedLifetime((observation, other)) { try seen.time(of: number) }
                return (time - start) / .nanoseconds(1)
            }
            let (client, watching) = try (RawClient(at: place.writing), RawClient(at: place.watching))
            let key = place.newPrefix()
            let received = Arrivals()
            try watching.watch(key) { received.note(text: $1) }
            let floor = Workload("client: put, watch of another", reporting: .nanoseconds) {
                number += 1
                let start = Stopwatch.wall.now
                try client.put(number, forKey: key + Self.name)
                return try withExtendedLifetime(watching) { (try received.time(of: number) - start) / .nanoseconds(1) }
            }
            return (subject, floor)
        }
    }

    /// A store and a client that are notified of the same write, so that the time of the write is the same.
    private var sameChange: Benchmark {
        Benchmark("EtcdStore: put until observed", rounds: plan.writes, showsTail: true) { [place] in
            let prefix = place.newPrefix()
            let (client, watching) = try (RawClient(at: place.writing), RawClient(at: place.watching))
            let store = try place.open(prefix, at: place.watching)
            let (seen, received) = (Arrivals(), Arrivals())
            let observation = store.observe(.named([Self.name]), initial: false) { seen.note($0, of: Self.name) }
            try watching.watch(prefix) { received.note(text: $1) }
            var (number, start) = (0, Duration.zero)
            let subject = Workload("put, observer", reporting: .nanoseconds) {
                number += 1
                start = Stopwatch.wall.now
                try client.put(number, forKey: prefix + Self.name)
                let time = try withExtendedLifetime((observation, store)) { try seen.time(of: number) }
                return (time - start) / .nanoseconds(1)
            }
            let floor = Workload("client: watch, of the same put", reporting: .nanoseconds) {
                // The first call is one of its own.
                try withExtendedLifetime(watching) { (try received.time(of: number) - start) / .nanoseconds(1) }
            }
            return (subject, floor)
        }
    }
}

extension Arrivals {
    /// Notes the number that an entry has as its text, if it is one.
    func note(text: Data) {
        guard let number = Int(String(decoding: text, as: UTF8.self)) else { return }
        note(number)
    }
}
#endif
