import Foundation
import KeyspanCore
import KeyspanEtcd
import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite(.enabled(if: TestCluster.isInstalled)) struct EtcdStoreTests {
    @Test func `etcdctl and a store see each other's changes`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            let cluster = try SharedCluster.cluster
            try store.apply(PropertyListBatch(.set(["size": 3, "names": ["a", "b"]], key: "theme")))
            let text = try cluster.etcdctl("get", "--print-value-only", store.prefix + "theme")
            #expect(text == #"{"names": ["a", "b"], "size": 3}"# + "\n")

            try cluster.etcdctl("put", store.prefix + "port", "8080")
            #expect(becomes { store.value(forKey: "port") == 8080 })
            try cluster.etcdctl("del", store.prefix + "theme")
            #expect(becomes { store.value(forKey: "theme") == nil })
        }
    }

    @Test func `a batch comes to other stores as one change`() async throws {
        try await TestThread.run {
            let writer = try SharedCluster.open()
            let reader = try SharedCluster.open(writer.prefix)
            let changes = Locked<[[String]]>([])
            let observation = reader.observe(.all, initial: false) { change in
                changes.withLock { $0.append(change.entries.map(\.key).sorted()) }
            }
            for round in 0..<20 {
                var batch = PropertyListBatch()
                for name in ["a", "b", "c"] { batch.set(.integer(PropertyListInteger(round)), forKey: name) }
                try writer.apply(batch)
            }
            #expect(becomes { changes.withLock(\.count) == 20 })
            #expect(changes.withLock { $0.allSatisfy { $0 == ["a", "b", "c"] } })
            observation.cancel()
        }
    }

    @Test func `an entry that is no value is reported, left alone and read once it is one`() async throws {
        ReportedProblems.begin()
        try await TestThread.run {
            let cluster = try SharedCluster.cluster
            let prefix = SharedCluster.newPrefix()
            try cluster.etcdctl("put", prefix + "port", "80 80")
            try cluster.etcdctl("put", prefix + "host", #""a""#)
            let store = try SharedCluster.open(prefix)
            #expect(store.snapshot() == ["host": "a"])
            #expect(becomes { ReportedProblems.of(store).contains { $0.contains("\"port\"") } })

            let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(1, key: "port"))) }
            #expect(error?.code == .unsupportedValue && error?.key == "port")
            try store.apply(PropertyListBatch(.removeAll))
            #expect(try cluster.etcdctl("get", "--print-value-only", prefix + "port") == "80 80\n")
            #expect(store.snapshot().isEmpty)

            try cluster.etcdctl("put", prefix + "port", "8080")
            #expect(becomes { store.value(forKey: "port") == 8080 })
        }
    }

    @Test func `increments of several stores and threads are all there`() async throws {
        try await TestThread.run {
            let first = try SharedCluster.open()
            let stores = try [first] + (0..<2).map { _ in try SharedCluster.open(first.prefix) }
            let key = Defaults.Key<Int>("count", default: 0)
            let threads = (0..<6).map { index in
                TestThread { for _ in 0..<10 { Defaults(stores[index % 3]).modify(key) { $0 += 1 } } }
            }
            threads.forEach { $0.join() }
            #expect(becomes { stores.allSatisfy { $0.value(forKey: "count") == 60 } })
        }
    }

    @Test func `a batch is refused whole if a value is not the one that it expects`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            let other = try SharedCluster.open(store.prefix)
            try other.apply(PropertyListBatch(.set(1, key: "a")))
            var batch = PropertyListBatch(.set(2, key: "b"))
            batch.expect(1, forKey: "a")
            // The value of another store, which this one may not have seen.
            try store.apply(batch)
            batch.expect(5, forKey: "a")
            let error = #expect(throws: StoreError.self) { try store.apply(batch) }
            #expect(error?.code == .conflict && error?.key == "a")
            #expect(store.value(forKey: "a") == 1)
        }
    }

    @Test func `a batch beyond the limits of a transaction names the limit`() async throws {
        try await TestThread.run {
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
    }

    @Test func `names of the store's own are refused`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            let error = #expect(throws: StoreError.self) {
                try store.apply(PropertyListBatch(.set(1, key: ".keyspan/writers/x")))
            }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test func `names that differ in their bytes are different keys`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            try store.apply(PropertyListBatch(.set(1, key: "\u{e9}")))
            try store.apply(PropertyListBatch(.set(2, key: "e\u{301}")))
            let reader = try SharedCluster.open(store.prefix)
            #expect(reader.value(forKey: "\u{e9}") == 1)
            #expect(reader.value(forKey: "e\u{301}") == 2)
        }
    }

    @Test func `every kind of value comes back as it was`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            let values: [String: PropertyListValue] = [
                "true": true, "one": 1, "one point zero": 1.0,
                "largest": .integer(PropertyListInteger(exactly: UInt64.max) ?? 0),
                "infinity": .real(.infinity), "text": "a\u{0}\n\u{1F600}",
                "date": .date(Date(timeIntervalSinceReferenceDate: 0.25)),
                "data": .data(Data([0, 255])), "nested": ["a": [1, [2.5, ["$date": "x"]]]],
            ]
            var batch = PropertyListBatch()
            for (name, value) in values { batch.set(value, forKey: name) }
            try store.apply(batch)
            #expect(try SharedCluster.open(store.prefix).snapshot() == PropertyListTable(values))
        }
    }

    @Test func `layers over and under the cluster say where a value came from`() async throws {
        try await TestThread.run {
            let cluster = try SharedCluster.open()
            let path = FileManager.default.temporaryDirectory.appending(path: "keyspan-\(UUID()).json").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = try JSONFileStore(path: path)
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
    }

    @Test func `a listing of several pages is whole`() async throws {
        try await TestThread.run {
            let store = try SharedCluster.open()
            for page in 0..<25 {
                var batch = PropertyListBatch()
                for index in 0..<100 { batch.set(.integer(PropertyListInteger(index)), forKey: "\(page)/\(index)") }
                try store.apply(batch)
            }
            #expect(try SharedCluster.open(store.prefix).snapshot() == store.snapshot())
            #expect(store.snapshot().count == 2500)
        }
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
                group.addTask { try? store.apply(PropertyListBatch(.set(1, key: "\(index)"))) }
            }
        }
        #expect(store.snapshot().count == 32)
    }

    @Test func `a store that writes often keeps its connection`() async throws {
        let store = try SharedCluster.open()
        let losses = Locked(0)
        let following = Task {
            for await status in store.statusUpdates where status.endpoint == nil { losses.withLock { $0 += 1 } }
        }
        try await TestThread.run {
            // A member pings about once for each call.
            for number in 0..<300 {
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "a")))
            }
        }
        following.cancel()
        #expect(losses.withLock(\.self) == 0)
    }

    @Test func `the status names a member and the revision`() async throws {
        let store = try SharedCluster.open()
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        let status = store.status
        #expect(try status.endpoint.map(SharedCluster.cluster.endpoints.contains) == true)
        #expect(try status.revision ?? 0 <= SharedCluster.cluster.revision())
        #expect(status.staleSince == nil && status.problem == nil)
        for await update in store.statusUpdates {
            #expect(update.endpoint == status.endpoint)
            break
        }
    }
}
