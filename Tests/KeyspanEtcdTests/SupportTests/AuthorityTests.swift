import Foundation
import Testing

@Suite(.enabled(if: TestCluster.isInstalled && TestAuthority.isInstalled)) struct AuthorityTests {
    @Test func `etcdctl trusts a server of its authority only`() throws {
        let authority = try TestAuthority()
        let tls = ClusterTLS(authority: authority, server: try authority.serverCertificate())
        let cluster = try TestCluster(.init(size: 1, tls: tls))
        defer { cluster.stop() }
        try cluster.etcdctl("put", "key", "value")
        #expect(try cluster.etcdctl("get", "key", "--print-value-only") == "value\n")
        let other = try TestAuthority(name: "another authority")
        #expect(throws: Command.Failure.self) {
            try Command.run(etcdctl(cluster, "--cacert", other.certificate))
        }
    }

    @Test func `a server that asks for certificates refuses clients without a valid one`() throws {
        let authority = try TestAuthority()
        let client = try authority.clientCertificate(name: "alice")
        let tls = ClusterTLS(authority: authority, server: try authority.serverCertificate(), client: client)
        let cluster = try TestCluster(.init(size: 1, tls: tls))
        defer { cluster.stop() }
        try cluster.etcdctl("put", "key", "value")
        let trust = ["--cacert", authority.certificate]
        #expect(throws: Command.Failure.self) { try Command.run(etcdctl(cluster, trust)) }
        let expired = try authority.clientCertificate(lifetime: .seconds(-60))
        #expect(throws: Command.Failure.self) { try Command.run(etcdctl(cluster, trust, expired)) }
        let stranger = try TestAuthority().clientCertificate()
        #expect(throws: (any Error).self) { try Command.run(etcdctl(cluster, trust, stranger)) }
        try Command.run(etcdctl(cluster, trust, authority.clientCertificate(name: "bob")))
    }

    @Test func `an expired server certificate is refused`() throws {
        let authority = try TestAuthority()
        let server = try authority.serverCertificate(lifetime: .seconds(-60))
        let cluster = try TestCluster(.init(size: 1, tls: .init(authority: authority, server: server)))
        defer { cluster.stop() }
        #expect(throws: Command.Failure.self) {
            try cluster.etcdctl("--command-timeout", "1s", "get", "key")
        }
        // Nothing but the certificate is wrong.
        #expect(try cluster.administer(["get", "key"], at: cluster.members).status == 0)
    }

    @Test func `a certificate expires after its lifetime`() throws {
        let authority = try TestAuthority()
        let certificate = try authority.serverCertificate(lifetime: .seconds(2)).certificate
        let verify = ["openssl", "verify", "-CAfile", authority.certificate, certificate]
        try Command.run(verify)
        usleep(3_100_000)
        #expect(throws: Command.Failure.self) { try Command.run(verify) }
    }

    private func etcdctl(_ cluster: TestCluster, _ arguments: String...) -> [String] {
        etcdctl(cluster, arguments)
    }

    private func etcdctl(_ cluster: TestCluster, _ arguments: [String], _ client: TestCertificate? = nil) -> [String] {
        let certificate = client.map { ["--cert", $0.certificate, "--key", $0.key] } ?? []
        let command = ["etcdctl", "--endpoints", "https://\(cluster.endpoints[0])", "--command-timeout", "1s"]
        return command + arguments + certificate + ["get", "key"]
    }
}
