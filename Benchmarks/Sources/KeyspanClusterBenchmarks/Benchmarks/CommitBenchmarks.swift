#if Etcd
import Foundation
import KeyspanCore
import KeyspanEtcd

/// Commits of one key, next to writes by the client alone at the same member.
struct CommitBenchmarks {
    private static let name = ClusterPlace.name(0)

    let plan: ClusterPlan
    let place: ClusterPlace

    var all: [Benchmark] { [commit, transaction, echo] }

    private var commit: Benchmark {
        Benchmark("EtcdStore: commit of one key", rounds: plan.writes, showsTail: true) { [place] in
            let store = try place.open(place.newPrefix(), at: place.writing)
            let floor = try rawPut()
            var number = 0
            let subject = Workload("commit", reporting: .nanoseconds) {
                number += 1
                let batch = PropertyListBatch(.set(number.propertyListValue, key: Self.name))
                let start = Stopwatch.wall.now
                try store.apply(batch)
                return (Stopwatch.wall.now - start) / .nanoseconds(1)
            }
            return (subject, floor)
        }
    }

    /// Shows what the store's marker costs.
    private var transaction: Benchmark {
        Benchmark("client: put with a marker", rounds: plan.writes, showsTail: true) { [place] in
            let client = try RawClient(at: place.writing)
            let prefix = place.newPrefix()
            let lease = Int64.random(in: 1...(.max))
            try client.run { try await $0.grantLease(lease, seconds: 3600) }
            let floor = try rawPut()
            let marker = Data("\(prefix).keyspan/writers/benchmark".utf8)
            var (number, revision): (Int, Int64) = (0, 0)
            let subject = Workload("put, marker", reporting: .nanoseconds) {
                number += 1
                var request = Etcdserverpb_TxnRequest.put([(prefix + Self.name, number)])
                request.markWriter(marker, lease: lease, number: number, after: revision)
                let (time, written) = try client.run { [request] calls in
                    let start = Stopwatch.wall.now
                    let response = try await calls.commit(request)
                    guard response.succeeded else { throw BenchmarkError("the marker has changed") }
                    return (Stopwatch.wall.now - start, response.header.revision)
                }
                revision = written
                return time / .nanoseconds(1)
            }
            return (subject, floor)
        }
    }

    /// Shows what it costs to wait until the watch of the same connection has the change too.
    private var echo: Benchmark {
        Benchmark("client: put, seen by its own watch", rounds: plan.writes, showsTail: true) { [place] in
            let client = try RawClient(at: place.writing)
            let prefix = place.newPrefix()
            let arrivals = Arrivals()
            try client.watch(prefix) { arrivals.note(text: $1) }
            let floor = try rawPut()
            var number = 0
            let subject = Workload("put, watch", reporting: .nanoseconds) {
                number += 1
                let start = Stopwatch.wall.now
                let time = try client.put(number, forKey: prefix + Self.name)
                return max(time, try arrivals.time(of: number) - start) / .nanoseconds(1)
            }
            return (subject, floor)
        }
    }

    private func rawPut() throws -> Workload {
        let client = try RawClient(at: place.writing)
        let key = place.newPrefix() + Self.name
        var number = 0
        return Workload("client: put", reporting: .nanoseconds) {
            number += 1
            return try client.put(number, forKey: key) / .nanoseconds(1)
        }
    }
}

extension Etcdserverpb_TxnRequest {
    /// Adds what the store adds to its transactions: a numbered entry, which must be as the last transaction left it.
    fileprivate mutating func markWriter(_ marker: Data, lease: Int64, number: Int, after revision: Int64) {
        var compare = Etcdserverpb_Compare()
        (compare.key, compare.result, compare.target) = (marker, .equal, .mod)
        compare.modRevision = revision
        var put = Etcdserverpb_PutRequest()
        (put.key, put.value, put.lease) = (marker, Data("\(number)".utf8), lease)
        var operation = Etcdserverpb_RequestOp()
        operation.requestPut = put
        self.compare.append(compare)
        success.append(operation)
    }
}
#endif
