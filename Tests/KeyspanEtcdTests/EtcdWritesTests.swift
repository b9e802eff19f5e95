import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// The traces, the needs and the errors of writes on a real cluster.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdWritesTests {
    @Test(arguments: [EtcdStoreOptions.Writes.committed, .background()])
    func `a store that is released leaves neither a marker nor a lease`(_ writes: EtcdStoreOptions.Writes) throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        func write(_ value: String) throws {
            let store = try cluster.open { $0.writes = writes }
            try store.apply(PropertyListBatch(.set(.string(value), key: "a")))
        }
        for value in ["1", "2", "3"] {
            try write(value)
            // A store that writes in the background sends the value after it is released.
            try eventually("the cluster has \(value)", try cluster.etcdctl("get", "--print-value-only", "greeter/a")) {
                $0 == "\"\(value)\"\n"
            }
        }
        try eventually("the cluster has no leases", try cluster.leases()) { $0 == "found 0 leases" }
        #expect(try cluster.etcdctl("get", "--prefix", "", "--keys-only") == "greeter/a\n\n")
        #expect(try cluster.etcdctl("get", "--print-value-only", "greeter/a") == "\"3\"\n")
    }

    @Test func `a store that is closed leaves nothing, has sent everything and goes on reading`() async throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let store = try cluster.open { $0.writes = .background() }
        for number in 0..<300 { try store.apply(PropertyListBatch(.set(1, key: "key\(number)"))) }
        func close() throws { try store.close() }
        try close()
        try await store.close()
        #expect(try cluster.leases() == "found 0 leases")
        #expect(try cluster.etcdctl("get", "--prefix", "", "--keys-only").split(separator: "\n").count == 300)
        expectError(.notApplied) { try store.apply(PropertyListBatch(.set(2, key: "key0"))) }
        #expect(store.value(forKey: "key0") == 1)
        await #expect(throws: StoreError.self) { try await store.commit(PropertyListBatch(.set(2, key: "key0"))) }
    }

    @Test func `a lease whose grant is repeated after a lost answer is one`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer { proxy.stop() }
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.seconds(60), .seconds(1))
        let store = try EtcdStore(endpoints: [proxy.endpoint], prefix: "greeter/", options: options)
        _ = try store.waitForMember()
        proxy.pause(.toClient)
        let call = BackgroundCall { try store.apply(PropertyListBatch(.set(1, key: "a"))) }
        try eventually("the lease is granted", try cluster.leases()) { $0 == "found 1 leases" }
        eventually("the store gives the connection up", store.status.staleSince) { $0 != nil }
        proxy.resume()
        try call.result()
        #expect(try cluster.leases() == "found 1 leases")
        try store.close()
        #expect(try cluster.leases() == "found 0 leases")
    }

    @Test func `a write that is on its way when its store is closed happens once`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let proxy = try TCPProxy(to: cluster.members[0].endpoint)
        defer { proxy.stop() }
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.seconds(60), .seconds(1))
        let endpoints = [proxy.endpoint, cluster.members[0].endpoint]
        // A connection begins with any of the members, and stores with the same options share it.
        var opened: EtcdStore?
        while try opened?.waitForMember() != proxy.endpoint {
            options.callTimeout += .milliseconds(1)
            opened = try EtcdStore(endpoints: endpoints, prefix: "greeter/", options: options)
        }
        let store = try #require(opened)
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        eventually("the first write is over", store.engine.state.read(\.isIdle)) { $0 }
        proxy.pause(.toServer)
        let call = BackgroundCall { [store] in try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        eventually("the other one is on its way", store.engine.state.read(\.isIdle)) { !$0 }
        try store.close()
        try call.result()
        proxy.resume()
        #expect(try cluster.etcdctl("get", "greeter/a", "--write-out", "fields").contains("\"Version\" : 2\n"))
        #expect(try cluster.etcdctl("get", "--prefix", "", "--keys-only") == "greeter/a\n\n")
        #expect(try cluster.leases() == "found 0 leases")
    }

    @Test(arguments: [EtcdStoreOptions.Writes.committed, .background()])
    func `without space, removals work`(_ writes: EtcdStoreOptions.Writes) throws {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--quota-backend-bytes", "\(4 << 20)"]))
        defer { cluster.stop() }
        let writer = try cluster.open()
        for name in ["a", "b", "c", "d"] { try writer.apply(PropertyListBatch(.set(1, key: name))) }
        try cluster.fill(by: writer)
        let store = try cluster.open {
            $0.writes = writes
            $0.timeout = .seconds(10)
        }
        // One that has a marker, and one that cannot get one.
        for (store, names) in [(writer, ["a"]), (store, ["b", "c"])] {
            var batch = PropertyListBatch()
            for name in names + ["absent"] { batch.remove(name) }
            #expect(throws: Never.self) { try store.apply(batch) }
            #expect(throws: Never.self) { try store.synchronize() }
            for name in names {
                #expect(store.value(forKey: name) == nil)
                #expect(try cluster.etcdctl("get", "greeter/\(name)") == "")
            }
        }
        expectError(.notApplied) { try writer.apply(PropertyListBatch(.set(1, key: "a"))) }
        #expect(throws: Never.self) { try store.apply(PropertyListBatch(.removeAll)) }
        #expect(throws: Never.self) { try store.synchronize() }
        #expect(try cluster.etcdctl("get", "--prefix", "greeter/", "--keys-only").contains("greeter/d") == false)
        writer.waitFor(nil, forKey: "d")

        try cluster.compact(at: cluster.revision())
        try cluster.etcdctl("defrag")
        try cluster.etcdctl("alarm", "disarm")
        try store.apply(PropertyListBatch(.set(2, key: "a")))
        try store.synchronize()
        writer.waitFor(2, forKey: "a")
    }

    @Test func `a prefix is replaced while others write to it`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        let writers = try (0..<4).map { _ in try cluster.open() }
        let calls = writers.enumerated().map { number, writer in
            BackgroundCall {
                var count = 0
                while !isOver.withLock(\.self) {
                    count += 1
                    try writer.apply(
                        PropertyListBatch(.set(.integer(PropertyListInteger(count)), key: "load\(number)"))
                    )
                }
            }
        }
        let store = try cluster.open { $0.timeout = .seconds(10) }
        for number in 0..<4 { store.waitFor(store.value(forKey: "load\(number)"), forKey: "load\(number)") }
        var batch = PropertyListBatch(.removeAll)
        for number in 0..<20 { batch.set(1, forKey: "key\(number)") }
        #expect(throws: Never.self) { for _ in 0..<5 { try store.apply(batch) } }
        isOver.withLock { $0 = true }
        for call in calls { try call.result() }
    }

    @Test func `a wrong password is the reason of every failed write`() throws {
        ReportedProblems.begin()
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        func administer(_ command: String...) throws {
            let result = try cluster.administer(command, at: cluster.members)
            #expect(result.status == 0, "\(result.error)")
        }
        try administer("user", "add", "root:secret")
        try administer("user", "grant-role", "root", "root")
        try administer("user", "add", "ann:pass")
        try administer("role", "add", "greeter")
        try administer("role", "grant-permission", "greeter", "readwrite", "--prefix", "greeter/")
        try administer("user", "grant-role", "ann", "greeter")
        try administer("auth", "enable")
        func open(_ writes: EtcdStoreOptions.Writes) throws -> EtcdStore {
            try cluster.open {
                $0.credentials = EtcdCredentials(user: "ann", password: "pass", allowsPlaintext: true)
                ($0.writes, $0.timeout) = (writes, .seconds(3))
            }
        }
        let (store, other) = (try open(.committed), try open(.background(limit: 1)))
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        // The user gets another password.
        try administer("--user", "root:secret", "user", "delete", "ann")
        try administer("--user", "root:secret", "user", "add", "ann:other")
        try administer("--user", "root:secret", "user", "grant-role", "ann", "greeter")
        try cluster.members[0].restart()
        for store in [store, other] {
            eventually("\(store.name) is refused", store.status.problem) {
                $0?.contains("authentication failed") == true
            }
        }

        var errors = [expectError(.unauthorized) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }]
        try other.apply(PropertyListBatch(.set(2, key: "b")))
        errors.append(expectError(.notDurable) { try other.synchronize() })
        errors.append(expectError(.unauthorized) { try other.apply(PropertyListBatch(.set(2, key: "c"))) })
        var commit = PropertyListBatch(.set(2, key: "a"))
        commit.expect(nil, forKey: "a")
        errors.append(expectError(.unauthorized) { try other.apply(commit) })
        for error in errors {
            let error = try #require(error)
            #expect(error.reason.contains("authentication failed"))
            #expect(error.remedy.contains("correct the credentials"), "\(error)")
            #expect(!"\(error)".contains("no member"))
        }
        eventually("the store reports it", ReportedProblems.of(store).filter { $0.contains("stay as they are") }) {
            $0.contains { $0.contains("correct the credentials") && !$0.contains("no member") }
        }
    }
}

extension TestCluster {
    /// The first line of etcd's list of leases, such as `found 2 leases`.
    fileprivate func leases() throws -> String {
        try etcdctl("lease", "list").split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Uses all space of a cluster with a small quota.
    fileprivate func fill(by store: EtcdStore) throws {
        let filling = PropertyListValue.string(String(repeating: "x", count: 500_000))
        for _ in 0..<40 {
            do throws(StoreError) {
                try store.apply(PropertyListBatch(.set(filling, key: "filling")))
            } catch {
                #expect(error.code == .notApplied)
                return
            }
        }
        throw failure("the quota is not used up")
    }
}
