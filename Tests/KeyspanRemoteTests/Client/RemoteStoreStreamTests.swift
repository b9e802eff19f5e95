import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Confirmations by streams, and the change between a stream and requests.
@Suite(.bounded)
struct RemoteStoreStreamTests {
    // MARK: - Changing the mode

    @Test func `a store that becomes live during a request opens its stream at once`() async throws {
        let server = try TestServer(["limit": 1])
        let document = try await server.document()
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream([event("document", document)]) }
            for await _ in gate {}
            return .body(document)
        }
        let store = try makeClient(of: server, over: transport) { $0.isAutomatic = true }
        try await eventually("the document is asked for", transport.requests.count, is: 1)
        store.isLive = true
        try await eventually("the stream has brought the document", store.snapshot(), is: ["limit": 1])
        opening.finish()
    }

    @Test func `a store that is no longer live asks when its interval is over`() async throws {
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport) { $0.isAutomatic = true }
        try await eventually("the store has the document", store.snapshot(), is: ["limit": 1])
        // The test takes the place of the loop.
        let loop = store.engine.state.withLock(\.loop)
        loop?.cancel()
        await loop?.value
        for count in 2...4 {
            store.engine.state.withLock { $0.wantsStream = true }
            let end = Task {
                var retry = RetryDelay(first: .zero, longest: .zero)
                return await store.engine.followOnce(&retry)
            }
            try await eventually("the store follows") { store.status.isLive }
            store.engine.setLive(false)
            let pause = try #require(await end.value)
            #expect(!pause.isLive && pause.duration > store.engine.options.interval * 0.5)
            #expect(transport.requests.count == count)
        }
    }

    // MARK: - Changes that are not newer

    @Test(arguments: [970, 1_000])
    func `a change of the present values that is not newer needs the document`(_ revision: Int64) async throws {
        let (server, clock) = (try TestServer(), TestClock())
        let store = try makeClient(of: server, clock: clock)
        let values: PropertyListDictionary = ["limit": 1]
        let state = SettingsState(of: SettingsState.text(of: values))
        _ = try await store.engine.take(server.sign(.document, values, revision: 1_000))
        let contact = store.status.lastContact
        clock.advance(by: 5)
        let change = server.sign(.change(base: state, removed: []), ["limit": 2], revision: revision)
        guard case .needsDocument = try await store.engine.take(change) else {
            Issue.record("the change was dropped")
            return
        }
        // One of other values is a repetition, and says nothing about the present ones.
        let other = SettingsState(of: SettingsState.text(of: ["limit": 7]))
        let old = server.sign(.change(base: other, removed: []), ["limit": 8], revision: revision)
        guard case .repeated = try await store.engine.take(old) else {
            Issue.record("the change was taken")
            return
        }
        // A newer one of other values does not say which values the server has now.
        let newer = server.sign(.change(base: other, removed: []), ["limit": 8], revision: 1_010)
        guard case .needsDocument = try await store.engine.take(newer) else {
            Issue.record("a change was applied to values that it does not change")
            return
        }
        #expect(store.snapshot() == ["limit": 1] && store.status.lastContact == contact)
    }

    @Test func `a server whose clock is behind is reported, and learns the revision of the client`() async throws {
        let server = try TestServer()
        let values: PropertyListDictionary = ["limit": 1]
        let state = SettingsState(of: SettingsState.text(of: values))
        let document = server.sign(.document, values, revision: 1_000)
        let change = server.sign(.change(base: state, removed: []), ["limit": 2], revision: 970)
        let behind = server.sign(.document, ["limit": 2], revision: 970)
        let raised = server.sign(.document, ["limit": 2], revision: 1_001)
        let transport = ClosureTransport { _, number in
            switch number {
            case 0: .stream([event("document", document), event("change", change)])
            case 1: .stream([event("document", behind)])
            default: .stream([event("document", raised)])
            }
        }
        let problems = Problems()
        let store = try problems.collect { try makeClient(of: server, over: transport) { $0.isLive = true } }
        try await eventually("the document has arrived", store.snapshot(), is: ["limit": 2])
        #expect(problems.kinds == ["olderRevision"])
        let positions = transport.requests.map { $0.header("last-event-id") }
        #expect(positions == [nil, nil, "1000.\(state.text)"])
    }

    // MARK: - Documents that are not newer

    @Test func `a document with the same values and a smaller revision renews their time`() async throws {
        let server = try TestServer()
        let clock = TestClock()
        let late = try TestServer(key: server.key, clock: clock)
        let store = try makeClient(of: server, clock: clock)
        _ = try await store.engine.take(server.sign(.document, ["limit": 1], revision: 1_000))
        func fetched() -> RemoteVersion? { store.engine.state.withLock(\.fetched) }
        let expires = try #require(fetched()).expires
        clock.advance(by: 3_600)
        _ = try await store.engine.take(late.sign(.document, ["limit": 1], revision: 900))
        let renewed = try #require(fetched())
        #expect(renewed.expires == expires.addingTimeInterval(3_600) && renewed.position.revision == 1_000)
        _ = try await store.engine.take(server.sign(.document, ["limit": 1], revision: 950))
        #expect(fetched()?.expires == renewed.expires)
    }

    @Test func `a document that is repeated is not written to the disk again`() async throws {
        let (server, folder) = (try TestServer(["limit": 1]), try TemporaryFolder())
        let store = try makeClient(of: server, cache: folder.path("cache"))
        let document = try await server.document()
        _ = try await store.engine.take(document)
        let first = try FileManager.default.attributesOfItem(atPath: folder.path("cache"))[.systemFileNumber] as? Int
        for _ in 0..<3 { _ = try await store.engine.take(document) }
        try await store.synchronize()
        let last = try FileManager.default.attributesOfItem(atPath: folder.path("cache"))[.systemFileNumber] as? Int
        #expect(first != nil && first == last)
    }

    // MARK: - Confirmations

    @Test(arguments: [[], [(name: "Content-Type", value: "text/html")]])
    func `a page in place of a stream is an error`(_ headers: [(name: String, value: String)]) async throws {
        let server = try TestServer()
        let transport = ClosureTransport { _, _ in .body(Array(":<html>\n\n".utf8), headers) }
        let store = try Problems().collect { try makeClient(of: server, over: transport) { $0.isLive = true } }
        try await eventually("the store tries again", transport.requests.count) { $0 >= 3 }
        #expect(store.status.lastError?.kind == .malformed)
    }

    @Test func `a stream that ends and has confirmed nothing is an error`() async throws {
        let server = try TestServer()
        let transport = ClosureTransport { _, _ in .stream([comment], thenEnds: true) }
        let store = try Problems().collect { try makeClient(of: server, over: transport) { $0.isLive = true } }
        try await eventually("the store tries again", transport.requests.count) { $0 >= 3 }
        #expect(store.status.lastError?.kind == .unreachable)
    }

    @Test func `comments alone confirm nothing, and make the store ask for the document`() async throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1], clock: clock)
        let document = try await server.document()
        let isAnswering = Locked(true)
        let stream = ManualStream()
        let transport = ClosureTransport { request, _ in
            if request.isStream { return .stream(stream.chunks) }
            return isAnswering.withLock(\.self) ? .body(document) : .status(503)
        }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, clock: clock) { $0.interval = .zero }
        }
        try await store.fetch()
        let contact = store.status.lastContact
        clock.advance(by: 100)
        isAnswering.withLock { $0 = false }
        Problems().collect { store.isLive = true }
        for _ in 0..<3 { try await stream.send(comment) }
        try await eventually("the question has failed", store.status.lastError?.kind, is: .refused)
        for _ in 0..<3 { try await stream.send(comment) }
        #expect(store.status.isLive && store.status.lastContact == contact)
        // The question that has failed is asked again.
        isAnswering.withLock { $0 = true }
        try await eventually("the answer confirms the values", store.status.lastContact) { contact in
            stream.post(comment)
            return contact == clock.now
        }
        // A message confirms the values, and then comments do.
        for chunk in [event("document", document), comment] {
            clock.advance(by: 100)
            try await stream.send(chunk)
            #expect(store.status.lastContact == clock.now)
        }
        #expect(store.status.lastError == nil)
    }

    @Test func `comments confirm values only until the last message expires`() async throws {
        let clock = TestClock()
        let server = try TestServer(clock: clock)
        let (chunks, stream) = AsyncStream.makeStream(of: [UInt8].self)
        let transport = ClosureTransport { _, number in number == 0 ? .stream(chunks) : .stream([]) }
        let store = try Problems().collect {
            try makeClient(of: server, over: transport, clock: clock) { $0.isLive = true }
        }
        stream.yield(event("document", server.sign(.document, ["limit": 1], revision: 1)))
        try await eventually("the document has arrived", store.snapshot(), is: ["limit": 1])
        clock.advance(by: 2 * 86_400 - 1)
        stream.yield(comment)
        try await eventually("the comment confirms the values", store.status.lastContact, is: clock.now)
        let contact = clock.now
        clock.advance(by: 2)
        stream.yield(comment)
        try await eventually("a new stream is opened", transport.requests.count, is: 2)
        #expect(transport.requests.last?.header("last-event-id") == nil && store.status.lastContact == contact)
    }

    @Test func `a store without a cache takes any number of changes on one stream`() async throws {
        let server = try TestServer(["limit": 0])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try makeClient(of: server, over: transport) { $0.isLive = true }
        for value in 0...20 {
            server.defaults[TestKeys.limit] = value
            try await eventually("the change has arrived", store.snapshot(), is: ["limit": .number(value)])
        }
        #expect(transport.requests.count == 1)
    }

    // MARK: - Pauses

    @Test func `the pauses grow until a stream has lasted for a while`() async throws {
        let server = try TestServer(["limit": 1])
        let document = try await server.document()
        for (first, failures) in [(Duration.seconds(60), 3), (.zero, 1)] {
            let transport = ClosureTransport { _, _ in .stream([event("document", document)], thenEnds: true) }
            let store = try makeClient(of: server, over: transport)
            store.engine.state.withLock { $0.wantsStream = true }
            var retry = RetryDelay(first: first, longest: .seconds(600))
            for _ in 0..<3 { _ = await store.engine.followOnce(&retry) }
            #expect(retry.failures == failures)
        }
    }

    @Test func `the pauses do not grow while quiet streams are ended`() async throws {
        let server = try TestServer(["limit": 1])
        let document = try await server.document()
        let transport = ClosureTransport { request, _ in
            request.isStream ? .stream([comment], thenEnds: true) : .body(document)
        }
        let store = try makeClient(of: server, over: transport)
        try await store.fetch()
        store.engine.state.withLock { $0.wantsStream = true }
        var retry = RetryDelay(first: .zero, longest: .seconds(600))
        for _ in 0..<5 { _ = await store.engine.followOnce(&retry) }
        #expect(retry.failures == 1 && transport.requests.count == 6)
    }

    @Test func `the pauses begin anew after streams that something ends at regular times`() {
        var retry = RetryDelay(first: .seconds(5), longest: .seconds(600))
        #expect(retry.isOutlasted(by: .seconds(5)) && !retry.isOutlasted(by: .seconds(4)))
        for _ in 0..<10 { _ = retry.next() }
        #expect(retry.isOutlasted(by: .seconds(20)) && !retry.isOutlasted(by: .seconds(19)))
    }

    @Test func `a pause that the server asks for is bounded, differs by client, and ends with a success`() async throws
    {
        #expect(RetryHeaders.retryAfter("86400") == .seconds(3_600) && RetryHeaders.retryAfter("10") == .seconds(10))
        let server = try TestServer(["limit": 1])
        let transport = ScriptedTransport(to: server.publisher)
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        var pauses: Set<Duration> = []
        for _ in 0..<20 {
            transport.fail(.status(503, [(name: "Retry-After", value: "10")]))
            _ = await store.engine.request().value
            var retry = RetryDelay(first: .zero, longest: .zero)
            let pause = store.engine.pauseAfterFailure(&retry)
            #expect(pause >= .seconds(10) && pause <= .seconds(15))
            pauses.insert(pause)
        }
        #expect(pauses.count > 1)
        transport.fail(.status(503, [(name: "Retry-After", value: "10")]))
        _ = await store.engine.request().value
        try await store.fetch()
        var retry = RetryDelay(first: .zero, longest: .zero)
        #expect(store.engine.pauseAfterFailure(&retry) == .zero)
    }

    @Test func `documents that a busy stream needs do not make the pauses grow`() async throws {
        let (server, folder) = (try TestServer(["limit": 0]), try TemporaryFolder())
        let store = try makeClient(of: server, cache: folder.path("cache"))
        store.engine.state.withLock { $0.wantsStream = true }
        // Each value that has arrived is followed by the next one.
        let observation = store.observe(.all, initial: false) { change in
            guard case .integer(let number)? = change["limit"]?.new, let last = number.int64 else { return }
            try? server.set(["limit": .number(Int(last) + 1)])
        }
        var retry = RetryDelay(first: .seconds(5), longest: .seconds(600))
        for _ in 0..<6 { _ = await store.engine.followOnce(&retry) }
        observation.cancel()
        #expect(retry.failures <= 1)
    }
}
