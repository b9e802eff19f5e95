import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Stores whose password is wrong from the beginning, or from some time on.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct CredentialFaultTests {
    private static let prefix = "greeter/"

    private func open(
        _ cluster: TestCluster,
        _ credentials: EtcdCredentials = TestCluster.credentials(),
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        // Only a call that fails takes so long.
        options.timeout = .seconds(60)
        options.credentials = credentials
        configure(&options)
        return try EtcdStore(endpoints: cluster.endpoints, prefix: Self.prefix, options: options)
    }

    /// Expects that a call throws an error that names the password as the cause, and not the members.
    private func expectRefusal(
        _ code: StoreError.Code,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        guard let error = expectError(code, sourceLocation: sourceLocation, body) else { return }
        let text = "\(error)"
        #expect(text.contains("authentication") && !text.contains("no member"), sourceLocation: sourceLocation)
        #expect(!text.contains("pass\"") && !text.contains("\"new\""), sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 3]) func `a wrong password is told when a store opens`(memberCount: Int) throws {
        let cluster = try TestCluster(.init(size: memberCount))
        defer { cluster.stop() }
        try cluster.addUsers(prefix: Self.prefix)
        expectRefusal(.unauthorized) { _ = try open(cluster, TestCluster.credentials(password: "wrong")) }
        try open(cluster).apply(PropertyListBatch(.set(1, key: "a")))
        #expect(try cluster.texts(prefix: Self.prefix) == ["a": "1"])
    }

    @Test func `a password that changes is told by each write and by the status, and reads go on`() throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        try cluster.addUsers(prefix: Self.prefix)
        let store = try open(cluster) { $0.timeout = .seconds(10) }
        let background = try open(cluster) { ($0.timeout, $0.writes) = (.seconds(10), .background()) }
        let stores = [store, background]
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        background.waitFor(1, forKey: "a")
        try cluster.changePassword(to: "new")

        expectRefusal(.unauthorized) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        // The watch that is there stays.
        try cluster.make([["\(Self.prefix)b": "1"]])
        for store in stores { store.waitFor(1, forKey: "b") }

        try cluster.members[0].restart()
        try cluster.waitUntilHealthy()
        for store in stores {
            eventually("the status of \(store.name) names the cause", store.status.problem) {
                $0?.contains("authentication") == true
            }
            #expect(store.texts == ["a": "1", "b": "1"] && store.status.staleSince != nil)
        }
        expectRefusal(.unauthorized) { try store.apply(PropertyListBatch(.set(3, key: "a"))) }
        expectRefusal(.unauthorized) { try Defaults(store).store.apply(PropertyListBatch(.remove(key: "a"))) }
        try background.apply(PropertyListBatch(.set(3, key: "waiting")))
        expectRefusal(.notDurable) { try background.synchronize() }
        expectRefusal(.unauthorized) { _ = try open(cluster) }

        // The stores go on by themselves once the password is theirs again.
        try cluster.changePassword(to: "pass")
        for store in stores { eventually("\(store.name) is fresh", store.status.staleSince) { $0 == nil } }
        try store.apply(PropertyListBatch(.set(4, key: "a")))
        background.waitFor(4, forKey: "a")
        #expect(store.value(forKey: "a") == 4)
    }

    @Test(arguments: [false, true])
    func `a store takes the changed password without a restart`(isRestarted: Bool) throws {
        let cluster = try TestCluster(.init(size: 1))
        defer { cluster.stop() }
        try cluster.addUsers(prefix: Self.prefix)
        let password = Locked("pass")
        let credentials = EtcdCredentials(user: "ann", allowsPlaintext: true) { password.withLock { $0 } }
        let store = try open(cluster, credentials)
        try store.apply(PropertyListBatch(.set(1, key: "a")))

        try cluster.changePassword(to: "new")
        expectRefusal(.unauthorized) { try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        if isRestarted {
            try cluster.members[0].restart()
            try cluster.waitUntilHealthy()
        }
        password.withLock { $0 = "new" }
        eventually("the store writes with the new password") {
            (try? store.apply(PropertyListBatch(.set(3, key: "a")))) != nil
        }
        try cluster.make([["\(Self.prefix)b": "1"]])
        store.waitFor(1, forKey: "b")
        #expect(try cluster.texts(prefix: Self.prefix) == ["a": "3", "b": "1"])
    }
}
