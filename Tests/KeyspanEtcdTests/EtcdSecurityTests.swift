import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

@Suite(.heavy, .enabled(if: TestCluster.isInstalled && TestAuthority.isInstalled)) struct EtcdSecurityTests {
    /// Makes a user `root` with all rights and the others that the commands make, and turns authentication on.
    private func protect(_ cluster: TestCluster, _ commands: [[String]] = []) throws {
        let root = [["user", "add", "root:secret"], ["user", "grant-role", "root", "root"]]
        for command in root + commands + [["auth", "enable"]] { try administer(cluster, command) }
    }

    private func administer(_ cluster: TestCluster, _ command: [String]) throws {
        let result = try cluster.administer(command, at: cluster.members)
        #expect(result.status == 0, "\(result.error)")
    }

    @Test func `a user with a password reads and writes what it may`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        try cluster.etcdctl("put", "greeter/a", "1")
        try protect(
            cluster,
            [
                ["role", "add", "greeter"],
                ["role", "grant-permission", "greeter", "readwrite", "--prefix", "greeter/"],
                ["user", "add", "ann:pass"], ["user", "grant-role", "ann", "greeter"],
            ]
        )
        var options = EtcdStoreOptions()
        options.timeout = .seconds(60)
        func open(_ prefix: String, _ credentials: EtcdCredentials?) throws -> EtcdStore {
            options.credentials = credentials
            return try EtcdStore(endpoints: cluster.endpoints, prefix: prefix, options: options)
        }
        let user = EtcdCredentials(user: "ann", password: "pass", allowsPlaintext: true)
        let store = try open("greeter/", user)
        #expect(store.value(forKey: "a") == 1)
        try store.apply(PropertyListBatch(.set(2, key: "a")))
        #expect(store.value(forKey: "a") == 2)

        let wrong = EtcdCredentials(user: "ann", password: "wrong", allowsPlaintext: true)
        for (prefix, credentials) in [("greeter/", wrong), ("other/", user), ("greeter/", nil)] {
            expectError(.unauthorized) { try open(prefix, credentials) }
        }
        let plain = expectError(.refused) { try open("greeter/", EtcdCredentials(user: "ann", password: "pass")) }
        #expect("\(plain as Any) \(user) \(String(reflecting: user))".contains("pass\"") == false)

        // A revoked permission ends the writes, and the values stay readable.
        let revoke = ["--user", "root:secret", "role", "revoke-permission", "greeter", "--prefix", "greeter/"]
        try administer(cluster, revoke)
        expectError(.unauthorized) { try store.apply(PropertyListBatch(.set(3, key: "a"))) }
        #expect(store.value(forKey: "a") == 2)
    }

    @Test func `a session whose token has ended gets another one`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        try protect(cluster)
        var options = EtcdStoreOptions()
        options.credentials = EtcdCredentials(user: "root", password: "secret", allowsPlaintext: true)
        let store = try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/", options: options)
        for round in 0..<3 {
            try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(round)), key: "a")))
            // A cluster without authentication forgets all tokens.
            try administer(cluster, ["--user", "root:secret", "auth", "disable"])
            try administer(cluster, ["auth", "enable"])
        }
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        #expect(store.value(forKey: "a") == 3)
    }

    @Test func `TLS with a client's certificate protects a store`() throws {
        let authority = try TestAuthority()
        let client = try authority.clientCertificate(name: "greeter")
        let tls = ClusterTLS(
            authority: authority,
            server: try authority.serverCertificate(),
            client: client
        )
        let cluster = try TestCluster(.init(size: 1, tls: tls))
        defer { cluster.stop() }
        var options = EtcdStoreOptions()
        options.timeout = .seconds(60)
        func open(_ security: EtcdSecurity) throws -> EtcdStore {
            options.security = security
            return try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/", options: options)
        }
        let identity = EtcdSecurity.Identity(certificates: client.certificate, key: client.key)
        let store = try open(.tls(authority: .file(authority.certificate), identity: identity))
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "1\n")

        options.timeout = .seconds(2)
        let expired = try authority.clientCertificate(name: "greeter", lifetime: .seconds(-60))
        let stranger = try TestAuthority(name: "stranger")
        for security in [
            .plaintext, .tls(authority: .file(authority.certificate)), .tls(identity: identity),
            .tls(authority: .file(stranger.certificate), identity: identity),
            .tls(
                authority: .file(authority.certificate),
                identity: .init(certificates: expired.certificate, key: expired.key)
            ),
            .tls(authority: .file("/nonexistent.pem"), identity: identity),
        ] as [EtcdSecurity] {
            let error = #expect(throws: StoreError.self) { try open(security) }
            #expect(error?.code == .unreachable || error?.code == .refused)
        }
    }

    @Test func `the certificate of a member has the name that the store was given`() throws {
        let authority = try TestAuthority()
        let tls = ClusterTLS(authority: authority, server: try authority.serverCertificate())
        let cluster = try TestCluster(.init(size: 1, tls: tls))
        defer { cluster.stop() }
        var options = EtcdStoreOptions()
        (options.timeout, options.security) = (.seconds(60), .tls(authority: .file(authority.certificate)))
        // Its address is not in the certificate, which would do too.
        let proxy = try TCPProxy(to: cluster.members[0].endpoint, host: "127.0.0.2")
        let lookup = HostLookup { _ in ["127.0.0.2"] }
        let port = try #require(Endpoint(proxy.endpoint)).port
        func open(_ host: String) throws -> EtcdStore {
            try EtcdStore(endpoints: ["\(host):\(port)"], prefix: "greeter/", options: options, lookup: lookup)
        }
        try open("localhost").apply(PropertyListBatch(.set(1, key: "a")))
        options.timeout = .seconds(2)
        expectError(.unreachable) { try open("etcd.example") }
    }

    /// TLS looks at a certificate when a connection begins, so that its end shows at the next one.
    @Test func `a store takes the renewed certificate from the file of one that was revoked`() throws {
        let authority = try TestAuthority()
        let lasting = try authority.clientCertificate(name: "greeter")
        let tls = ClusterTLS(authority: authority, server: try authority.serverCertificate(), client: lasting)
        let arguments = ["--client-crl-file", authority.revocations]
        let cluster = try TestCluster(.init(size: 1, arguments: arguments, tls: tls))
        defer { cluster.stop() }
        let ending = try authority.clientCertificate(name: "greeter")
        var options = EtcdStoreOptions()
        options.timeout = .seconds(8)
        options.security = .tls(
            authority: .file(authority.certificate),
            identity: .init(certificates: ending.certificate, key: ending.key)
        )
        let store = try EtcdStore(endpoints: cluster.endpoints, prefix: "greeter/", options: options)
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        try authority.revoke(ending)
        try store.apply(PropertyListBatch(.set(2, key: "a")))

        try cluster.members[0].restart()
        try cluster.waitUntilHealthy()
        expectError(.unreachable) { try store.apply(PropertyListBatch(.set(3, key: "a"))) }
        #expect(store.status.staleSince != nil)
        #expect(store.value(forKey: "a") == 2)
        for (old, new) in [(ending.certificate, lasting.certificate), (ending.key, lasting.key)] {
            try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old))
        }
        eventually("the values are fresh", store.status.staleSince) { $0 == nil }
        try store.apply(PropertyListBatch(.set(4, key: "a")))
        #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "4\n")
    }
}
