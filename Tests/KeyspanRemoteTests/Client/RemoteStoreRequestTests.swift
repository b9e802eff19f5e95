#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Requests for the document, and what errors say.
@Suite(.bounded)
struct RemoteStoreRequestTests {
    // MARK: - Caches between

    @Test func `an older document from a cache is asked for once more without the cache`() async throws {
        let server = try TestServer()
        let old = server.sign(["limit": 1], revision: 1)
        let new = server.sign(["limit": 2], revision: 2)
        let latest = server.sign(["limit": 3], revision: 3)
        let transport = ClosureTransport { request, _ in
            .body(request.headerFields[.cacheControl] == "no-cache" ? latest : old)
        }
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, over: transport) }
        _ = try await store.engine.take(new)
        #expect(try await store.engine.request().value.get())
        #expect(store.snapshot() == ["limit": 3] && transport.requests.count == 2 && problems.values.isEmpty)
        try await store.fetch()
        #expect(transport.requests.map { $0.headerFields[.cacheControl] } == [nil, "no-cache", "no-cache"])
    }

    @Test func `a fetch does not join a request that was answered before`() async throws {
        let server = try TestServer()
        let old = server.sign(["limit": 1], revision: 1)
        let new = server.sign(["limit": 2], revision: 2)
        let (rest, end) = AsyncStream.makeStream(of: [UInt8].self)
        let transport = ClosureTransport { _, number in
            number == 0 ? TransportAnswer(head: HTTPResponse(status: .ok), body: TestBody(rest)) : .body(new)
        }
        let store = try makeClient(of: server, over: transport)
        let first = Task { try await store.fetch() }
        try await eventually("the answer begins") {
            store.engine.state.withLock { $0.requests.values.contains { $0.isAnswered } }
        }
        #expect(try await store.fetch())
        #expect(store.snapshot() == ["limit": 2])
        end.yield(old)
        end.finish()
        _ = await first.result
        #expect(store.snapshot() == ["limit": 2])
    }

    @Test func `calls at the same time share one request`() async throws {
        let (server, times) = (try TestServer(["limit": 1]), ManualClock())
        let transport = ScriptedTransport(to: server.publisher, [.silence])
        let store = try Problems().collect { try makeClient(of: server, over: transport, times: times) }
        let requests = (0..<8).map { _ in store.engine.request(isFresh: true) }
        try await eventually("the time for the answer is measured", times.pauses.contains(.seconds(45)), is: true)
        times.advance(by: .seconds(45))
        for request in requests { await #expect(throws: RemoteStoreError.self) { try await request.value.get() } }
        #expect(transport.requests.count == 1)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    @Test func `a response that drips is given up in the end`() async throws {
        let (server, times) = (try TestServer(), ManualClock())
        let transport = ClosureTransport { _, _ in
            let chunks = AsyncStream<[UInt8]> {
                times.advance(by: .seconds(1))
                await Task.yield()
                return Task.isCancelled ? nil : [0x20]
            }
            return TransportAnswer(head: HTTPResponse(status: .ok), body: TestBody(chunks))
        }
        let store = try Problems().collect { try makeClient(of: server, over: transport, times: times) }
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .timedOut && error?.reason.contains("not complete after 300.0 seconds") == true)
    }

    // MARK: - Entity tags

    @Test(arguments: [
        (400, false), (412, false), (403, true), (404, true), (408, true), (429, true), (500, true), (503, true),
    ])
    func `the tag is forgotten if the server may have refused it, and else stays`(
        _ status: Int,
        _ isKept: Bool
    ) async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        try await store.fetch()
        transport.fail(.status(status))
        await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        for _ in 0..<2 { #expect(try await store.fetch() == false) }
        let tag = try server.tag().entityTag
        #expect(transport.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, tag, isKept ? tag : nil, tag])
    }

    @Test(arguments: [nil, "\"other\"", "W/\"0123\"", ""])
    func `the tag is that of the document, whatever a cache says`(
        _ found: String?
    ) async throws {
        let server = try TestServer(["limit": 1])
        let document = try server.document()
        var fields: HTTPFields = [:]
        fields[.eTag] = found
        let transport = ClosureTransport { [fields] _, _ in .body(document, fields) }
        let store = try makeClient(of: server, over: transport)
        for _ in 0..<2 { try await store.fetch() }
        #expect(transport.requests.last?.headerFields[.ifNoneMatch] == (try server.tag().entityTag))
    }

    @Test func `an unchanged document is proved by its tag, and other answers prove nothing`() async throws {
        let (server, clock) = (try TestServer(["limit": 1]), TestClock())
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect { try makeClient(of: server, over: transport, clock: clock) }
        try await store.fetch()
        clock.advance(by: 60)
        #expect(try await store.fetch() == false)
        #expect(store.status.lastProof == clock.now)
        let proof = clock.now
        clock.advance(by: 60)
        for fault in [ScriptedTransport.Fault.status(204), .status(200), .status(404), .unreachable] {
            transport.fail(fault)
            await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
            #expect(store.status.lastProof == proof && store.status.staleSince == proof)
        }
    }

    @Test func `an answer to an older question proves nothing about what came after it`() async throws {
        let (server, clock) = (try TestServer(["limit": 1]), TestClock())
        let gate = AsyncStream.makeStream(of: Void.self)
        let document = try server.document()
        let transport = ClosureTransport { request, _ in
            if request.headerFields[.ifNoneMatch] == nil { return .body(document) }
            for await _ in gate.stream { break }
            return .status(304)
        }
        let store = try makeClient(of: server, over: transport, clock: clock)
        try await store.fetch()
        let late = Task { try await store.fetch() }
        try await eventually("the question is asked", transport.requests.count, is: 2)
        _ = try await store.engine.take(server.sign(["limit": 2], revision: 2_000_000_000_000))
        let proof = store.status.lastProof
        clock.advance(by: 60)
        gate.continuation.yield()
        #expect(try await late.value == false)
        #expect(store.status.lastProof == proof && store.snapshot() == ["limit": 2])
    }

    // MARK: - What errors say

    private struct Talkative: Error, CustomStringConvertible {
        let description = "GET https://settings.test/settings?bucket=512 failed"
    }

    @Test func `errors contain neither values nor what the client says about itself`() async throws {
        let server = try TestServer()
        let transport = ClosureTransport { _, _ in throw Talkative() }
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, over: transport) }
        await problems.collect { Task { _ = try? await store.fetch() } }.value
        let error = try #require(store.status.lastError)
        #expect(error.kind == .unreachable && error.underlying is Talkative && error.reason.contains("Talkative"))
        let values: PropertyListDictionary = ["port": 70_123, "limit": "secret word"]
        let document = server.sign(values, revision: 1)
        _ = try await problems.collect { Task { try await store.engine.take(document) } }.value
        #expect(problems.kinds == ["unreachable", "valueRefused", "valueRefused"])
        for text in problems.values.map(\.description) + problems.values.flatMap(\.fields.values) {
            // Words and whole values: a time or an identifier may have a few of the digits.
            for hidden in ["bucket", "70123", "secret"] { #expect(!text.contains(hidden), "\(text)") }
        }
        // Another value that is as bad is reported.
        let next = server.sign(["port": 70_124, "limit": "secret word"], revision: 2)
        _ = try await problems.collect { Task { try await store.engine.take(next) } }.value
        #expect(problems.kinds.count == 4)
    }

    @Test func `two verification keys with one identifier are refused`() throws {
        let server = try TestServer()
        let keys = [try SigningKey.generate(id: "a"), try SigningKey.generate(id: "a")].map(\.verificationKey)
        let error = #expect(throws: RemoteStoreError.self) { try makeClient(of: server, verificationKeys: keys) }
        #expect(error?.kind == .invalidConfiguration && error?.reason.contains("same identifier") == true)
    }

    // MARK: - Coming into force

    @Test func `rules may use the store while its values come into force`() async throws {
        let server = try TestServer(["limit": 1])
        let found = Locked<RemoteStore?>(nil)
        let activations = Recorder<Bool>()
        let key = Defaults.Key<Int>("limit", default: 10).validated(
            by: Defaults.Rule("fine") { _ in
                if let store = found.withLock(\.self) { activations.record(store.activate()) }
                return true
            }
        ).published()
        let store = try makeClient(of: server, keys: [key]) { $0.activation = .manually }
        found.withLock { $0 = store }
        try await store.fetch()
        store.activate()
        #expect(activations.values == [false] && store.snapshot() == ["limit": 1] && !store.status.isActivationPending)
        found.withLock { $0 = nil }
    }

    @Test func `a value that its key keeps has the revision that it came with`() async throws {
        let server = try TestServer()
        let store = try makeClient(of: server)
        _ = try await store.engine.take(server.sign(["port": 1, "limit": 1], revision: 5))
        for revision: Int64 in [6, 7] {
            let values: PropertyListDictionary = ["port": 0, "limit": .number(Int(revision))]
            _ = try await store.engine.take(server.sign(values, revision: revision))
            let name = "remote https://settings.test/settings revision"
            #expect(store.provenance(forKey: "limit")?.description == "\(name) \(revision), just now")
            #expect(store.provenance(forKey: "port")?.description == "\(name) 5, kept instead of revision \(revision)")
        }
        _ = try await store.engine.take(server.sign(["port": 2], revision: 8))
        #expect(store.provenance(forKey: "port")?.description.contains("revision 8, just now") == true)
    }

    @Test func `a server whose clock was a year ahead once does not lock its clients out`() async throws {
        let (clock, ahead) = (TestClock(), TestClock())
        ahead.advance(by: 365 * 86_400)
        let key = try SigningKey.generate(id: "a")
        let wrong = try TestServer(["limit": 1], key: key, clock: ahead)
        let right = try TestServer(["limit": 2], key: key, clock: clock)
        let transport = ScriptedTransport(to: wrong.publisher)
        let store = try Problems().collect { try makeClient(of: right, over: transport, clock: clock) }
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .notYetValid)
        transport.connect(to: right.publisher)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
    }
}
#endif
