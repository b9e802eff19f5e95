import Foundation
import KeyspanCore
import KeyspanEtcd
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The file with the last known values: which cluster it is of, and that it is up to date at the end.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct EtcdCacheTests {
    private let folder: TemporaryFolder
    private let prefix = SharedCluster.newPrefix()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path("cache.json") }

    /// An endpoint at which nobody answers.
    private static let nobody = "127.0.0.1:1"

    private func open(_ endpoints: [String], timeout: Duration = .seconds(60)) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        (options.cache, options.timeout) = (path, timeout)
        return try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
    }

    /// The values of the file, as another process reads them.
    private func content() throws -> PropertyListTable {
        var options = FileStoreOptions()
        (options.namesLeadInside, options.isWatching) = (false, false)
        return try JSONFileStore(path: path, options: options).snapshot()
    }

    /// Changes the file, as an earlier state of it would be.
    private func change(_ values: PropertyListDictionary) throws {
        var options = FileStoreOptions()
        (options.namesLeadInside, options.isWatching) = (false, false)
        let store = try JSONFileStore(path: path, options: options)
        var batch = PropertyListBatch()
        for (name, value) in values { batch.set(value, forKey: name) }
        try store.apply(batch)
        try store.synchronize()
    }

    @Test func `a store does not start with the values of another cluster`() throws {
        let endpoints = try SharedCluster.cluster.endpoints
        do {
            let store = try open(endpoints)
            try store.apply(PropertyListBatch(.set(1111, key: "port")))
            try eventually("the file has the value", try content()["port"]) { $0 == 1111 }
        }
        let error = expectError(.unreachable) { try open([Self.nobody], timeout: .seconds(1)).value(forKey: "port") }
        #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
        // One member of the cluster that the file is of is enough: members are replaced one by one.
        do {
            let store = try open([Self.nobody, endpoints[0]])
            #expect(store.value(forKey: "port") == 1111)
        }
        #expect(try open([Self.nobody], timeout: .seconds(1)).value(forKey: "port") == 1111)
    }

    @Test func `a store does not start from a file without the cluster's identity`() throws {
        try folder.write(
            """
            {".keyspan/prefix": "\(prefix)", ".keyspan/revision": 5, ".keyspan/time": {"$date": "2026-11-26T10:50:00Z"}, "port": 1}
            """,
            to: "cache.json"
        )
        let error = expectError(.unreachable) { try open([Self.nobody], timeout: .seconds(1)).value(forKey: "port") }
        #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
    }

    @Test func `another cluster in the place of that of the file is reported`() throws {
        ReportedProblems.begin()
        let other = try TestCluster(.init(size: 1))
        defer { other.stop() }
        do {
            let store = try open(other.endpoints + [Self.nobody])
            try store.apply(PropertyListBatch(.set("other", key: "place")))
            try eventually("the file has the value", try content()["place"]) { $0 == "other" }
        }
        let store = try open(SharedCluster.cluster.endpoints + [Self.nobody])
        #expect(store.value(forKey: "place") == nil)
        eventually("the problem is reported", ReportedProblems.of(store)) { $0.contains { $0.contains("restored") } }
        try eventually("the file is of the new cluster", try content()["place"]) { $0 == nil }
    }

    @Test func `a cluster that is older than the file is reported, and replaces it`() throws {
        ReportedProblems.begin()
        do {
            let store = try open(SharedCluster.cluster.endpoints)
            try store.apply(PropertyListBatch(.set(1, key: "a")))
            try eventually("the file has the value", try content()["a"]) { $0 == 1 }
        }
        try change([".keyspan/revision": 1_000_000_000, "lost": 1])
        let store = try open(SharedCluster.cluster.endpoints)
        #expect(store.snapshot() == ["a": 1])
        eventually("the problem is reported", ReportedProblems.of(store)) { $0.contains { $0.contains("restored") } }
        try eventually("the file is that of the cluster", try content()) {
            $0["lost"] == nil && $0[".keyspan/revision"] != 1_000_000_000
        }
    }

    @Test func `a change just before the end of the store is in the file`() throws {
        for number in 1...3 {
            do {
                let store = try open(SharedCluster.cluster.endpoints)
                try store.apply(PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "last")))
            }
            #expect(try content()["last"] == .integer(PropertyListInteger(number)))
        }
    }

    @Test func `a change just before the end of the process is in the file`() async throws {
        let words = [try SharedCluster.cluster.endpoints[0], prefix, path]
        setenv("KEYSPAN_TEST_CACHE_OF_EXIT", words.joined(separator: "\n"), 1)
        await #expect(processExitsWith: .success) {
            let words = try #require(TestProcess.environment["KEYSPAN_TEST_CACHE_OF_EXIT"]).split(separator: "\n")
            var options = EtcdStoreOptions()
            (options.cache, options.timeout) = (String(words[2]), .seconds(60))
            let store = try EtcdStore(endpoints: [String(words[0])], prefix: String(words[1]), options: options)
            try store.apply(PropertyListBatch(.set(1, key: "last")))
            withExtendedLifetime(store) { exit(0) }
        }
        #expect(try content()["last"] == 1)
    }
}
