import Foundation
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
        let old = server.sign(.document, ["limit": 1], revision: 1)
        let new = server.sign(.document, ["limit": 2], revision: 2)
        let latest = server.sign(.document, ["limit": 3], revision: 3)
        let transport = ClosureTransport { request, _ in
            .body(request.header("cache-control") == "no-cache" ? latest : old)
        }
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, over: transport) }
        _ = try await store.engine.take(new)
        #expect(try await store.engine.request().value.get())
        #expect(store.snapshot() == ["limit": 3] && transport.requests.count == 2 && problems.values.isEmpty)
        try await store.fetch()
        #expect(transport.requests.count == 3 && transport.requests.last?.header("cache-control") == "no-cache")
    }

    @Test func `a fetch does not join a request that was answered before`() async throws {
        let server = try TestServer()
        let old = server.sign(.document, ["limit": 1], revision: 1)
        let new = server.sign(.document, ["limit": 2], revision: 2)
        let (rest, end) = AsyncStream.makeStream(of: [UInt8].self)
        let transport = ClosureTransport { _, number in
            number == 0 ? .init(status: 200, headers: [], body: RemoteTransportBody(rest)) : .body(new)
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

    @Test func `a response that drips is given up in the end`() async throws {
        let server = try TestServer()
        let clock = ManualClock()
        let transport = ClosureTransport { _, _ in
            let chunks = AsyncStream<[UInt8]> {
                clock.advance(by: .seconds(1))
                await Task.yield()
                return Task.isCancelled ? nil : [0x20]
            }
            return RemoteTransportResponse(status: 200, headers: [], body: RemoteTransportBody(chunks))
        }
        let store = try makeClient(of: server, over: transport, connectionClock: clock) { $0.maximumSize = 1 << 20 }
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .timedOut && error?.reason.contains("not complete after 300.0 seconds") == true)
    }

    // MARK: - Entity tags

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"\"", true), ("a", false), ("\"a", false), ("\"", false), ("", false),
        ("\"a\nb\"", false), ("\"a\"b\"", false), ("\"a b\"", false), ("w/\"a\"", false),
        ("\"\(String(repeating: "a", count: 198))\"", true), ("\"\(String(repeating: "a", count: 199))\"", false),
    ])
    func `an entity tag is sent back if it has the form of one`(_ tag: String, _ isValid: Bool) async throws {
        let server = try TestServer(["limit": 1])
        let document = try await server.document()
        let transport = ClosureTransport { _, _ in .body(document, [(name: "ETag", value: tag)]) }
        let store = try makeClient(of: server, over: transport)
        try await store.fetch()
        try await store.fetch()
        #expect(transport.requests.last?.header("if-none-match") == (isValid ? tag : nil))
    }

    @Test(arguments: [400, 404, 412])
    func `an entity tag is forgotten after an error of the client`(_ status: Int) async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport)
        try await store.fetch()
        transport.fail(.status(status))
        await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        try await store.fetch()
        #expect(transport.requests.map { $0.header("if-none-match") != nil } == [false, true, false])
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
        let document = server.sign(.document, values, revision: 1)
        _ = try await problems.collect { Task { try await store.engine.take(document) } }.value
        #expect(problems.kinds == ["unreachable", "valueRefused", "valueRefused"])
        for text in problems.values.map(\.description) + problems.values.flatMap(\.fields.values) {
            // Words and whole values: a time or an identifier may have a few of the digits.
            for hidden in ["bucket", "70123", "secret"] { #expect(!text.contains(hidden), "\(text)") }
        }
        // Another value that is as bad is reported.
        let next = server.sign(.document, ["port": 70_124, "limit": "secret word"], revision: 2)
        _ = try await problems.collect { Task { try await store.engine.take(next) } }.value
        #expect(problems.kinds.count == 4)
    }

    @Test func `two verification keys with one identifier are refused`() throws {
        let server = try TestServer()
        let keys = [try SigningKey.generate(id: "a"), try SigningKey.generate(id: "a")].map(\.verificationKey)
        let error = #expect(throws: RemoteStoreError.self) { try makeClient(of: server, verificationKeys: keys) }
        #expect(error?.kind == .invalidConfiguration && error?.reason.contains("identifier a") == true)
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
        _ = try await store.engine.take(server.sign(.document, ["port": 1, "limit": 1], revision: 5))
        for revision: Int64 in [6, 7] {
            let values: PropertyListDictionary = ["port": 0, "limit": .number(Int(revision))]
            _ = try await store.engine.take(server.sign(.document, values, revision: revision))
            let name = "remote https://settings.test/settings revision"
            #expect(store.provenance(forKey: "limit")?.description == "\(name) \(revision), just now")
            #expect(store.provenance(forKey: "port")?.description == "\(name) 5, kept instead of revision \(revision)")
        }
        _ = try await store.engine.take(server.sign(.document, ["port": 2], revision: 8))
        #expect(store.provenance(forKey: "port")?.description.contains("revision 8, just now") == true)
    }

    @Test func `an empty client to which a change is sent in place of the document says so`() async throws {
        let server = try TestServer(["limit": 1])
        let message = try await server.message()
        let change = server.sign(.change(base: message.state, removed: []), ["limit": 2], revision: 5)
        let store = try makeClient(of: server, over: ClosureTransport { _, _ in .body(change) })
        await #expect(throws: (any Error).self) { try await store.fetch() }
    }

    @Test func `an answer to an older question does not confirm what came after it`() async throws {
        let server = try TestServer(["limit": 1])
        let gate = AsyncStream.makeStream(of: Void.self)
        let (events, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let transport = ClosureTransport { request, number in
            if request.isStream { return .stream(events) }
            if request.header("if-none-match") == nil {
                return .body(try await server.document(), [(name: "ETag", value: "\"one\"")])
            }
            for await _ in gate.stream { break }
            return .status(304)
        }
        let clock = TestClock()
        let store = try makeClient(of: server, over: transport, clock: clock)
        try await store.fetch()
        let late = Task { try await store.fetch() }
        try await eventually("the question is asked", transport.requests.count, is: 2)
        store.isLive = true
        try server.set(["limit": 2])
        continuation.yield(event("document", try await server.document()))
        try await eventually("the stream has brought the document", store.snapshot(), is: ["limit": 2])
        let contact = store.status.lastContact
        clock.advance(by: 60)
        gate.continuation.yield()
        _ = try await late.value
        #expect(store.status.lastContact == contact)
    }

    @Test func `a server whose clock was a year ahead once does not lock its clients out`() async throws {
        let (clock, ahead) = (TestClock(), TestClock())
        ahead.advance(by: 365 * 86_400)
        let wrong = try TestServer(["limit": 1], key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: ahead)
        let right = try TestServer(["limit": 2], key: .init(id: "a", rawRepresentation: Array(0..<32)), clock: clock)
        let transport = ScriptedTransport(to: wrong.publisher)
        let store = try Problems().collect { try makeClient(of: right, over: transport, clock: clock) }
        _ = try? await store.fetch()
        transport.connect(to: right.publisher)
        clock.advance(by: 30 * 86_400)
        try right.set(["limit": 3])
        _ = try? await store.fetch()
        #expect(store.snapshot() == ["limit": 3])
    }
}
