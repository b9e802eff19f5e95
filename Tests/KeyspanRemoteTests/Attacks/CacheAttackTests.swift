import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Cache files that someone else has written.
@Suite(.bounded)
struct CacheAttackTests {
    @Test(arguments: [
        "{\"keyspan.remote.server\": 5}", "{}",
        "{\"keyspan.remote.server\": \"remote https://settings.test/settings\", \"keyspan.remote.fetched\": 5}",
        "{\"keyspan.remote.server\": \"remote https://settings.test/settings\", \"keyspan.remote.fetched\": \"x\"}",
    ])
    func `a strange file does not keep a store from its cache`(_ text: String) async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        let path = try folder.write(text, to: "cache")
        let problems = Problems()
        do {
            let store = try problems.collect { try makeClient(of: server, cache: path) }
            #expect(store.snapshot() == [:])
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1])
            try await store.synchronize()
        }
        let again = try problems.collect { try makeClient(of: server, cache: path) }
        #expect(again.snapshot() == ["limit": 1])
        #expect(problems.kinds == [], "\(problems.values)")
    }

    @Test(arguments: [
        "null", "\"x\"", "1", "\0\0\0\0", "{\"a\": 1} // x", "{}\n{}", String(repeating: "[", count: 500_000),
        "{\"a\": \"\\ud800\"}",
    ])
    func `a file that is no cache is left alone`(_ text: String) async throws {
        let (server, folder, problems) = (try TestServer(["limit": 1]), try TemporaryFolder(), Problems())
        let path = try folder.write(text, to: "cache")
        let store = try problems.collect { try makeClient(of: server, cache: path) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1] && problems.kinds == ["cacheFailed"])
        #expect(try folder.text(of: "cache") == text)
    }

    @Test(arguments: ["nan", "inf", "-inf", "9999-12-31T23:59:59Z"])
    func `a proof at a time that is none ends no program`(_ date: String) async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        let path = folder.path("cache")
        do {
            let store = try makeClient(of: server, cache: path)
            try await store.fetch()
            try await store.synchronize()
        }
        let tagged = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let start = try #require(tagged.range(of: "{\"$date\"") ?? tagged.range(of: "{ \"$date\""))
        let end = try #require(tagged[start.lowerBound...].range(of: "}"))
        try folder.write(
            tagged.replacingCharacters(in: start.lowerBound..<end.upperBound, with: "{\"$date\": \"\(date)\"}"),
            to: "other"
        )
        let store = try makeClient(of: server, cache: folder.path("other"))
        #expect(store.snapshot() == ["limit": 1])
        _ = store.provenance(forKeys: ["limit"], findingLines: false)
        #expect(store.status.lastProof.map { $0.timeIntervalSince1970 < 2e9 } ?? true, "\(store.status)")
    }

    @Test func `a folder in the place of the file is reported, and the store works without it`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        try FileManager.default.createDirectory(atPath: folder.path("cache"), withIntermediateDirectories: false)
        try folder.write("x", to: "cache/x")
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, cache: folder.path("cache")) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
        #expect(problems.kinds == ["cacheFailed"])
        #expect(folder.contains("cache/x"))
    }

    @Test func `large documents are cached`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        try server.set(["title": .string(String(repeating: "\u{1}é", count: 600_000))])
        let path = folder.path("cache")
        do {
            let store = try makeClient(of: server, cache: path)
            try await store.fetch()
            try await store.synchronize()
        }
        #expect(try makeClient(of: server, cache: path).snapshot() == server.base.snapshot())
    }

    @Test func `two stores with one file keep the newest document`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        let path = folder.path("cache")
        let old = try server.document()
        try server.set(["limit": 2])
        let second = try makeClient(of: server, cache: path)
        let first = try makeClient(of: server, over: ClosureTransport { _, _ in .body(old) }, cache: path)
        try await second.fetch()
        try await first.fetch()
        try await first.synchronize()
        try await second.synchronize()
        #expect(first.snapshot() == ["limit": 1])
        #expect(try makeClient(of: server, cache: path).snapshot() == ["limit": 2])
    }

    @Test func `two stores of different servers with one file come to an end`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        let path = folder.path("cache")
        let stores = try ["https://a.test/settings", "https://b.test/settings"].map {
            try makeClient(of: server, url: $0, cache: path)
        }
        await withTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask { for _ in 0..<30 { _ = try? await store.fetch(); try? await store.synchronize() } }
            }
        }
    }
}
