import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A server with a group to which the closure assigns all clients from a time on that the test chooses.
private final class Moving: Sendable {
    let server: TestServer
    private let flag = Flag()

    private final class Flag: Sendable {
        let isMoved = Locked(false)
    }

    var isMoved: Bool {
        get { flag.isMoved.withLock(\.self) }
        set { flag.isMoved.withLock { $0 = newValue } }
    }

    init() throws {
        let beta = InMemoryStore()
        try beta.apply(PropertyListBatch(.set(.number(2), key: "limit")))
        let flag = flag
        server = try TestServer(["limit": 1], groups: ["beta": [beta]]) { _ in
            flag.isMoved.withLock(\.self) ? "beta" : "all"
        }
    }

    func respond(to request: HTTPRequest) -> TransportAnswer {
        let response = server.publisher.respond(to: request)
        switch response.body {
        case .bytes(let bytes): return TransportAnswer(head: response.head, body: TestBody([bytes]))
        case .stream(let stream): return TransportAnswer(head: response.head, body: TestBody(stream))
        }
    }
}

/// Announcements reach clients, whatever else happens meanwhile.
@Suite(.bounded)
struct DirectedAttackTests {
    private func client(
        _ moving: Moving,
        _ transport: ClosureTransport,
        _ times: ManualClock,
        _ clock: TestClock = TestClock()
    ) throws -> RemoteStore {
        try Problems().collect {
            try makeClient(of: moving.server, over: transport, clock: clock, times: times) {
                $0.group = .assigned(to: ClientTraits(cohort: "x"))
                $0.isLive = true
            }
        }
    }

    @Test func `a change after the word that groups have changed does not hide it`() async throws {
        let (moving, events, times) = (try Moving(), ManualStream(), ManualClock())
        let transport = ClosureTransport { request, _ in
            request.isStream ? .stream(events.chunks) : moving.respond(to: request)
        }
        let store = try client(moving, transport, times)
        try await eventually("the first values", store.snapshot(), is: ["limit": 1])
        try await events.send(event(try moving.server.tag().text))
        moving.isMoved = true
        try await events.send(Array("event: changed\ndata: * 10\n\n".utf8))
        try moving.server.set(["limit": 3])
        try await events.send(event(try moving.server.tag().text, spread: 10))
        let count = transport.requests.count
        times.advance(by: .seconds(20))
        try await eventually("the client asks", transport.requests.count) { $0 > count }
        try await store.synchronize()
        try await eventually("another request or the group", store.status.group, is: "beta")
    }

    @Test func `a server that cannot assign groups for a moment is asked again soon`() async throws {
        let (moving, events, times) = (try Moving(), ManualStream(), ManualClock())
        let isDown = Locked(false)
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream(events.chunks) }
            if isDown.withLock(\.self), request.path?.hasPrefix("/settings?") == true { return .status(503) }
            return moving.respond(to: request)
        }
        let store = try client(moving, transport, times)
        try await eventually("the first values", store.snapshot(), is: ["limit": 1])
        moving.isMoved = true
        isDown.withLock { $0 = true }
        try await events.send(Array("event: changed\ndata: * 0\n\n".utf8))
        let count = transport.requests.count
        times.advance(by: .seconds(5))
        try await eventually("the client asks", transport.requests.count) { $0 > count + 1 }
        isDown.withLock { $0 = false }
        // With a request of the clock.
        try await eventually("the client has the group of the server") {
            times.advance(by: .seconds(100))
            return store.status.group == "beta"
        }
    }

    @Test func `a pause that a server asked for once is not kept for failures without an answer`() async throws {
        let (server, times) = (try TestServer(["limit": 1]), ManualClock())
        let transport = ClosureTransport { request, number in
            if number == 0 { return .status(503, [.retryAfter: "3600"]) }
            throw ScriptedTransport.Failure()
        }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, times: times) { $0.polling = .every(.seconds(900)) }
        }
        for count in 1...5 {
            try await eventually("request \(count)", transport.requests.count) { $0 >= count }
            try await eventually(
                "a pause",
                store.engine.state.withLock { $0.requests.isEmpty && $0.nextRequest != nil },
                is: true
            )
            times.advance(by: count == 1 ? .seconds(5_401) : .seconds(601))
        }
        try await eventually("request 6", transport.requests.count) { $0 >= 6 }
    }

    @Test func `hints that bring nothing become rare, also among failures`() async throws {
        let (server, events, times) = (try TestServer(["limit": 1]), ManualStream(), ManualClock())
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream(events.chunks) }
            if request.path != "/settings/all" { return .status(503) }
            return .body(try server.document())
        }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, times: times) { $0.isLive = true }
        }
        try await eventually("the first values", store.snapshot(), is: ["limit": 1])
        let bogus = "\(String(repeating: "a", count: 32)).1.9000000000000000.test-1"
        for _ in 0..<600 {
            events.post(event(bogus))
            for _ in 0..<10 { await Task.yield() }
            times.advance(by: .seconds(1))
            for _ in 0..<10 { await Task.yield() }
        }
        let count = transport.requests.filter { !$0.isStream }.count
        #expect(count < 40, "\(count) requests in ten minutes")
        _ = store.status
    }

    @Test func `a live store never loses its clock`() async throws {
        let server = try TestServer(["limit": 1])
        let times = ManualClock()
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream([]) }
            return .body(try server.document())
        }
        let store = try Problems().collect { try makeClient(of: server, over: transport, times: times) }
        for round in 0..<TestLevel.current.pick(1_000, thorough: 20_000) {
            store.isLive = true
            if round % 3 == 0 { await Task.yield() }
            store.isLive = false
            if round % 7 == 0 { await Task.yield() }
            store.isLive = true
            try await eventually("a clock in round \(round)") {
                store.engine.state.withLock { $0.nextRequest != nil && $0.requests.isEmpty }
            }
            store.isLive = false
        }
    }

    @Test func `a shared cache has the values of its group`() async throws {
        let (moving, folder) = (try Moving(), try TemporaryFolder())
        func make(_ cohort: String) throws -> RemoteStore {
            let transport = ClosureTransport { request, _ in
                moving.isMoved = request.path?.contains("beta") == true
                return moving.respond(to: request)
            }
            return try Problems().collect {
                try makeClient(of: moving.server, over: transport, cache: folder.path("cache")) {
                    $0.group = .assigned(to: ClientTraits(cohort: cohort))
                }
            }
        }
        let first = try make("stable")
        try await first.fetch()
        try moving.server.set(["title": "x"])
        let second = try make("beta")
        try await second.fetch()
        try await first.synchronize()
        let third = try make("stable")
        #expect(third.snapshot()["limit"] == 1, "\(third.status)")
    }

    @Test func `values are not stale while the time is not over for which the server wants them used`() async throws {
        let server = try TestServer(["limit": 1], options: .init { $0.maximumAge = .seconds(600) })
        let (events, times, clock) = (ManualStream(), ManualClock(), TestClock())
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream(events.chunks) }
            let response = server.publisher.respond(to: request)
            guard case .bytes(let bytes) = response.body else { throw ScriptedTransport.Failure() }
            return TransportAnswer(head: response.head, body: TestBody([bytes]))
        }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, clock: clock, times: times) {
                $0.polling = .every(.seconds(60))
                $0.isLive = true
            }
        }
        try await eventually("the first values", store.snapshot(), is: ["limit": 1])
        try await eventually("a pause", within: .seconds(60)) { store.engine.state.withLock { $0.nextRequest != nil } }
        try server.set(["limit": 2])
        try await events.send(event(try server.tag().text))
        times.advance(by: .seconds(2))
        clock.advance(by: 2)
        try await eventually("the change", store.snapshot(), is: ["limit": 2])
        let count = transport.requests.count
        times.advance(by: .seconds(200))
        clock.advance(by: 200)
        #expect(store.status.staleSince == nil, "\(store.status)")
        #expect(transport.requests.count == count)
    }

    @Test(arguments: ["/app:settings", "/a b", "/a#b", "/\u{E9}", "/a//b", "settings", "/", ""])
    func `a path that would be encoded, or is a scheme, stops the publisher`(_ path: String) {
        #expect(throws: SettingsPublisherError.self) { try TestServer(options: .init { $0.path = path }) }
    }

    @Test func `no limit a peer counts without a peer`() throws {
        let server = try TestServer(["limit": 1], options: .init { $0.maximumStreamsPerPeer = 0 })
        #expect(server.get("/settings/all/changes").head.status == .ok)
    }

    @Test(arguments: [
        "max-age=99999999999999999999", "max-age=-1", "max-age=", "max-age=0x10", "MAX-AGE=1, max-age=2", ",",
    ])
    func `header fields with odd numbers do no harm`(_ text: String) async throws {
        let server = try TestServer(["limit": 1])
        let transport = ClosureTransport { _, number in
            .body(
                try server.document(),
                [.cacheControl: text, .retryAfter: text, .eTag: text, .contentType: "image/png"]
            )
        }
        let store = try makeClient(of: server, over: transport)
        try await store.fetch()
        #expect(store.status.staleSince == nil)
    }

    @Test(arguments: [
        "/settings/..", "..", "//settings.test/settings/all", "https://settings.test:443/settings/all", "/", "", "?",
        "#x",
        "http://settings.test/settings/all", "https://user:pw@settings.test/settings/all", "settings/%00",
        "settings/a%2Fall",
        "settings/%FF", "https://[::1", "https://evil.test/settings/all", "file:///etc/passwd", "settings/changes",
        "\\\\evil.test\\x", "settings/all?x=1", "/settings/all/", "settings/all#frag", "https:settings/all", "//",
        "https://settings.test", "settings/" + String(repeating: "a", count: 100_000),
    ])
    func `odd redirects do no harm`(_ location: String) async throws {
        let moving = try Moving()
        let transport = ClosureTransport { request, number in
            guard let path = request.path, path.hasPrefix("/settings?") || number > 6 else {
                return moving.respond(to: request)
            }
            #expect(request.authority?.hasPrefix("settings.test") == true, "\(request)")
            return .status(307, [.location: location])
        }
        let store = try Problems().collect {
            try makeClient(of: moving.server, over: transport) { $0.group = .assigned(to: ClientTraits(cohort: "x")) }
        }
        _ = try? await store.fetch()
        _ = try? await store.fetch()
        #expect(transport.requests.count < 20)
        for request in transport.requests {
            #expect(request.scheme == "https")
            #expect(["settings.test", "settings.test:443"].contains(request.authority), "\(request)")
        }
    }

    @Test(arguments: ["nan", "inf", "-1", "1e400", "86401", "0x1p3", "-0", "1e-320", "", "1 2", "86400"])
    func `odd spreads do no harm`(_ spread: String) async throws {
        let (server, events, times) = (try TestServer(["limit": 1]), ManualStream(), ManualClock())
        let transport = ClosureTransport { request, _ in
            request.isStream ? .stream(events.chunks) : .body(try server.document())
        }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, times: times) { $0.isLive = true }
        }
        try await eventually("the first values", store.snapshot(), is: ["limit": 1])
        try server.set(["limit": 2])
        try await events.send(Array("\u{FEFF}data: \(try server.tag().text) \(spread)\r\n\r\n".utf8))
        try await events.send(Array("data: \(try server.tag().text) \(spread)\r\n\r\n".utf8))
        try await eventually("the client waits", times.waitingCount) { $0 > 0 }
        times.advance(by: .seconds(1_000))
        try await eventually("the change", store.snapshot(), is: ["limit": 2])
    }

    @Test func `a store is released in each phase`() async throws {
        let server = try TestServer(["limit": 1])
        for phase in 0..<8 {
            let times = ManualClock()
            let transport = ClosureTransport { request, number in
                switch phase {
                case 0: for await _ in AsyncStream<Never>.makeStream().stream {}; throw CancellationError()
                case 1: return request.isStream ? .stream([]) : .stream([[1, 2, 3]])
                case 2: return request.isStream ? .stream([event("*")]) : .body(try server.document())
                case 3: throw ScriptedTransport.Failure()
                case 4: return .status(503, [.retryAfter: "60"])
                case 5: return request.isStream ? .stream([event("*")], thenEnds: true) : .body(try server.document())
                default: return .body(try server.document())
                }
            }
            weak var engine: RemoteEngine?
            weak var store: RemoteStore?
            try await Problems().collect {
                let made = try makeClient(of: server, over: transport, times: times) {
                    $0.isLive = phase != 6
                    $0.polling = .every(.seconds(60))
                }
                (engine, store) = (made.engine, made)
                return Task {
                    if phase == 2 { _ = try? await made.fetch() }
                    try await eventually("a request", transport.requests.count) { $0 > 0 }
                }
            }.value
            try await eventually("phase \(phase): released", store == nil && engine == nil, is: true)
        }
    }
}
