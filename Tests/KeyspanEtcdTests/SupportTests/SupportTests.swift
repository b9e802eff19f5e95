import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The parts of the tests whose failure would hide others, or leave processes behind.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct SupportTests {
    @Test func `a proxy passes bytes on, holds them back, and refuses and cuts connections`() throws {
        let cluster = try SharedCluster.cluster
        let proxy = try TCPProxy(to: cluster.endpoints[0])
        defer { proxy.stop() }
        func get() throws {
            try cluster.etcdctl("--command-timeout", "1s", "get", "key", endpoints: [proxy.endpoint])
        }
        proxy.trickle(bytes: 100)
        proxy.delay(.milliseconds(1))
        try cluster.etcdctl("--command-timeout", "60s", "get", "key", endpoints: [proxy.endpoint])
        proxy.pause(.toClient)
        #expect(throws: TestProcess.Failure.self) { try get() }
        proxy.resume()
        proxy.refuse()
        #expect(throws: TestProcess.Failure.self) { try get() }
        try proxy.accept()
        // The client connects again after a cut.
        proxy.cutAfter(bytes: 10)
        try cluster.etcdctl("--command-timeout", "60s", "get", "key", endpoints: [proxy.endpoint])
    }

    @Test(.enabled(if: TestLevel.current > .quick))
    func `members and their folder do not outlive a killed test process`() async throws {
        let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let cluster = try TestCluster()
            cluster.members[1].freeze()
            let words = cluster.members.compactMap(\.processIdentifier).map { "\($0)" } + [cluster.folder]
            try FileHandle.standardOutput.write(contentsOf: Data("\n@\(words.joined(separator: "@"))@\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let words = words(of: result.standardOutputContent)
        try #require(words.count == 4, "\(words)")
        try await eventually("the members and the folder are gone") {
            words.prefix(3).allSatisfy { kill(pid_t($0) ?? 0, 0) != 0 }
                && !FileManager.default.fileExists(atPath: words[3])
        }
    }

    #if os(Linux)
    @Test(.enabled(if: TestLevel.current > .quick && NetworkedCluster.isAvailable))
    func `a network does not outlive a killed test process`() async throws {
        let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let network = try NetworkedCluster()
            network.members[0].freeze()
            try FileHandle.standardOutput.write(contentsOf: Data("\n@\(getpid())@\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let process = try #require(words(of: result.standardOutputContent).first)
        try await eventually("no part of the network is left", try parts(of: process), is: [])
    }

    @Test(.enabled(if: NetworkedCluster.isAvailable))
    func `what a killed run has left is removed by the next one`() throws {
        let dead = try TestProcess(["true"])
        _ = try dead.finish()
        try TestProcess.run(["ip", "netns", "add", "keyspan-\(dead.identifier)-300-0"])
        try TestProcess.run(["ip", "link", "add", "ks\(dead.identifier)-300", "type", "bridge"])
        #expect(try parts(of: "\(dead.identifier)").count == 2)
        _ = try NamespaceNetwork(size: 1)
        #expect(try parts(of: "\(dead.identifier)") == [])
    }

    /// The namespaces and links of a test process.
    private func parts(of process: String) throws -> [String] {
        // The first folder is absent until there is a namespace.
        ["/run/netns", "/sys/class/net"].flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
            .filter { $0.hasPrefix("keyspan-\(process)-") || $0.hasPrefix("ks\(process)-") }
    }
    #endif

    /// The words that a test process has printed between marks.
    private func words(of output: [UInt8]) -> [String] {
        let line = String(decoding: output, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("@") }
        return line?.split(separator: "@").map(String.init) ?? []
    }
}
