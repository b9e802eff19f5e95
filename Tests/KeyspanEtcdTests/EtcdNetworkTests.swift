#if os(Linux)
import Foundation
import KeyspanCore
@testable import KeyspanEtcd
import KeyspanTestSupport
import Testing

/// Members from which no packet comes back, as from hosts that have lost their power.
@Suite(.heavy, .enabled(if: NetworkedCluster.isAvailable)) struct EtcdNetworkTests {
    /// A call that a member does not answer is over before the writer gives up.
    private let options: EtcdStoreOptions = {
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.seconds(60), .seconds(1))
        return options
    }()

    @Test func `a store is opened although two of three members answer nothing`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        for member in network.members.dropFirst() { try network.isolateFromClient(member) }
        // Each begins with another member.
        for _ in 0..<3 {
            let store = try EtcdStore(endpoints: network.cluster.endpoints, prefix: "greeter/", options: options)
            try store.apply(PropertyListBatch(.set(1, key: "a")))
        }
    }

    @Test func `a store leaves a member that it can no longer reach`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        let store = try EtcdStore(endpoints: network.cluster.endpoints, prefix: "greeter/", options: options)
        let endpoint = try store.waitForMember()
        let member = try #require(network.members.first { $0.endpoint == endpoint })
        try network.isolateFromClient(member)
        // The first attempt is lost; the next one goes to another member, well before the writer gives up.
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        #expect(store.value(forKey: "a") == 1)
        #expect(store.status.endpoint != member.endpoint)
    }

    /// A headless service of Kubernetes has one name for all members.
    @Test func `all addresses of one name are tried`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        let hosts = network.members.map(\.place.client.host)
        let lookup = HostLookup { _ in hosts }
        for member in network.members.dropFirst() { try network.isolateFromClient(member) }
        let stores = try (0..<3).map { _ in
            try EtcdStore(endpoints: ["etcd"], prefix: "greeter/", options: options, lookup: lookup)
        }
        for store in stores {
            eventually("it watches the first member", store.status.endpoint) { $0 == "etcd:2379 (\(hosts[0]))" }
        }
        try network.heal()
        try network.isolateFromClient(network.members[0])
        for (index, store) in stores.enumerated() {
            try store.apply(PropertyListBatch(.set(1, key: "\(index)")))
            #expect(store.status.endpoint != "etcd:2379 (\(hosts[0]))")
        }
    }
}
#endif
