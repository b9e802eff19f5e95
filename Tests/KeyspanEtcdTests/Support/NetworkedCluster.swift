#if os(Linux)
import Foundation

/// An etcd cluster whose members run in a network namespace each, so that a test can drop packets between them.
///
/// ```swift
/// @Suite(.enabled(if: NetworkedCluster.isAvailable)) struct PartitionTests {
///     @Test func `the majority goes on without an isolated leader`() throws {
///         let network = try NetworkedCluster()
///         defer { network.stop() }
///         let leader = try network.cluster.leader()
///         try network.isolate(leader)
///         let next = try network.cluster.leader(besides: leader)
///     }
/// }
/// ```
///
/// Dropped packets are not answered: connections stay open and hang, as across a broken network. Everything is removed at the
/// end, also after the test process was killed. All methods block the calling thread.
final class NetworkedCluster: Sendable {
    /// A member is not one of this cluster.
    struct UnknownMember: Error {}

    /// Whether etcd is installed and this process may make network namespaces, which takes root on Linux.
    static let isAvailable = TestCluster.isInstalled && NamespaceNetwork.isAvailable

    /// The cluster, for all that has nothing to do with the network.
    let cluster: TestCluster
    private let network: NamespaceNetwork

    /// Makes the namespaces, starts a member in each, and waits until the cluster is healthy.
    init() throws {
        let options = TestCluster.Options()
        let network = try NamespaceNetwork(size: options.size)
        let watchdog = try Watchdog(cleanup: network.removal)
        try network.build()
        let places = (0..<options.size).map { index in
            ClusterMember.Place(
                client: IPv4Endpoint(host: network.address(of: index), port: 2379),
                peer: IPv4Endpoint(host: network.address(of: index), port: 2380),
                launcher: network.launcher(of: index)
            )
        }
        cluster = try TestCluster(options, places: places, watchdog: watchdog)
        self.network = network
    }

    var members: [ClusterMember] { cluster.members }

    /// Drops all packets between a member and the other members; clients still reach it.
    func isolate(_ member: ClusterMember) throws {
        for other in members where other !== member {
            try drop(from: member, to: other)
            try drop(from: other, to: member)
        }
    }

    /// Drops all packets between a member and the clients; the other members still reach it.
    func isolateFromClient(_ member: ClusterMember) throws {
        try network.drop(from: network.hostAddress, to: index(of: member))
        try network.drop(from: index(of: member), to: network.hostAddress)
    }

    /// Drops the packets from one member to another one, in this direction only.
    func drop(from sender: ClusterMember, to receiver: ClusterMember) throws {
        try network.drop(from: sender.place.peer.host, to: index(of: receiver))
    }

    /// Lets all packets pass again; members reconnect by themselves within seconds.
    func heal() throws {
        try network.heal()
    }

    /// Kills all members, removes the namespaces and the data, and waits until that is done.
    func stop() {
        cluster.stop()
    }

    private func index(of member: ClusterMember) throws -> Int {
        guard let index = members.firstIndex(where: { $0 === member }) else { throw UnknownMember() }
        return index
    }
}
#endif
