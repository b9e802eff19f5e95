import Foundation
import Testing

@Suite(.enabled(if: TestCluster.isInstalled)) struct ClusterTests {
    @Test func `a cluster starts with three members and leaves nothing behind`() throws {
        let cluster = try TestCluster()
        #expect(cluster.members.count == 3)
        #expect(Set(cluster.endpoints).count == 3)
        #expect(cluster.members.allSatisfy { $0.isRunning })
        try cluster.etcdctl("put", "key", "value")
        #expect(try cluster.etcdctl("get", "key", "--print-value-only") == "value\n")
        let processes = cluster.members.compactMap(\.processIdentifier)
        cluster.stop()
        #expect(processes.allSatisfy { kill($0, 0) != 0 })
        #expect(!cluster.members.contains { $0.isRunning })
        #expect(!FileManager.default.fileExists(atPath: cluster.folder))
        cluster.stop()
    }

    @Test func `a cluster stops when it goes away`() throws {
        var cluster: TestCluster? = try TestCluster(.init(size: 1))
        let folder = try #require(cluster?.folder)
        let process = try #require(cluster?.members.first?.processIdentifier)
        cluster = nil
        #expect(kill(process, 0) != 0)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `several clusters run at the same time`() throws {
        let clusters = try (0..<3).map { _ in try TestCluster(.init(size: 1)) }
        defer { clusters.forEach { $0.stop() } }
        for (number, cluster) in clusters.enumerated() { try cluster.etcdctl("put", "number", "\(number)") }
        for (number, cluster) in clusters.enumerated() {
            #expect(try cluster.etcdctl("get", "number", "--print-value-only") == "\(number)\n")
        }
    }

    @Test func `a new leader follows a killed one`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let leader = try cluster.leader()
        try cluster.etcdctl("put", "key", "before")
        leader.kill()
        #expect(!leader.isRunning)
        let next = try cluster.leader(besides: leader)
        #expect(next.isRunning)
        #expect(try cluster.followers().contains { $0 === leader })
        try cluster.waitUntilHealthy()
        #expect(try cluster.etcdctl("get", "key", "--print-value-only") == "before\n")
        try leader.restart()
        try cluster.waitUntilHealthy()
        #expect(cluster.members.allSatisfy { $0.isRunning })
    }

    @Test func `a frozen leader is replaced and comes back as a follower`() throws {
        let cluster = try TestCluster()
        defer { cluster.stop() }
        let leader = try cluster.leader()
        leader.freeze()
        #expect(leader.isRunning && !leader.isResponsive)
        #expect(throws: Command.Failure.self) {
            try cluster.etcdctl("--command-timeout", "500ms", "get", "key", endpoints: [leader.endpoint])
        }
        let next = try cluster.leader(besides: leader)
        let others = cluster.members.filter { $0 !== leader }.map(\.endpoint)
        try cluster.etcdctl("put", "key", "meanwhile", endpoints: others)
        leader.thaw()
        try cluster.waitUntilHealthy()
        let seen = try cluster.etcdctl("get", "key", "--print-value-only", endpoints: [leader.endpoint])
        #expect(seen == "meanwhile\n")
        #expect(try cluster.leader() === next)
    }

    @Test func `a restart keeps the data`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        try cluster.etcdctl("put", "key", input: Data("from a file".utf8))
        let member = cluster.members[0]
        let endpoint = member.endpoint
        member.kill()
        try member.restart()
        try cluster.waitUntilHealthy()
        #expect(member.endpoint == endpoint)
        #expect(try cluster.etcdctl("get", "key", "--print-value-only") == "from a file\n")
    }

    @Test func `a compacted revision cannot be read`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        for number in 1...5 { try cluster.etcdctl("put", "key", "\(number)") }
        let revision = try cluster.revision()
        #expect(revision == 6)
        try cluster.compact(at: revision)
        let failure = try #require(throws: Command.Failure.self) {
            try cluster.etcdctl("get", "key", "--rev", "\(revision - 1)")
        }
        #expect(failure.error.contains("required revision has been compacted"))
    }

    @Test func `extra arguments reach etcd`() throws {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--quota-backend-bytes", "65536"]))
        defer { cluster.stop() }
        let failure = try #require(throws: Command.Failure.self) {
            for number in 0..<20 {
                try cluster.etcdctl("put", "key \(number)", input: Data(repeating: 120, count: 60_000))
            }
        }
        #expect(failure.error.contains("database space exceeded"))
    }

    @Test func `a failed start shows the end of the log`() throws {
        let failure = try #require(throws: TestCluster.Failure.self) {
            try TestCluster(.init(size: 1, arguments: ["--max-txn-ops", "many"]))
        }
        #expect(failure.description.contains("m1 ended by itself"))
        #expect(failure.description.contains("max-txn-ops"))
    }

    @Test func `a command that takes too long is killed`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let failure = try #require(throws: Command.Failure.self) {
            try cluster.etcdctl("watch", "key", timeLimit: .milliseconds(300))
        }
        #expect(failure.status == nil)
    }

    @Test func `members and their folder do not outlive a killed test process`() async throws {
        let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let cluster = try TestCluster()
            cluster.members[1].freeze()
            let words = cluster.members.compactMap(\.processIdentifier).map { "\($0)" } + [cluster.folder]
            try FileHandle.standardOutput.write(contentsOf: Data("\n@\(words.joined(separator: "@"))@\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        let words = output.split(separator: "\n").first { $0.hasPrefix("@") }?.split(separator: "@") ?? []
        try #require(words.count == 4, "\(output)")
        let processes = words.prefix(3).compactMap { pid_t($0) }
        let deadline = ContinuousClock.now + .seconds(10)
        let isLeft = {
            processes.contains { kill($0, 0) == 0 } || FileManager.default.fileExists(atPath: "\(words[3])")
        }
        while isLeft(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!isLeft())
    }
}
