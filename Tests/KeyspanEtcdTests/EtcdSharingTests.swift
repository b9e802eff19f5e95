import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A password that changes.
private final class Password: Sendable {
    private let present: Locked<String>

    init(_ text: String) {
        present = Locked(text)
    }

    var text: String {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }
}

/// Connections, tokens and passwords of a process with many stores.
@Suite(.heavy, .serialized, .enabled(if: TestCluster.isInstalled)) struct EtcdSharingTests {
    /// A cluster of one member with the user `ann`, whose password is `pass`, and the proxy before it.
    private struct Guarded {
        let cluster: TestCluster
        let proxy: TCPProxy

        init() throws {
            cluster = try TestCluster(.init(size: 1))
            proxy = try TCPProxy(to: cluster.members[0].endpoint)
            for command in [
                ["user", "add", "root:secret"], ["user", "grant-role", "root", "root"],
                ["role", "add", "tenants"],
                ["role", "grant-permission", "tenants", "readwrite", "--prefix", "tenant/"],
                ["user", "add", "ann:pass"], ["user", "grant-role", "ann", "tenants"], ["auth", "enable"],
            ] {
                try administer(command)
            }
        }

        func administer(_ command: [String]) throws {
            let result = try cluster.administer(command, at: cluster.members)
            #expect(result.status == 0, "\(result.error)")
        }

        func open(
            _ number: Int,
            _ credentials: EtcdCredentials,
            timeout: Duration = .seconds(60)
        ) throws -> EtcdStore {
            var options = EtcdStoreOptions()
            (options.timeout, options.credentials) = (timeout, credentials)
            return try EtcdStore(endpoints: [proxy.endpoint], prefix: "tenant/\(number)/", options: options)
        }

        func stop() {
            proxy.stop()
            cluster.stop()
        }

        /// The number of passwords that the member has looked at since its start.
        func authentications() throws -> Int {
            let url = try #require(URL(string: "http://\(cluster.members[0].endpoint)/metrics"))
            return String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n")
                .filter { $0.hasPrefix("grpc_server_handled_total{") && $0.contains(#"grpc_method="Authenticate""#) }
                .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
        }
    }

    private let ann = EtcdCredentials(user: "ann", password: "pass", allowsPlaintext: true)

    @Test func `stores of a process have one connection and one token, also after the member has restarted`() throws {
        let guarded = try Guarded()
        defer { guarded.stop() }
        let before = try guarded.authentications()
        let count = TestLevel.current.pick(40, thorough: 150)
        let stores = try (0..<count).map { try guarded.open($0, ann) }
        #expect(try guarded.authentications() - before == 1)
        #expect(guarded.proxy.connections.made == 1)
        for round in 1...2 {
            try guarded.cluster.members[0].restart()
            for store in stores { try store.apply(PropertyListBatch(.set(.integer(.init(round)), key: "round"))) }
            for store in stores { _ = try store.waitForMember() }
            // The member counts from its start. It forgets its tokens, too.
            #expect(try guarded.authentications() <= 2)
            #expect(guarded.proxy.connections.open == 1)
        }
    }

    @Test func `more stores than a member takes streams on a connection have another one`() throws {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--max-concurrent-streams", "20"]))
        defer { cluster.stop() }
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer { proxy.stop() }
        let stores = try (0..<25).map { try EtcdStore(endpoints: [proxy.endpoint], prefix: "tenant/\($0)/") }
        for store in stores {
            _ = try store.waitForMember()
            try store.apply(PropertyListBatch(.set(1, key: "a")))
        }
        // Ten each: a call beside each watch.
        #expect(proxy.connections.made == 3)
    }

    @Test func `a wrong password costs the members little, and every error says so`() throws {
        let guarded = try Guarded()
        defer { guarded.stop() }
        let before = try guarded.authentications()
        let wrong = EtcdCredentials(user: "ann", password: "wrong", allowsPlaintext: true)
        let calls = (0..<40).map { number in BackgroundCall { try guarded.open(number, wrong) } }
        for call in calls { expectError(.unauthorized) { _ = try call.result() } }
        #expect(try guarded.authentications() - before < 10)
    }

    @Test func `a store takes the changed password from its closure`() throws {
        let guarded = try Guarded()
        defer { guarded.stop() }
        let password = Password("pass")
        let changing = EtcdCredentials(user: "ann", allowsPlaintext: true) { password.text }
        let store = try guarded.open(1, changing, timeout: .seconds(5))
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        for command in [["delete", "ann"], ["add", "ann:new"], ["grant-role", "ann", "tenants"]] {
            try guarded.administer(["--user", "root:secret", "user"] + command)
        }
        expectError(.unauthorized) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        try guarded.cluster.members[0].restart()
        eventually("the password is refused", store.status.problem) { $0?.contains("authentication failed") == true }
        let error = expectError(.unauthorized) {
            try store.apply(PropertyListBatch(.set(2, key: "a")))
        }
        #expect(error.map { "\($0)".contains("authentication failed") } == true)
        #expect(store.value(forKey: "a") == 1)
        password.text = "new"
        eventually("the store follows the member", store.status.endpoint) { $0 != nil }
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        #expect(store.value(forKey: "a") == 3)
    }

    @Test func `a password that cannot be had is named, and shows nowhere`() throws {
        struct Sealed: Error {}
        let guarded = try Guarded()
        defer { guarded.stop() }
        let sealed = EtcdCredentials(user: "ann", allowsPlaintext: true) { throw Sealed() }
        let error = expectError(.unauthorized) { try guarded.open(1, sealed) }
        #expect(error.map { "\($0)".contains("the password of the user \"ann\" cannot be had (Sealed())") } == true)

        let copy = sealed
        #expect(copy == sealed && Set([copy, sealed]).count == 1)
        #expect(sealed != EtcdCredentials(user: "ann", allowsPlaintext: true) { throw Sealed() })
        let texts = [ann, sealed].flatMap { ["\($0)", String(reflecting: $0)] }
        for text in texts { #expect(text == #"user "ann""#) }
        var dumped = ""
        dump(ann, to: &dumped)
        #expect(!dumped.contains("pass"))
    }

    @Test func `a connection is over when its TCP connection is`() async throws {
        let proxy = try TCPProxy(to: SharedCluster.cluster.members[0].endpoint)
        defer { proxy.stop() }
        let connector = GRPCConnector(
            security: .plaintext,
            credentials: nil,
            callTimeout: .seconds(20),
            executor: .next()
        )
        let endpoint = try #require(Endpoint(proxy.endpoint))
        let address = try #require(try await connector.addresses(of: endpoint).first)
        let calls = try await connector.connect(to: address)
        var request = Etcdserverpb_RangeRequest()
        request.key = Data("a".utf8)
        _ = try await calls.range(request)
        proxy.cut()
        #expect(await calls.waitUntilEnded().kind == .unavailable)
        for _ in 0..<20 {
            await #expect(throws: CallError.self) { try await calls.range(request) }
        }
        let connections = proxy.connections
        #expect(connections.made == 1 && connections.open == 0)
    }

    @Test func `stores that wait for a cluster hold no thread that others need, and end with their tasks`() async throws
    {
        let prefix = SharedCluster.newPrefix()
        let away = try LoopbackPort()
        var options = EtcdStoreOptions()
        options.timeout = .seconds(30)
        let ended = Recorder<Int>()
        let opening = (0..<100).map { [options] number in
            Task {
                defer { ended(number) }
                do throws(StoreError) {
                    _ = try await EtcdStore.open(
                        endpoints: ["\(away.endpoint)"],
                        prefix: "tenant/\(number)/",
                        options: options
                    )
                    return StoreError.Code?.none
                } catch {
                    return error.code
                }
            }
        }
        let store = try await EtcdStore.open(
            endpoints: SharedCluster.cluster.endpoints,
            prefix: prefix,
            options: options
        )
        #expect(store.snapshot().isEmpty)
        #expect(ended.values.isEmpty)
        for task in opening { task.cancel() }
        for task in opening { #expect(await task.value == .unreachable) }
    }

    @Test func `stores whose cluster is away learn it together`() async throws {
        let away = try LoopbackPort()
        var options = EtcdStoreOptions()
        options.timeout = .seconds(1)
        let count = TestLevel.current.pick(500, thorough: 10_000)
        let codes = await withTaskGroup(of: StoreError.Code?.self) { [options] group in
            for number in 0..<count {
                group.addTask {
                    do throws(StoreError) {
                        _ = try await EtcdStore.open(
                            endpoints: ["\(away.endpoint)"],
                            prefix: "tenant/\(number)/",
                            options: options
                        )
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == count && codes.allSatisfy { $0 == .unreachable })
    }
}
