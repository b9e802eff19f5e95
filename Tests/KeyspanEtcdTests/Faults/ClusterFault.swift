import Foundation
import KeyspanCore
import KeyspanTesting

/// Something that happens to a cluster or to the connections to it while stores are in use.
enum ClusterFault: String, CaseIterable, Sendable {
    case killLeader, killFollower, killAll
    case freezeLeader, freezeFollower, freezeAll
    case cutConnections, cutInMessage, refuseConnections
    case delay, trickle, holdRequests, holdAnswers
    case compact
    case isolateLeader, isolateFollower, isolateFromClients, dropOneWay

    /// Whether it needs members in networks of their own.
    var needsNetworks: Bool {
        switch self {
        case .isolateLeader, .isolateFollower, .isolateFromClients, .dropOneWay: true
        default: false
        }
    }
}

/// A cluster with a proxy before each member, whose faults begin and end.
final class FaultyCluster: Sendable {
    let cluster: TestCluster
    let networks: NetworkedCluster?
    let proxies: [TCPProxy]

    /// Starts the members.
    ///
    /// - Parameter hasNetworks: Whether each is in a network of its own, so that it can be cut off from the others.
    init(hasNetworks: Bool) throws {
        networks = hasNetworks ? try NetworkedCluster() : nil
        cluster = try networks?.cluster ?? TestCluster()
        proxies = try cluster.members.map { try TCPProxy(to: $0.endpoint) }
    }

    func stop() {
        for proxy in proxies { proxy.stop() }
        networks?.stop()
        cluster.stop()
    }

    /// Lets a fault happen, for some time if it lasts.
    ///
    /// - Parameter revision: The last one that a compaction may forget.
    func inject(
        _ fault: ClusterFault,
        for time: Duration,
        compactingAt revision: Int64,
        _ random: inout SeededGenerator
    ) throws {
        let members = cluster.members
        func pause() {
            // Paces the fault.
            usleep(UInt32(time / .microseconds(1)))
        }
        switch fault {
        case .killLeader, .killFollower, .killAll:
            let victims = try victims(of: fault, leader: .killLeader, all: .killAll)
            victims.forEach { $0.kill() }
            pause()
            for victim in victims { try victim.restart() }
        case .freezeLeader, .freezeFollower, .freezeAll:
            let victims = try victims(of: fault, leader: .freezeLeader, all: .freezeAll)
            victims.forEach { $0.freeze() }
            pause()
            victims.forEach { $0.thaw() }
        case .cutConnections: proxies.forEach { $0.cut() }
        case .cutInMessage: for proxy in proxies { proxy.cutAfter(bytes: Int.random(in: 1...300, using: &random)) }
        case .refuseConnections:
            proxies.forEach { $0.refuse() }
            pause()
            for proxy in proxies { try proxy.accept() }
        case .delay:
            proxies.forEach { $0.delay(.milliseconds(30)) }
            pause()
            proxies.forEach { $0.delay(.zero) }
        case .trickle:
            proxies.forEach { $0.trickle(bytes: 7) }
            pause()
            proxies.forEach { $0.trickle(bytes: nil) }
        case .holdRequests, .holdAnswers:
            proxies.forEach { $0.pause(fault == .holdRequests ? .toServer : .toClient) }
            pause()
            proxies.forEach { $0.resume() }
        case .compact:
            try cluster.compact(at: revision)
        case .isolateLeader, .isolateFollower, .isolateFromClients, .dropOneWay:
            guard let networks else { return }
            let leader = try cluster.leader()
            let follower = members.first { $0 !== leader } ?? leader
            switch fault {
            case .isolateLeader: try networks.isolate(leader)
            case .isolateFollower: try networks.isolate(follower)
            case .isolateFromClients: try networks.isolateFromClient(leader)
            default: try networks.drop(from: leader, to: follower)
            }
            pause()
            try networks.heal()
        }
    }

    private func victims(
        of fault: ClusterFault,
        leader: ClusterFault,
        all: ClusterFault
    ) throws -> [ClusterMember] {
        if fault == all { return cluster.members }
        let present = try cluster.leader()
        return fault == leader ? [present] : cluster.members.filter { $0 !== present }.prefix(1).map(\.self)
    }
}
