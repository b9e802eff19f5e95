import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// The entries that stores write along with their transactions, and their leases.
@Suite(.heavy, .serialized) struct MarkerTests {
    private let cluster = SimulatedCluster(members: 3)

    /// The keys of the markers that are there.
    private var markers: [Data] {
        cluster.history.entries.keys.filter { $0.starts(with: Data("app/.keyspan/".utf8)) }
    }

    @Test func `a marker that takes the place of another one leaves no lease of that`() throws {
        let store = try SimulatedStore(of: cluster)
        for value in 1...3 {
            try store.write(.integer(PropertyListInteger(value)), forKey: "key")
            for marker in markers { cluster.remove(String(decoding: marker, as: UTF8.self)) }
        }
        try store.write(4, forKey: "key")
        eventually("one lease is left", cluster.history.leases.count) { $0 == 1 }
        #expect(markers.count == 1)
    }

    @Test func `a write does not happen twice though its marker is removed between two attempts`() throws {
        cluster.put("1", forKey: "app/before")
        let store = try SimulatedStore(of: cluster) { $0.timeout = .seconds(2) }
        cluster.change { $0.holdsWatches = true }
        cluster.inject([.endsConnectionAfterwards] + Array(repeating: .losesRequest, count: 3), into: .attempt)
        let call = BackgroundCall { try store.write("once", forKey: "key") }
        eventually("2 attempts are made", cluster.count(of: .attempt)) { $0 >= 2 }
        for marker in markers { cluster.remove(String(decoding: marker, as: UTF8.self)) }
        expectError(.outcomeUnknown) { try call.result() }
        #expect(cluster.count(ofWritesOf: "\"once\"") == 1)
    }

    @Test func `a refused write in the background keeps its marker`() throws {
        let store = try SimulatedStore(of: cluster) { ($0.writes, $0.callTimeout) = (.background(), .seconds(20)) }
        cluster.state.change { $0.history.limits.forbidden = ["app/bad"] }
        cluster.change { $0.isDown = true }
        try store.write(1, forKey: "first")
        store.waitForFlight()
        for key in ["a", "bad", "b"] { try store.write(1, forKey: key) }
        cluster.change { $0.isDown = false }
        expectError(.unauthorized) { try store.synchronize() }
        try store.write(2, forKey: "bad")
        expectError(.unauthorized) { try store.synchronize() }
        // Not even the marker may be written for a while.
        cluster.state.change { $0.history.limits.isReadOnly = true }
        for key in ["a", "b"] { try store.write(3, forKey: key) }
        expectError(.unauthorized) { try store.synchronize() }
        cluster.state.change { $0.history.limits.isReadOnly = false }
        try store.write(4, forKey: "a")
        try store.synchronize()
        let written = cluster.history.revisions.flatMap(\.events).map(\.kv.key)
        #expect(Set(written.filter { $0.starts(with: Data("app/.keyspan/".utf8)) }).count == 1)
    }

    @Test func `a prefix is replaced although others always are faster than the watch`() throws {
        for number in 0..<3 { cluster.put("1", forKey: "app/old\(number)") }
        let store = try SimulatedStore(of: cluster)
        try store.write(1, forKey: "first")
        cluster.change { $0.holdsWatches = true }
        cluster.put("2", forKey: "app/old1")
        let call = BackgroundCall { try store.apply(replacement(of: 20)) }
        eventually("the cluster has the new keys", cluster.texts(prefix: "app/").count) { $0 == 20 }
        cluster.change { $0.holdsWatches = false }
        try call.result()
        #expect(store.texts.count == 20)
    }

    @Test func `a replacement that is always overtaken says so`() throws {
        for number in 0..<3 { cluster.put("1", forKey: "app/old\(number)") }
        let store = try SimulatedStore(of: cluster) { ($0.timeout, $0.callTimeout) = (.seconds(1), .seconds(20)) }
        try store.write(1, forKey: "first")
        cluster.change { $0.holdsWatches = true }
        cluster.put("2", forKey: "app/old1")
        // The cluster takes the operations for these keys, and not those for the ranges between them too.
        let error = expectError(.notApplied) { try store.apply(replacement(of: 100)) }
        #expect(error?.reason.contains("others have changed the prefix") == true)
        #expect(cluster.texts(prefix: "app/").count == 4)
    }

    private func replacement(of count: Int) -> PropertyListBatch {
        var batch = PropertyListBatch(.removeAll)
        for number in 0..<count { batch.set(1, forKey: "key\(number)") }
        return batch
    }
}
