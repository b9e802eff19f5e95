#if Remote
import Foundation
import KeyspanCore
import KeyspanRemote

/// The time from a change in the process of a server until it is in force at a client on a stream.
struct DelayBenchmarks {
    let plan: RemotePlan

    var all: [Benchmark] { [changeToObserver] }

    private var changeToObserver: Benchmark {
        Benchmark("RemoteStore: change at the server until observed", rounds: plan.changes, showsTail: true) {
            let key = try SigningKey.generate(id: "benchmark")
            let (server, other) = try (
                RunningServer(.publisher, keys: 20, signingKey: key), RunningServer(.bytes, keys: 20, signingKey: key)
            )
            guard let url = server.url else { throw BenchmarkError("no URL") }
            var options = RemoteStoreOptions()
            options.isLive = true
            let store = try RemoteStore(
                url: url,
                keys: PublishedSettings.keys(count: 20),
                verificationKeys: [key.verificationKey],
                name: PublishedSettings.publisherName,
                options: options
            )
            let seen = Arrivals()
            let name = PublishedSettings.number.name
            let observation = store.observe(.named([name]), initial: true) { seen.note($0, of: name) }
            while try server.report().streams == 0 { Thread.sleep(forTimeInterval: 0.01) }
            var number = 0
            let subject = Workload("change, observer", reporting: .nanoseconds) {
                number += 1
                // The store lets events hasten at most one request a second.
                Thread.sleep(forTimeInterval: 1.05)
                let start = try server.change(to: number)
                let time = try withExtendedLifetime((observation, store)) { try seen.time(of: number) }
                return time / .nanoseconds(1) - start
            }
            let fleet = try Fleet(clients: 1, processes: 1, port: other.port)
            let floor = Workload("bytes to a connection", reporting: .nanoseconds) {
                let start = try other.change(to: number)
                return try fleet.arrivals()[0] - start
            }
            return (subject, floor)
        }
    }
}
#endif
