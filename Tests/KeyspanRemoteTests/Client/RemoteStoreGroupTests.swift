#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Redirects, and the groups to which a server assigns its clients by them.
@Suite(.bounded)
struct RemoteStoreGroupTests {
    // MARK: - Redirects

    @Test func `redirects on the same host are followed, three at most`() async throws {
        let server = try TestServer(["limit": 1])
        let redirect = ScriptedTransport.Fault.status(307, [.location: "../settings/./all"])
        let transport = ScriptedTransport(to: server.publisher, [redirect, redirect, redirect])
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1] && transport.requests.count == 4)
        transport.fail(redirect, redirect, redirect, redirect)
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .redirected)
    }

    @Test(arguments: [
        "https://other.test/settings/all", "http://settings.test/settings/all",
        "https://settings.test:444/settings/all",
        "//other.test/settings/all", "ftp://settings.test/", "",
    ])
    func `a redirect to another origin is refused`(_ target: String) async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher, [.status(307, [.location: target])])
        let store = try Problems().collect {
            try makeClient(of: server, over: transport) { $0.group = .assigned(to: ClientTraits(cohort: "x")) }
        }
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .redirected && transport.requests.count == 1)
    }

    // MARK: - Groups that the server assigns

    @Test func `a client says its traits each time, and receives the values of its group`() async throws {
        let beta = InMemoryStore()
        let isBeta = Locked(true)
        try beta.apply(PropertyListBatch(setting: ["limit": 5]))
        let server = try TestServer(["limit": 1], groups: ["beta": [beta]]) { traits in
            traits.platform == "i OS" && isBeta.withLock(\.self) ? "beta" : "all"
        }
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport) {
            $0.group = .assigned(to: ClientTraits(platform: "i OS", version: "1+2", id: "secret-id"))
        }
        #expect(store.status.group == nil)
        #expect(try await store.fetch())
        #expect(store.snapshot() == ["limit": 5] && store.status.group == "beta")
        #expect(try await store.fetch() == false)
        // Another group has the same revision.
        isBeta.withLock { $0 = false }
        #expect(try await store.fetch())
        #expect(store.snapshot() == ["limit": 1] && store.status.group == "all")
        let paths = transport.requests.compactMap(\.path)
        let query = try #require(paths.first)
        #expect(query.hasPrefix("/settings?platform=i%20OS&version=1%2B2&bucket=") && !query.contains("secret"))
        #expect(paths == [query, "/settings/beta", query, "/settings/beta", query, "/settings/all"])
        let conditions = transport.requests.map { $0.headerFields[.ifNoneMatch] != nil }
        #expect(conditions == [false, false, true, true, true, true])
    }

    @Test func `a client without traits is sent to the group of all`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport) { $0.group = .assigned(to: ClientTraits()) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1] && store.status.group == "all")
        #expect(transport.requests.last?.path == "/settings/all")
    }

    @Test func `a document of another group than the URL is refused as such`() async throws {
        let server = try TestServer(["limit": 1], groups: ["beta": []]) { _ in "beta" }
        let (all, beta) = (try server.document("all"), try server.document("beta"))
        for group in [RemoteStoreOptions.Group.named("beta"), .assigned(to: ClientTraits(cohort: "x"))] {
            // A cache that ignores a part of the URL.
            let transport = ClosureTransport { request, number in
                if request.path?.contains("?") == true { return .status(307, [.location: "settings/beta"]) }
                return .body(number < 3 ? all : beta)
            }
            let store = try Problems().collect { try makeClient(of: server, over: transport) { $0.group = group } }
            let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
            #expect(error?.kind == .wrongGroup && error?.reason.contains("\"all\", not for \"beta\"") == true)
            #expect(store.snapshot() == [:] && store.status.lastProof == nil)
            while transport.requests.count < 3 { _ = try? await store.fetch() }
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1] && store.status.group == "beta")
        }
    }

    @Test func `that another group is unchanged proves nothing`() async throws {
        let server = try TestServer(["limit": 1], groups: ["beta": []])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect {
            try makeClient(of: server, over: transport) { $0.group = .assigned(to: ClientTraits(cohort: "x")) }
        }
        try await store.fetch()
        transport.fail(.status(307, [.location: "/settings/beta"]), .status(304))
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .malformed && store.status.group == "all")
    }
}
#endif
