#if os(Linux)
import Foundation
import Testing

@Suite(.enabled(if: NetworkedCluster.isAvailable)) struct PartitionTests {
    @Test func `an isolated leader refuses a put, the majority goes on, and it catches up`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        let cluster = network.cluster
        let leader = try cluster.leader()
        try cluster.etcdctl("put", "key", "before")
        try network.isolate(leader)
        let next = try cluster.leader(besides: leader)
        #expect(next !== leader)
        #expect(throws: Command.Failure.self) {
            try cluster.etcdctl("--command-timeout", "1s", "put", "key", "minority", endpoints: [leader.endpoint])
        }
        let majority = cluster.members.filter { $0 !== leader }.map(\.endpoint)
        try cluster.etcdctl("put", "key", "majority", endpoints: majority)
        let stale = try cluster.etcdctl(
            "get",
            "key",
            "--print-value-only",
            "--consistency",
            "s",
            endpoints: [leader.endpoint]
        )
        #expect(stale == "before\n")
        try network.heal()
        try cluster.waitUntilHealthy()
        let value = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [leader.endpoint])
        #expect(value == "majority\n")
    }

    @Test func `a follower that hears no other member refuses a put, though they hear it`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        let cluster = network.cluster
        let deaf = try #require(try cluster.followers().first)
        for other in cluster.members where other !== deaf { try network.drop(from: other, to: deaf) }
        #expect(throws: Command.Failure.self) {
            try cluster.etcdctl("--command-timeout", "1s", "put", "key", "deaf", endpoints: [deaf.endpoint])
        }
        try network.heal()
        try cluster.waitUntilHealthy()
        try cluster.etcdctl("put", "key", "healed", endpoints: [deaf.endpoint])
    }

    @Test func `a member isolated from clients stays in the cluster`() throws {
        let network = try NetworkedCluster()
        defer { network.stop() }
        let cluster = network.cluster
        let (leader, follower) = (try cluster.leader(), try #require(try cluster.followers().first))
        try network.isolateFromClient(follower)
        #expect(throws: Command.Failure.self) {
            try cluster.etcdctl("--command-timeout", "1s", "get", "key", endpoints: [follower.endpoint])
        }
        try cluster.etcdctl("put", "key", "value", endpoints: [leader.endpoint])
        try network.heal()
        let value = try cluster.etcdctl(
            "get",
            "key",
            "--print-value-only",
            "--consistency",
            "s",
            endpoints: [follower.endpoint]
        )
        #expect(value == "value\n")
    }

    @Test func `certificates can be made for the addresses of the namespaces`() throws {
        let authority = try TestAuthority()
        let network = try NetworkedCluster(.init(size: 1)) { addresses in
            ClusterTLS(authority: authority, server: try authority.serverCertificate(addresses: addresses))
        }
        defer { network.stop() }
        try network.cluster.etcdctl("put", "key", "value")
    }

    @Test func `two networks exist at the same time and leave nothing behind`() throws {
        let networks = try (0..<2).map { _ in try NetworkedCluster(.init(size: 1)) }
        #expect(networks[0].cluster.endpoints != networks[1].cluster.endpoints)
        let parts = networks.map { names(of: $0) }
        #expect(parts.allSatisfy { $0.count == 3 })
        networks.forEach { $0.stop() }
        #expect(networks.flatMap { names(of: $0) } == [])
    }

    @Test func `a network does not outlive a killed test process`() async throws {
        let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let network = try NetworkedCluster()
            network.members[0].freeze()
            let text = "\n@\(getpid())@\(network.members.compactMap(\.processIdentifier))@\n"
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let words = output.split(separator: "\n").first { $0.hasPrefix("@") }?.split(separator: "@") ?? []
        try #require(words.count == 2, "\(output)")
        let process = try #require(pid_t(words[0]))
        let deadline = ContinuousClock.now + .seconds(10)
        while !names(of: process).isEmpty, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(names(of: process) == [])
    }

    @Test func `what a killed run has left is removed by the next one`() throws {
        let dead = try ChildProcess(["true"], input: 0, output: 1, error: 2)
        while dead.exitStatus == nil { usleep(1_000) }
        let process = dead.identifier
        try Command.run(["ip", "netns", "add", "keyspan-\(process)-300-0"])
        try Command.run(["ip", "link", "add", "ks\(process)-300", "type", "bridge"])
        #expect(names(of: process).count == 2)
        _ = try NamespaceNetwork(size: 1)
        #expect(names(of: process) == [])
    }

    /// The namespaces and links of a test process.
    private func names(of process: pid_t) -> [String] {
        names { $0.hasPrefix("keyspan-\(process)-") || $0.hasPrefix("ks\(process)-") }
    }

    /// The namespaces and links of a cluster in this process.
    private func names(of network: NetworkedCluster) -> [String] {
        let number = "\(getpid())-\(network.members[0].place.client.host.split(separator: ".")[2])"
        return names { $0 == "ks\(number)" || $0.hasPrefix("ks\(number)-") || $0.hasPrefix("keyspan-\(number)-") }
    }

    private func names(where isIncluded: (String) -> Bool) -> [String] {
        // The first folder is absent until there is a namespace.
        ["/run/netns", "/sys/class/net"].flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
            .filter(isIncluded)
    }
}
#endif
