import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Revisions, entity tags, and what happens while a document is signed or a heartbeat is due.
@Suite(.bounded)
struct PublisherRevisionTests {
    // MARK: - Entity tags

    @Test func `a change for other clients leaves an entity tag good`() async throws {
        let beta = InMemoryStore(["limit": 2])
        let server = try TestServer(["limit": 1]) { $0.cohort == "beta" ? [beta] : [] }
        let tag = try #require(await server.get().header("etag"))
        let other = try #require(await server.get("/settings?cohort=beta").header("etag"))
        try beta.apply(PropertyListBatch(.set(3, key: "limit")))
        for tags in [tag, "\(other), W/\(tag)"] {
            let again = await server.get(headers: ["if-none-match": tags])
            #expect(again.status == 304 && again.header("etag") == tag && again.bytes == [])
        }
        #expect(await server.get("/settings?cohort=beta", ["if-none-match": other]).status == 200)
        #expect(await server.get("/settings?cohort=beta", ["if-none-match": tag]).status == 200)
    }

    @Test func `an entity tag is good at all servers of one source until half of its validity`() async throws {
        let (clock, key) = (TestClock(), try SigningKey.generate(id: "a"))
        let server = try TestServer(["limit": 1], key: key, clock: clock)
        let tag = try #require(await server.get().header("etag"))
        clock.advance(by: 5)
        let other = try TestServer(["limit": 1], key: key, clock: clock)
        #expect(await other.get(headers: ["if-none-match": tag]).status == 304)
        clock.advance(by: 3.5 * 86_400)
        #expect(await other.get(headers: ["if-none-match": tag]).status == 200)
    }

    @Test(arguments: [
        "", "\"", "\"\"", "1.a.1.aaaaaaaaaaaa", "\"1.00000000000000000000000000000000.1.\"",
        "\"1.00000000000000000000000000000000..000000000000\"", "\"1.0.1.000000000000\"",
        "\"1.00000000000000000000000000000000.-1.000000000000\"",
        "\"1.00000000000000000000000000000000.1.00000000000g\"",
        "\"1.00000000000000000000000000000000.99999999999999999999.000000000000\"",
    ])
    func `text that is no entity tag of a document is not read`(_ text: String) {
        #expect(DocumentTag(text) == nil)
    }

    @Test func `an entity tag has the position and the time of its document`() throws {
        let state = SettingsState(of: [1])
        let position = SettingsPosition(revision: 7, state: state)
        let tag = DocumentTag(position, issued: Date(timeIntervalSince1970: 12.5), signature: Array(0..<64))
        #expect(tag.text == "\"7.\(state.text).12.000102030405\"")
        let read = try #require(DocumentTag(tag.text))
        #expect(read.position == position && read.issued == Date(timeIntervalSince1970: 12))
    }

    // MARK: - Numbers of the host

    @Test func `a number of the host rises only with published values`() async throws {
        let number = HostNumber(40)
        var options = number.options
        options.maximumVariants = 1
        let stores = (0..<3).map { InMemoryStore(["limit": .number($0)]) }
        let server = try TestServer(options: options) { client in client.bucket.map { [stores[$0]] } ?? [] }
        for bucket in [0, 1, 2, 0, 1, 2] {
            #expect(try await server.message("?bucket=\(bucket)").revision == 40)
        }
        server.publisher.refreshLayers()
        #expect(server.publisher.revision == 40)
        number.value = .max
        server.defaults[TestKeys.title] = "a"
        #expect(server.publisher.revision == 1 << 53 - 1)
    }

    @Test func `values and the number of the host belong together`() async throws {
        for delay in 0...3 {
            let source = Locked<(number: Int64, calls: Int, isArmed: Bool)>((40, 0, false))
            let base = Locked<InMemoryStore?>(nil)
            var options = SettingsPublisherOptions()
            options.revision = {
                let isChange = source.withLock { source -> Bool in
                    guard source.isArmed else { return false }
                    source.calls += 1
                    if source.calls != delay + 1 { return false }
                    source.number = 42
                    return true
                }
                // The source has changed once more when it is asked.
                if isChange { try? base.withLock(\.self)?.apply(PropertyListBatch(.set(2, key: "limit"))) }
                return source.withLock(\.number)
            }
            let server = try TestServer(["limit": 0], options: options)
            _ = try await server.message()
            base.withLock { $0 = server.base }
            source.withLock { $0 = (41, 0, true) }
            server.defaults[TestKeys.limit] = 1
            let message = try await server.message()
            if source.withLock({ $0.calls > delay }) {
                #expect(message.revision == 42 && message.values == ["limit": 2], "after \(delay) calls")
            }
        }
    }

    @Test func `no variant has a number of the host that another one was read at`() async throws {
        let number = HostNumber(40)
        let (late, other) = (SilentStore(["limit": 1]), InMemoryStore(["title": "a"]))
        let server = try TestServer(options: number.options) { $0.bucket == 1 ? [other, late] : [late] }
        let first = try await server.message()
        #expect(first.revision == 40 && first.values == ["limit": 1])
        try late.apply(PropertyListBatch(.set(2, key: "limit")))
        number.value = 41
        let second = try await server.message("?bucket=1")
        #expect(second.revision == 41 && second.values == ["limit": 2, "title": "a"])
        let third = try await server.message()
        #expect(third.revision == 41 && third.values == ["limit": 2])
        // A variant that is read at another time has the number of that time as well.
        try late.apply(PropertyListBatch(.set(3, key: "limit")))
        number.value = 42
        try other.apply(PropertyListBatch(.set("b", key: "title")))
        let fourth = try await server.message()
        #expect(fourth.revision == 42 && fourth.values == ["limit": 3])
    }

    @Test func `a number that rises without published values makes all variants be read once`() async throws {
        let number = HostNumber(40)
        var options = number.options
        options.maximumVariants = 2
        let shared = ScriptedStore(["limit": 1])
        let overlays = (0..<6).map { _ in InMemoryStore() }
        let server = try TestServer(options: options) { client in client.bucket.map { [overlays[$0], shared] } ?? [] }
        for bucket in 0..<6 { _ = try await server.message("?bucket=\(bucket)") }
        number.value = 41
        _ = try await server.message("?bucket=0")
        for bucket in 1..<6 {
            let before = shared.count(of: .snapshot)
            _ = try await server.message("?bucket=\(bucket)")
            #expect(shared.count(of: .snapshot) == before + 1)
        }
    }

    @Test func `a variant is not read before changes of its overlays are noticed`() async throws {
        let (number, late, other) = (HostNumber(40), SilentStore(["limit": 1]), InMemoryStore(["title": "a"]))
        let server = try TestServer(options: number.options) { client in
            client.bucket == 1 ? [late] : client.bucket == 2 ? [other] : []
        }
        _ = try await server.message()
        late.onObservation.withLock { observation in
            observation = {
                // Another thread reads all variants, and then the overlay changes.
                number.value = 41
                _ = server.publisher.core.contents(for: RemoteClient(bucket: 2))
                try? late.apply(PropertyListBatch(.set(2, key: "limit")))
            }
        }
        #expect(try await server.message("?bucket=1").values == ["limit": 2])
    }

    @Test func `a number of the host that falls keeps nobody waiting`() async throws {
        let number = HostNumber(40)
        let overlay = InMemoryStore(["title": "a"])
        let server = try TestServer(["limit": 1], options: number.options) { $0.bucket == 1 ? [overlay] : [] }
        #expect(try await server.message().revision == 40)
        number.value = 7
        #expect(try await server.message("?bucket=1").revision == 40)
        // Nor does it count up, since other servers would count differently.
        server.defaults[TestKeys.limit] = 2
        let message = try await server.message()
        #expect(message.revision == 40 && message.values == ["limit": 2])
    }

    // MARK: - Signing

    @Test func `a document is given away although the revision rises while it is signed`() async throws {
        let overlay = InMemoryStore(["limit": 0])
        let state = Locked<(isOn: Bool, writes: Int)>((false, 0))
        let publisher = try SettingsPublisher(
            TestKeys.all,
            in: InMemoryStore(["limit": 1]),
            name: "a",
            signingKey: .generate(id: "a"),
            options: SettingsPublisherOptions(),
            layers: { $0.bucket == nil ? [] : [overlay] },
            now: {
                let write = state.withLock { state -> Int? in
                    guard state.isOn, state.writes < 200 else { return nil }
                    state.isOn = false
                    state.writes += 1
                    return state.writes
                }
                if let write {
                    try? overlay.apply(PropertyListBatch(.set(.number(write), key: "limit")))
                    state.withLock { $0.isOn = true }
                }
                return Date(timeIntervalSince1970: 1_800_000_000)
            }
        )
        _ = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings?bucket=1"))
        state.withLock { $0.isOn = true }
        let response = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings"))
        let writes = state.withLock(\.writes)
        #expect(response.status == 200 && writes < 10)
    }

    @Test func `a change that is longer than the document is sent as the document`() async throws {
        let keys = (0..<300).map { Defaults.Key<Int?>("a key with a long name \($0)").published() }
        let server = try TestServer(keys: keys)
        try server.set(Dictionary(uniqueKeysWithValues: keys.map { ($0.name, PropertyListValue?.some(1)) }))
        var events = EventIterator(try await server.stream(), of: server)
        #expect(try await events.next()?.message.values.count == 300)
        try server.set(Dictionary(uniqueKeysWithValues: keys.dropFirst().map { ($0.name, PropertyListValue?.none) }))
        let second = try #require(try await events.next())
        #expect(second.event.type == "document" && second.message.values == [keys[0].name: 1])
        try server.set([keys[1].name: 2])
        #expect(try await events.next()?.event.type == "change")
    }

    // MARK: - Heartbeats

    @Test func `comments do not wait for the host`() async throws {
        let isSlow = Locked(false)
        let gate = Gate()
        let server = try TestServer(["limit": 1], options: .init { $0.heartbeat = .milliseconds(20) }) { _ in
            if isSlow.withLock(\.self) {
                gate.pass()
            }
            return []
        }
        var events = EventIterator(try await server.stream(), of: server)
        _ = try await events.next()
        isSlow.withLock { $0 = true }
        for _ in 0..<3 { #expect(await events.text() == ":\n\n") }
        isSlow.withLock { $0 = false }
        for _ in 0..<100 { gate.open() }
    }
}

/// A store in memory that notifies nobody.
private final class SilentStore: PropertyListStore {
    let name = "silent store"
    /// Called once, when the store is observed first.
    let onObservation = Locked<(@Sendable () -> Void)?>(nil)
    private let inner: InMemoryStore

    init(_ values: PropertyListTable) { inner = InMemoryStore(values) }

    func storedValue(forKey key: String) -> StoredValue? { inner.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { inner.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try inner.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        onObservation.withLock { $0.take() }?()
        return InMemoryStore().observe(keys, initial: false, receive)
    }

    func synchronize() throws(StoreError) {}
}
