#if os(Linux)
import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Many stores of one process whose cluster loses a member.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled), .serialized) struct FleetFaultTests {
    struct Fleet: Sendable, CustomTestStringConvertible {
        let size: Int
        /// The number of members, of which the leader is killed, and restarted if it is the only one.
        let memberCount: Int
        let hasUser: Bool

        var testDescription: String {
            "\(size) stores, \(memberCount) members, with\(hasUser ? "" : "out") users"
        }

        static let ofLevel: [Fleet] = {
            let size = TestLevel.current.pick(40, thorough: 300)
            let fleets = [(1, false), (1, true), (3, false), (3, true)].map { memberCount, hasUser in
                Fleet(size: size, memberCount: memberCount, hasUser: hasUser)
            }
            return TestLevel.current.pick(fleets, thorough: [Fleet(size: 200, memberCount: 1, hasUser: true)] + fleets)
        }()
    }

    @Test(arguments: Fleet.ofLevel)
    func `all stores of a process follow again after their cluster has lost its leader`(fleet: Fleet) async throws {
        let cluster = try TestCluster(.init(size: fleet.memberCount))
        defer { cluster.stop() }
        if fleet.hasUser { try cluster.addUsers(prefix: "fleet/") }
        let opening = Measure(of: cluster)
        let stores = try await open(fleet, on: cluster)
        try await eventually("all stores follow a member", stores.count { $0.status.endpoint == nil }) { $0 == 0 }
        print("fleet: \(fleet.testDescription), opened: \(try opening.description)")
        try makeChange(1, of: fleet, on: cluster)
        try await eventually("all stores see a change", missing(1, in: stores), within: .seconds(90)) { $0 == 0 }

        let leader = try cluster.leader()
        leader.kill()
        let fault = Measure(of: cluster)
        if fleet.memberCount > 1 { _ = try cluster.leader(besides: leader) } else { try leader.restart() }
        try makeChange(2, of: fleet, on: cluster)
        try await eventually("all stores see a later change", missing(2, in: stores), within: .seconds(90)) { $0 == 0 }
        let following = fleet.size - missing(2, in: stores)
        print("fleet: \(fleet.testDescription), \(following) follow again: \(try fault.description)")

        // One, and more while a member answers some stores and not others.
        try await eventually("the stores share connections", try cluster.connectionCount(), within: .seconds(20)) {
            (1..<10).contains($0)
        }
        if fleet.hasUser { #expect(fault.calls(of: "Authenticate") < 10) }
    }

    /// Opens a store for each tenant.
    private func open(_ fleet: Fleet, on cluster: TestCluster) async throws -> [EtcdStore] {
        var options = EtcdStoreOptions()
        // Only a call that fails takes so long.
        options.timeout = .seconds(120)
        if fleet.hasUser { options.credentials = TestCluster.credentials() }
        return try await withThrowingTaskGroup(of: EtcdStore.self) { [options] group in
            for number in 0..<fleet.size {
                group.addTask {
                    try await EtcdStore.open(
                        endpoints: cluster.endpoints,
                        prefix: "fleet/\(number)/",
                        options: options
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Changes a value of each tenant.
    private func makeChange(_ value: Int, of fleet: Fleet, on cluster: TestCluster) throws {
        for first in stride(from: 0, to: fleet.size, by: 100) {
            let numbers = first..<min(first + 100, fleet.size)
            let texts = numbers.map { ("fleet/\($0)/value", Optional("\(value)")) }
            try cluster.make([ClusterChange(uniqueKeysWithValues: texts)])
        }
    }

    /// The number of stores that do not have a value yet.
    private func missing(_ value: PropertyListValue, in stores: [EtcdStore]) -> Int {
        stores.count { $0.value(forKey: "value") != value }
    }
}

/// The work of a cluster since a moment.
private struct Measure {
    private let cluster: TestCluster
    private let start = ContinuousClock.now
    private let seconds: [pid_t: Double]
    private let calls: [pid_t: [String: Int]]

    private static let methods = ["Authenticate", "Range", "Txn"]

    init(of cluster: TestCluster) {
        self.cluster = cluster
        seconds = Self.ofMembers(cluster) { $0.processorSeconds }
        calls = Self.ofMembers(cluster) { member in
            Dictionary(uniqueKeysWithValues: Self.methods.map { ($0, member.calls(of: $0)) })
        }
    }

    private static func ofMembers<Value>(_ cluster: TestCluster, _ measure: (ClusterMember) -> Value) -> [pid_t: Value]
    {
        cluster.members.reduce(into: [:]) { found, member in
            // A member that is restarted begins at zero, under another number.
            if let process = member.processIdentifier { found[process] = measure(member) }
        }
    }

    /// The number of calls of a method that the members have answered.
    func calls(of method: String) -> Int {
        Self.ofMembers(cluster) { $0.calls(of: method) }.reduce(0) { $0 + $1.value - (calls[$1.key]?[method] ?? 0) }
    }

    /// The time, the processor time of each member, the connections of this process, and the calls, those of etcdctl among them.
    var description: String {
        get throws {
            let time = start.duration(to: .now) / .seconds(1)
            let used = cluster.members.map { member in
                let before = member.processIdentifier.flatMap { seconds[$0] } ?? 0
                return String(format: "%.1f", member.processorSeconds - before)
            }
            let answered = Self.methods.map { "\(calls(of: $0)) \($0)" }.joined(separator: ", ")
            return "\(String(format: "%.1f", time)) s, members used \(used.joined(separator: ", ")) s of CPU, "
                + "\(try cluster.connectionCount()) connections, answered calls: \(answered)"
        }
    }
}
#endif
