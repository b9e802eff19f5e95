import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

@Suite(.heavy, .bounded, .enabled(if: TestCluster.isInstalled)) struct EtcdStoreTests {
    @Test func `etcdctl and a store see each other's changes`() throws {
        let store = try SharedCluster.open()
        let cluster = try SharedCluster.cluster
        try store.apply(PropertyListBatch(.set(["size": 3, "names": ["a", "b"]], key: "theme")))
        let text = try cluster.etcdctl("get", "--print-value-only", store.prefix + "theme")
        #expect(text == #"{"names": ["a", "b"], "size": 3}"# + "\n")

        try cluster.etcdctl("put", store.prefix + "port", "8080")
        store.waitFor(8080, forKey: "port")
        try cluster.etcdctl("del", store.prefix + "theme")
        store.waitFor(nil, forKey: "theme")
    }

    @Test func `an entry that is no value is reported, left alone and read once it is one`() throws {
        ReportedProblems.begin()
        let cluster = try SharedCluster.cluster
        let prefix = SharedCluster.newPrefix()
        try cluster.etcdctl("put", prefix + "port", "80 80")
        try cluster.etcdctl("put", prefix + "host", #""a""#)
        let store = try SharedCluster.open(prefix)
        #expect(store.snapshot() == ["host": "a"])
        eventually("the entry is reported", ReportedProblems.of(store)) { $0.contains { $0.contains("\"port\"") } }

        let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(1, key: "port"))) }
        #expect(error?.code == .unsupportedValue && error?.key == "port")
        try store.apply(PropertyListBatch(.removeAll))
        #expect(try cluster.etcdctl("get", "--print-value-only", prefix + "port") == "80 80\n")
        #expect(store.snapshot().isEmpty)

        try cluster.etcdctl("put", prefix + "port", "8080")
        store.waitFor(8080, forKey: "port")
    }

    @Test func `a batch beyond the limits of a transaction names the limit`() throws {
        let store = try SharedCluster.open()
        var batch = PropertyListBatch()
        for index in 0..<128 { batch.set(1, forKey: "key \(index)") }
        let error = #expect(throws: StoreError.self) { try store.apply(batch) }
        #expect(error?.code == .tooLarge && error?.reason.contains("127") == true)
        var largest = PropertyListBatch()
        for index in 0..<127 { largest.set(1, forKey: "key \(index)") }
        try store.apply(largest)

        let long = PropertyListValue.string(String(repeating: "x", count: 2_000_000))
        let tooLong = #expect(throws: StoreError.self) {
            try store.apply(PropertyListBatch(.set(long, key: "long")))
        }
        #expect(tooLong?.code == .tooLarge && tooLong?.key == "long")
        #expect(store.snapshot().count == 127)
    }

    @Test func `names of the store's own are refused`() throws {
        let store = try SharedCluster.open()
        expectError(.invalidKey) { try store.apply(PropertyListBatch(.set(1, key: ".keyspan/writers/x"))) }
    }

    @Test func `layers over and under the cluster say where a value came from`() throws {
        let cluster = try SharedCluster.open()
        let folder = try TemporaryFolder()
        let file = try JSONFileStore(path: folder.path("settings.json"))
        try file.apply(PropertyListBatch(.set("file", key: "motto")))
        let (host, port) = (Defaults.Key<String>("host", default: "-"), Defaults.Key<Int>("port", default: 80))
        let motto = Defaults.Key<String>("motto", default: "-")
        let theme = Defaults.Key<String>("theme", default: "-")
        let defaults = Defaults(
            LayeredStore([
                .init("environment", EnvironmentStore(prefix: "GREETER_", environment: ["GREETER_HOST": "h"])),
                .init("cluster", cluster, isWritable: true),
                .init("file", file, isWritable: true),
                .init("registered", RegistrationDomain()),
            ])
        )
        try defaults.register(["theme": "dark", "motto": "registered"])
        defaults[port] = 8080
        try cluster.synchronize()
        let revision = try SharedCluster.cluster.revision()
        let source = defaults.provenance(of: port)?.description ?? ""
        #expect(source.hasPrefix("cluster: etcd 127.0.0.1:"))
        #expect((1...revision).contains(source.split(separator: " ").last.flatMap { Int64($0) } ?? 0))
        for (key, layer) in [(host, "environment"), (motto, "file"), (theme, "registered")] {
            #expect(defaults.provenance(of: key)?.description.hasPrefix(layer) == true)
        }
        #expect([defaults[host], defaults[motto], defaults[theme]] == ["h", "file", "dark"])

        // A value of the cluster comes before those below, and its removal shows these again.
        try cluster.apply(PropertyListBatch(.set("cluster", key: "motto")))
        #expect(defaults[motto] == "cluster")
        try cluster.apply(PropertyListBatch(.remove(key: "motto")))
        #expect(defaults[motto] == "file")
    }

    @Test func `a listing of several pages is whole`() throws {
        let store = try SharedCluster.open()
        for page in 0..<25 {
            var batch = PropertyListBatch()
            for index in 0..<100 { batch.set(.integer(PropertyListInteger(index)), forKey: "\(page)/\(index)") }
            try store.apply(batch)
        }
        #expect(try SharedCluster.open(store.prefix).snapshot() == store.snapshot())
        #expect(store.snapshot().count == 2500)
    }

    @Test func `a task commits and opens without blocking`() async throws {
        let endpoints = try SharedCluster.cluster.endpoints
        let store = try await EtcdStore.open(endpoints: endpoints, prefix: SharedCluster.newPrefix())
        try await store.commit(PropertyListBatch(.set(1, key: "a")))
        #expect(store.value(forKey: "a") == 1)
        try await store.synchronize()
    }

    @Test func `writers that block all threads of the pool end`() async throws {
        let store = try SharedCluster.open()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<32 {
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    try? store.apply(PropertyListBatch(.set(1, key: "\(index)")))
                }
            }
        }
        #expect(store.snapshot().count == 32)
    }

    @Test func `a store that writes often keeps its connection`() throws {
        let store = try SharedCluster.open()
        // A member pings about once for each call, and HTTP/2 allows 200 pings in 30 seconds. A loaded machine and an election end
        // connections too, but not each time.
        let isKept = try (0..<10).contains { _ in
            let outages = store.engine.state.read(\.outages)
            for number in 0..<300 {
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "a")))
            }
            return store.engine.state.read(\.outages) == outages
        }
        #expect(isKept)
    }

    @Test func `the status names a member and the revision`() async throws {
        let store = try SharedCluster.open()
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        let cluster = try SharedCluster.cluster
        try await eventually("the values are fresh", store.status) { $0.endpoint != nil && $0.staleSince == nil }
        #expect(try store.status.revision ?? .max <= cluster.revision())
        for await update in store.statusUpdates {
            guard let endpoint = update.endpoint else { continue }
            #expect(cluster.endpoints.contains(endpoint))
            #expect(update.problem == nil)
            break
        }
    }
}
