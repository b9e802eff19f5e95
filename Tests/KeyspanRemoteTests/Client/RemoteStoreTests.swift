#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Documents that are fetched, and those that are refused.
@Suite
struct RemoteStoreTests {
    @Test func `values of a server reach keys and observers as one change`() async throws {
        let server = try TestServer(["limit": 1, "title": "a"])
        let store = try makeClient(of: server)
        let defaults = Defaults(store)
        #expect(defaults[TestKeys.limit] == 10 && store.status.revision == nil)
        let changes = Locked<[PropertyListChange]>([])
        let observation = store.observe(.all, initial: false) { change in changes.withLock { $0.append(change) } }
        #expect(try await store.fetch())
        #expect(defaults[TestKeys.limit] == 1 && defaults[TestKeys.title] == "a")
        try await eventually("the observer is notified", changes.withLock(\.count), is: 1)
        #expect(changes.withLock { $0.first?.entries.count } == 2)
        #expect(try await store.fetch() == false)
        server.defaults[TestKeys.limit] = 2
        server.defaults.reset(TestKeys.title)
        #expect(try await store.fetch())
        #expect(store.snapshot() == ["limit": 2])
        #expect(store.status.revision == server.publisher.revision && store.status.lastError == nil)
        observation.cancel()
    }

    @Test func `values of all kinds arrive as they are`() async throws {
        let names = ["boolean", "integer", "real", "date", "data", "array", "dictionary", "\u{E9}", "e\u{301}"]
        let values: [PropertyListValue] = [
            true, .integer(PropertyListInteger(UInt64.max)), 1.0, .date(Date(timeIntervalSinceReferenceDate: 0.1)),
            .data(Data([1, 2])), [1, 1.0, true], ["$date": "2026-11-21T10:50:00Z"], 1, 2,
        ]
        let keys = names.map { Defaults.Key<Defaults.AnySerializable?>($0).published() }
        let table = zip(names, values).reduce(into: PropertyListTable([:])) { $0[$1.0] = $1.1 }
        let server = try TestServer(table, keys: keys)
        let store = try makeClient(of: server, keys: keys)
        try await store.fetch()
        #expect(store.snapshot() == table)
    }

    @Test func `a key that is not published at the client is not taken`() async throws {
        let server = try TestServer(["limit": 1, "title": "a"])
        let store = try makeClient(of: server, keys: [TestKeys.limit, Defaults.Key<String>("title", default: "")])
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    @Test func `provenance has the revision and its age`() async throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1], clock: clock)
        let store = try makeClient(of: server, clock: clock) { $0.group = .assigned(to: ClientTraits(cohort: "beta")) }
        try await store.fetch()
        #expect(store.name == "remote https://settings.test/settings")
        let name = "\(store.name) revision \(server.publisher.revision)"
        #expect(store.provenance(forKey: "limit")?.description == "\(name), just now")
        clock.advance(by: 185)
        #expect(store.provenance(forKey: "limit")?.description == "\(name), 3 minutes ago")
        clock.advance(by: 3_600)
        #expect(store.provenance(forKey: "limit")?.description == "\(name), 1 hour ago")
        #expect(store.provenance(forKey: "title") == nil)
    }

    // MARK: - What is not taken

    /// A response, and the error of a client that has an older document.
    struct Failure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: RemoteStoreError.Kind
        let fault: @Sendable (TestServer) throws -> ScriptedTransport.Fault

        init(_ name: String, _ kind: RemoteStoreError.Kind, _ fault: ScriptedTransport.Fault) {
            (testDescription, self.kind, self.fault) = (name, kind, { _ in fault })
        }

        /// A document that is whole, and not the server's.
        init(_ name: String, _ kind: RemoteStoreError.Kind, body: @escaping @Sendable (TestServer) throws -> [UInt8]) {
            (testDescription, self.kind) = (name, kind)
            fault = { .body(try body($0)) }
        }

        init(_ kind: RemoteStoreError.Kind, redirectTo target: String?) {
            var fields: HTTPFields = [:]
            fields[.location] = target
            self.init("the client is sent to \(target ?? "nowhere")", kind, .status(302, fields))
        }
    }

    private static let failures: [Failure] = [
        Failure("there is no connection", .unreachable, .unreachable),
        Failure("there is no answer", .timedOut, .silence),
        Failure("the server has a failure", .refused, .status(500)),
        Failure("the server is busy", .refused, .status(503, [.retryAfter: "60"])),
        Failure("there is nothing at the path", .notFound, .status(404)),
        Failure(.redirected, redirectTo: "https://other.test/settings"),
        Failure(.redirected, redirectTo: "http://settings.test/settings"), Failure(.redirected, redirectTo: nil),
        Failure("the body is cut off", .unreachable, .cut(after: 200, throwing: true)),
        Failure("the body ends early", .invalidSignature, .cut(after: 200, throwing: false)),
        Failure("the body is empty", .malformed, .cut(after: 0, throwing: false)),
        Failure("a network wants a login", .malformed, .body(Array("<html><body>Log in</body></html>\n".utf8))),
        Failure("a bit of the values is another one", .invalidSignature, .flip(at: 300)),
        Failure("a character of the signature is another one", .invalidSignature) { server in
            var bytes = server.sign(["limit": 9], revision: 1 << 50)
            bytes[40] = bytes[40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            return bytes
        },
        Failure("the format has a later version", .unsupportedVersion, .body(Array("keyspan-settings 9 a b\n{}".utf8))),
        Failure("the document is too large", .tooLarge) { server in
            server.sign(["title": .string(String(repeating: "x", count: 70_000))], revision: 1 << 50)
        },
        Failure("someone else has signed, under the identifier of the key", .invalidSignature) { server in
            try TestServer(["limit": 9], key: .generate(id: server.key.id)).sign(["limit": 9], revision: 1 << 50)
        },
        Failure("someone else has signed", .unknownKey) { server in
            try TestServer(key: .generate(id: "other")).sign(["limit": 9], revision: 1 << 50)
        },
        Failure("the document is an old one", .olderRevision) { $0.sign(["limit": 9], revision: 1) },
        Failure("the document is that of another publisher", .wrongPublisher) { server in
            server.sign(["limit": 9], revision: 1 << 50, name: "other")
        },
        Failure("the document has expired", .expired) { server in
            let clock = TestClock()
            clock.advance(by: -10 * 86_400)
            return try TestServer(key: server.key, clock: clock).sign(["limit": 9], revision: 1 << 50)
        },
        Failure("the document was signed in the future", .notYetValid) { server in
            let clock = TestClock()
            clock.advance(by: 2 * 86_400)
            return try TestServer(key: server.key, clock: clock).sign(["limit": 9], revision: 1 << 50)
        },
        Failure("the document is that of another group", .wrongGroup) { server in
            server.sign(["limit": 9], revision: 1 << 50, group: "beta")
        },
        Failure("the revision is not exact in JSON", .unreadableContent) { $0.sign(["limit": 9], revision: 1 << 53) },
        Failure("the format is the one before", .unsupportedVersion) { server in
            let text = String(decoding: server.sign(["limit": 9], revision: 1 << 50), as: UTF8.self)
            return Array(text.replacing("keyspan-settings 2", with: "keyspan-settings 1").utf8)
        },
        Failure("the content is not that of settings", .unreadableContent) { server in
            SignedMessage(Array("{\"name\": \"test\"}".utf8), signedWith: server.key).bytes
        },
    ]

    @Test(arguments: failures)
    func `after a failure the values before stay, and the next good document is taken`(_ failure: Failure) async throws
    {
        let (server, clock, problems) = (try TestServer(["limit": 1]), ManualClock(), Problems())
        let transport = ScriptedTransport(to: server.publisher, clock: clock)
        let store = try problems.collect {
            try makeClient(of: server, over: transport, times: clock) { $0.maximumSize = 65_536 }
        }
        try await store.fetch()
        server.defaults[TestKeys.limit] = 2
        for _ in 0..<2 {
            let fault = try failure.fault(server)
            transport.fail(fault)
            let error = await problems.collect { Task { await fetchError(of: store) } }.value
            #expect(error?.kind == failure.kind)
            #expect(store.status.lastError?.kind == failure.kind)
        }
        #expect(store.snapshot() == ["limit": 1])
        #expect(problems.kinds == [failure.kind.rawValue])
        #expect(store.contentsStatus.staleSince != nil)
        #expect(store.status.lastProof != nil && store.status.staleSince == store.status.lastProof)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2])
        #expect(store.status.lastError == nil && store.contentsStatus.staleSince == nil)
        #expect(store.status.staleSince == nil)
    }

    @Test func `a client that never had the document refuses the answer that it has it`() async throws {
        let server = try TestServer(["limit": 1])
        let store = try makeClient(of: server, over: ScriptedTransport(to: server.publisher, [.status(304)]))
        #expect(await fetchError(of: store)?.kind == .malformed)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
    }

    private func fetchError(of store: RemoteStore) async -> RemoteStoreError? {
        do throws(RemoteStoreError) {
            try await store.fetch()
            return nil
        } catch {
            return error
        }
    }

    @Test func `an expired document is refused, with a day for clocks that are wrong`() async throws {
        let (clock, clientClock) = (TestClock(), TestClock())
        let server = try TestServer(["limit": 1], clock: clock)
        let bytes = server.sign(["limit": 2], revision: 2_000_000_000_000, validity: .seconds(86_400))
        let transport = ScriptedTransport(to: server.publisher, [.body(bytes)])
        let store = try makeClient(of: server, over: transport, clock: clientClock)
        clientClock.advance(by: 2 * 86_400 - 1)
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 2] && store.status.isExpired)
        clientClock.advance(by: 2)
        let other = try Problems().collect { try makeClient(of: server, over: transport, clock: clientClock) }
        transport.fail(.body(bytes))
        #expect(await fetchError(of: other)?.kind == .expired)
        #expect(other.snapshot().isEmpty)
        // An expired document is asked for without its tag, so that it comes with a new signature.
        clock.advance(by: 2 * 86_400)
        transport.clear()
        _ = await fetchError(of: store)
        #expect(transport.requests.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test func `a client whose clock is wrong by a day works`() async throws {
        for error in [-86_400.0, 86_400] {
            let clock = TestClock()
            clock.advance(by: error)
            let server = try TestServer(["limit": 1])
            let store = try makeClient(of: server, clock: clock)
            try await store.fetch()
            #expect(store.snapshot() == ["limit": 1])
        }
    }

    // MARK: - Values that a key refuses

    @Test func `a bad entry keeps the value before and does not hold the others back`() async throws {
        // The server knows other types and rules.
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<Defaults.AnySerializable?>("limit").published(),
            Defaults.Key<Defaults.AnySerializable?>("port").published(), TestKeys.title,
        ]
        let server = try TestServer(["limit": 1, "port": 0, "title": "a"], keys: keys)
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server) }
        _ = try await problems.collect { Task { try await store.fetch() } }.value
        #expect(store.snapshot() == ["limit": 1, "title": "a"])
        #expect(problems.kinds == ["valueRefused"])
        #expect(store.contentsStatus.staleSince != nil)
        try server.set(["limit": "no", "port": 8_080, "title": "b"])
        _ = try await problems.collect { Task { try await store.fetch() } }.value
        #expect(store.snapshot() == ["limit": 1, "port": 8_080, "title": "b"])
        try server.set(["title": "c"])
        _ = try await problems.collect { Task { try await store.fetch() } }.value
        #expect(store.snapshot() == ["limit": 1, "port": 8_080, "title": "c"])
        #expect(problems.kinds == ["valueRefused", "valueRefused"])
        try server.set(["limit": nil])
        _ = try await problems.collect { Task { try await store.fetch() } }.value
        #expect(store.snapshot() == ["port": 8_080, "title": "c"])
        #expect(store.contentsStatus.staleSince == nil)
    }

    /// The row of servers in the table of the article on following changes.
    @Test(arguments: ["one", 70_000] as [PropertyListValue])
    func `a value that its key cannot use never takes effect`(_ bad: PropertyListValue) async throws {
        // The server knows another type, and no rule.
        let server = try TestServer(["port": bad], keys: [Defaults.Key<Defaults.AnySerializable?>("port").published()])
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server) }
        let defaults = Defaults(store)
        for (value, expected) in [(bad, 80), (1, 1), (bad, 1), (2, 2)] as [(PropertyListValue, Int)] {
            try server.set(["port": value])
            _ = try await problems.collect { Task { try await store.fetch() } }.value
            #expect(defaults[TestKeys.port] == expected)
        }
        #expect(problems.kinds == ["valueRefused", "valueRefused"])
    }

    // MARK: - Configuration

    @Test(arguments: [
        "http://settings.test/settings", "ftp://settings.test", "https:///settings", "settings", "https://a.test/s?x=1",
        "https://a.test/s#x", "https://user@a.test/s",
    ])
    func `a URL that is not safe is refused`(_ url: String) throws {
        let server = try TestServer()
        let error = #expect(throws: RemoteStoreError.self) { try makeClient(of: server, url: url) }
        #expect(error?.kind == .invalidConfiguration && error?.description.contains("user@") == false)
    }

    @Test func `plaintext is allowed on this machine, and elsewhere if the options say so`() throws {
        let server = try TestServer()
        for (url, allowsPlaintext) in [
            ("http://localhost:8080/s", false), ("http://127.0.0.1/s", false), ("http://a.test/s", true),
        ] {
            let store = try makeClient(of: server, url: url) { $0.allowsPlaintext = allowsPlaintext }
            #expect(store.name == "remote \(url)")
        }
    }

    @Test func `keys and texts that no server could use are refused`() throws {
        let server = try TestServer()
        #expect(throws: RemoteStoreError.self) { try makeClient(of: server, verificationKeys: []) }
        #expect(throws: RemoteStoreError.self) { try makeClient(of: server, keys: [TestKeys.internalKey]) }
        #expect(throws: RemoteStoreError.self) {
            try makeClient(of: server) {
                $0.group = .assigned(to: ClientTraits(cohort: String(repeating: "a", count: 129)))
            }
        }
        for group in ["", "é", "a b", "a/b", String(repeating: "a", count: 65)] {
            let error = #expect(throws: RemoteStoreError.self) {
                try makeClient(of: server) { $0.group = .named(group) }
            }
            #expect(error?.kind == .invalidConfiguration)
        }
    }

    // MARK: - A store that is read

    @Test func `a write is refused with a remedy`() async throws {
        let store = try makeClient(of: try TestServer())
        let batch = PropertyListBatch(.set("2", key: "limit"))
        let applied = #expect(throws: StoreError.self) { try store.apply(batch) }
        let committed = await #expect(throws: StoreError.self) { try await store.commit(batch) }
        for error in [applied, committed] {
            #expect(error?.code == .readOnly && error?.key == "limit" && error?.store == store.name)
            #expect(error?.remedy.contains("another layer") == true)
        }
        try await store.commit(PropertyListBatch())
    }

    @Test(arguments: StoreConformance.all)
    func `a store above a writable one keeps the promises of a store`(_ check: StoreConformance) async throws {
        let server = try TestServer()
        try await check.verify(
            scale: .ofLevel,
            makeStore: {
                LayeredStore([
                    .init("remote", try makeClient(of: server)),
                    .init("memory", InMemoryStore(), isWritable: true),
                ])
            },
            patience: .seconds(60)
        )
    }
}
#endif
