import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// Documents, and the requests for them.
@Suite
struct SettingsPublisherTests {
    @Test func `a document has the values of published keys, and no others`() async throws {
        let server = try TestServer(["limit": 5, "internal": "x", "unknown": 1])
        let message = try await server.message()
        #expect(message.kind == .document && message.values == ["limit": 5] && message.name == "test")
        server.defaults[TestKeys.title] = "a"
        let next = try await server.message()
        #expect(next.values == ["limit": 5, "title": "a"] && next.revision > message.revision)
        server.defaults[TestKeys.internalKey] = "y"
        #expect(try await server.message().revision == next.revision)
    }

    @Test func `a key that is published and secret stops the publisher`() throws {
        let secret = Defaults.Key<String>("token", default: "").published().secret()
        let error = #expect(throws: SettingsPublisherError.self) { try TestServer(keys: [TestKeys.limit, secret]) }
        #expect(error?.kind == .secretKey && error?.key == "token" && error?.description.contains("token") == true)
        let entry = Defaults.Key<String>("token", default: "")
        for keys in [[entry.published(), entry.secret()], [entry.secret(), TestKeys.limit, entry.published()]] {
            let error = #expect(throws: SettingsPublisherError.self) { try TestServer(keys: keys) }
            #expect(error?.kind == .secretKey && error?.key == "token")
        }
        #expect(throws: SettingsPublisherError.self) { try TestServer(keys: [TestKeys.internalKey]) }
        #expect(throws: SettingsPublisherError.self) { try TestServer(name: "a\nb") }
        #expect(throws: SettingsPublisherError.self) { try TestServer(options: .init { $0.path = "settings" }) }
    }

    struct Keys: KeyGroup {
        let limit = Key<Int>("limit", default: 1).published()
        let nested = Nested()

        struct Nested: KeyGroup {
            let on = Key<Bool>("on", default: false).published()
        }
    }

    @Test func `a group is published with its nested groups`() async throws {
        let group = Defaults.Group<Keys>(InMemoryStore(["limit": 2, "on": true]))
        let publisher = try SettingsPublisher(group, name: "group", signingKey: .generate(id: "a"))
        let response = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings"))
        guard case .bytes(let bytes) = response.body else { return }
        let message = try SettingsMessage(content: try SignedMessage(reading: bytes, atMost: 1 << 16).content)
        #expect(message.values == ["limit": 2, "on": true])
    }

    @Test func `a value that its key cannot read is reported once and not published`() async throws {
        let problems = Problems()
        let server = try TestServer(["limit": "no", "port": 0, "title": "a"])
        let message = try await problems.collect { Task { try await server.message() } }.value
        #expect(message.values == ["title": "a"])
        #expect(problems.kinds == ["valueNotPublished", "valueNotPublished"])
        problems.collect { server.defaults[TestKeys.title] = "b" }
        #expect(problems.kinds.count == 2)
        problems.collect { server.defaults[TestKeys.limit] = 3 }
        #expect(try await server.message().values == ["title": "b", "limit": 3])
        try problems.collect { try server.base.apply(PropertyListBatch(.set("no", key: "limit"))) }
        #expect(problems.kinds.count == 3)
        #expect(try await server.message().values == ["title": "b", "limit": 3])
        try server.set(["limit": PropertyListValue?.none])
        try problems.collect { try server.base.apply(PropertyListBatch(.set("no", key: "limit"))) }
        #expect(problems.kinds.count == 4)
    }

    @Test func `text that someone typed is published as its key reads it`() async throws {
        let variables = EnvironmentStore(prefix: "T_", environment: ["T_LIMIT": "7", "T_TITLE": "8"])
        let server = try TestServer(layers: { _ in [variables] })
        #expect(try await server.message().values == ["limit": 7, "title": "8"])
    }

    @Test func `values that are too large keep clients at those before`() async throws {
        let problems = Problems()
        let server = try TestServer(["title": "a"], options: .init { $0.maximumSize = 4_096 })
        let message = try await server.message()
        problems.collect { server.defaults[TestKeys.title] = String(repeating: "x", count: 5_000) }
        #expect(problems.kinds == ["documentTooLarge"])
        #expect(try await server.message() == message)
        problems.collect { server.defaults[TestKeys.title] = "b" }
        #expect(try await server.message().values == ["title": "b"])
        #expect(problems.kinds.count == 1)
    }

    // MARK: - Variants

    @Test func `clients with the same overlays share a document`() async throws {
        let (beta, ios) = (InMemoryStore(["limit": 2]), InMemoryStore(["limit": 3, "title": "ios"]))
        let server = try TestServer(["limit": 1, "title": "base"]) { client in
            (client.cohort == "beta" ? [beta] : []) + (client.platform == "iOS" ? [ios] : [])
        }
        #expect(try await server.message().values == ["limit": 1, "title": "base"])
        #expect(try await server.message("?cohort=beta").values == ["limit": 2, "title": "base"])
        #expect(try await server.message("?platform=iOS").values == ["limit": 3, "title": "ios"])
        #expect(try await server.message("?platform=iOS&cohort=beta").values == ["limit": 2, "title": "ios"])
        let first = try await server.document("?platform=Linux&version=1")
        #expect(try await server.document("?platform=Linux&version=2&bucket=9") == first)
        try ios.apply(PropertyListBatch(.set(4, key: "limit")))
        #expect(try await server.message("?platform=iOS").values == ["limit": 4, "title": "ios"])
    }

    @Test func `variants are bounded, and a new one has the present revision`() async throws {
        let stores = (0..<20).map { InMemoryStore(["limit": .number($0)]) }
        let server = try TestServer(options: .init { $0.maximumVariants = 4 }) { client in
            client.bucket.map { [stores[$0]] } ?? []
        }
        for bucket in 0..<20 {
            #expect(
                try await server.message("?bucket=\(bucket)").values == ["limit": .number(bucket)]
            )
            #expect(server.publisher.core.state.withLock { $0.variants.count } <= 4)
        }
        let old = server.publisher.revision
        try stores[19].apply(PropertyListBatch(.set(100, key: "limit")))
        #expect(server.publisher.revision > old)
        #expect(try await server.message("?bucket=0").revision == server.publisher.revision)
    }

    // MARK: - Revisions and signatures

    @Test func `revisions rise with each change and through restarts`() async throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 0], clock: clock)
        var last = try await server.message().revision
        #expect(last == Int64(clock.now.timeIntervalSince1970 * 1_000))
        for value in 1...5 {
            server.defaults[TestKeys.limit] = value
            let revision = try await server.message().revision
            #expect(revision == last + 1)
            last = revision
        }
        clock.advance(by: 1)
        let other = try TestServer(["limit": 5], clock: clock)
        #expect(try await other.message().revision > last)
        let (here, there) = (try await server.message(), try await other.message())
        #expect(here.state == there.state)
    }

    @Test func `a document is signed anew after half of its validity`() async throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1], clock: clock)
        let (first, tag) = (try await server.document(), await server.get().header("ETag"))
        clock.advance(by: 3 * 86_400)
        #expect(try await server.document() == first)
        clock.advance(by: 86_400)
        let second = try await server.document()
        let (old, new) = (try server.read(first), try server.read(second))
        #expect(first != second && old.revision == new.revision && old.state == new.state)
        #expect(new.validity.upperBound == clock.now.addingTimeInterval(7 * 86_400))
        #expect(await server.get().header("ETag") != tag)
    }

    // MARK: - Requests

    @Test func `a cache keeps no document until it expires`() async throws {
        let options = SettingsPublisherOptions { ($0.validity, $0.maximumAge) = (.seconds(400), .seconds(10_000)) }
        let response = try await TestServer(["limit": 1], options: options).get()
        #expect(response.header("cache-control")?.hasPrefix("public, max-age=100,") == true)
    }

    @Test func `a client that has the document receives 304`() async throws {
        let server = try TestServer(["limit": 1])
        let response = await server.get()
        let tag = try #require(response.header("etag"))
        #expect(response.header("content-type") == "text/plain; charset=utf-8")
        #expect(response.header("cache-control")?.hasPrefix("public, max-age=60") == true)
        for tags in [tag, "W/\(tag)", "\"a\", \(tag)", "\"a,b\" , W/\(tag)", "*"] {
            let again = await server.get(headers: ["if-none-match": tags])
            #expect(again.status == 304 && again.header("etag") == tag && again.header("cache-control") != nil)
            #expect(again.bytes == [])
        }
        for tags in ["", "\"a\"", "\(tag.dropLast())", "\(tag.dropLast())x\""] {
            #expect(await server.get(headers: ["if-none-match": tags]).status == 200)
        }
        server.defaults[TestKeys.limit] = 2
        #expect(await server.get(headers: ["if-none-match": tag]).status == 200)
    }

    @Test func `HEAD has the headers of GET without a body`() async throws {
        let server = try TestServer(["limit": 1])
        let (head, get) = (await server.get(method: "HEAD"), await server.get())
        #expect(head.status == 200 && head.bytes == [] && head.header("ETag") == get.header("ETag"))
    }

    @Test(arguments: [
        ("GET", "/settings?bucket=1000", 400), ("GET", "/settings?bucket=-1", 400), ("GET", "/settings?bucket=1x", 400),
        ("GET", "/settings?bucket=", 400), ("GET", "/settings?bucket", 400),
        ("GET", "/settings?bucket=1&bucket=2", 400),
        ("GET", "/settings?platform=%00", 400), ("GET", "/settings?cohort=%zz", 400),
        ("GET", "/settings?version=" + String(repeating: "a", count: 129), 400), ("GET", "settings", 400),
        ("GET", "/", 404), ("GET", "/settings/", 404), ("GET", "/settings/other", 404),
        ("POST", "/settings", 405), ("HEAD", "/settings/changes", 405), ("get", "/settings", 405),
        ("GET", "/settings?platform=i%20OS&version=1%2B2&cohort=%C3%A9&bucket=999&later=1", 200),
    ])
    func `requests have the status of HTTP`(_ method: String, _ target: String, _ status: Int) async throws {
        let server = try TestServer()
        let response = await server.get(target, method: method)
        #expect(response.status == status)
        if status == 405 { #expect(response.header("Allow")?.hasPrefix("GET") == true) }
        if status != 200 { #expect(response.header("Cache-Control") == "no-store") }
    }

    @Test func `a closed publisher is not available`() async throws {
        let server = try TestServer()
        server.publisher.close()
        let response = await server.get()
        #expect(response.status == 503 && response.header("Retry-After") == "60")
        #expect(await server.get("/settings/changes").status == 503)
    }
}

extension RemoteResponse {
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }
}

extension TestServer {
    func get(headers: [String: String]) async -> RemoteResponse { await get("/settings", headers) }
}
