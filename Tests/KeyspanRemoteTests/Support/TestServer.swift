import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// Keys that a server and a client share.
enum TestKeys {
    static let limit = Defaults.Key<Int>("limit", default: 10).published()
    static let title = Defaults.Key<String>("title", default: "none").published()
    static let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65_535)).published()
    static let internalKey = Defaults.Key<String>("internal", default: "").summary("not published")
    static let all: [Defaults.AnyKey] = [limit, title, port, internalKey]
}

/// A publisher of a store in memory, with a clock that a test sets.
final class TestServer: Sendable {
    static let name = "test"

    let base = InMemoryStore()
    let key: SigningKey
    let publisher: SettingsPublisher
    private let clock: TestClock

    init(
        _ values: PropertyListTable = [:],
        name: String = TestServer.name,
        key: SigningKey? = nil,
        keys: [Defaults.AnyKey] = TestKeys.all,
        clock: TestClock = TestClock(),
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore] = { _ in [] }
    ) throws {
        self.clock = clock
        self.key = try key ?? SigningKey.generate(id: "test-1")
        try base.apply(PropertyListBatch(setting: values))
        publisher = try SettingsPublisher(
            keys,
            in: base,
            name: name,
            signingKey: self.key,
            options: options,
            layers: layers,
            now: { clock.now }
        )
    }

    var defaults: Defaults { Defaults(base) }

    /// Whether the reader of a stream waits for the next chunk.
    var hasWaitingStream: Bool { publisher.hasWaitingStream }

    /// Sets values in one batch; `nil` removes one.
    func set(_ values: [String: PropertyListValue?]) throws {
        var batch = PropertyListBatch()
        for (name, value) in values { batch.set(value, forKey: name) }
        try base.apply(batch)
    }

    func get(_ target: String = "/settings", _ headers: [String: String] = [:], method: String = "GET") async
        -> RemoteResponse
    {
        await publisher.respond(to: RemoteRequest(method: method, target: target) { headers[$0] })
    }

    /// The bytes of the document for a query.
    func document(_ query: String = "") async throws -> [UInt8] {
        let response = await get("/settings" + query)
        guard response.status == 200, case .bytes(let bytes) = response.body else {
            throw ScriptedTransport.Failure()
        }
        return bytes
    }

    func message(_ query: String = "") async throws -> SettingsMessage {
        try read(try await document(query))
    }

    func read(_ bytes: [UInt8]) throws -> SettingsMessage {
        let signed = try SignedMessage(reading: bytes, atMost: 1 << 20)
        try signed.verify(with: [key.id: key.verificationKey])
        return try SettingsMessage(content: signed.content)
    }

    /// The signed text of a message that the publisher has not made itself.
    func sign(
        _ kind: SettingsMessage.Kind,
        _ values: PropertyListDictionary,
        changed: PropertyListDictionary? = nil,
        revision: Int64,
        name: String = TestServer.name
    ) -> [UInt8] {
        let message = SettingsMessage(
            kind: kind,
            name: name,
            revision: revision,
            state: SettingsState(of: SettingsState.text(of: values)),
            validity: clock.now..<clock.now.addingTimeInterval(86_400),
            values: changed ?? values
        )
        return SignedMessage(message.content, signedWith: key).bytes
    }

    func stream(_ target: String = "/settings/changes", after position: String? = nil) async throws -> RemoteEventStream
    {
        let response = await get(target, position.map { ["last-event-id": $0] } ?? [:])
        guard response.status == 200, case .stream(let stream) = response.body else {
            throw ScriptedTransport.Failure()
        }
        return stream
    }
}

/// The number of a source's state, as a host gives it to its publishers.
final class HostNumber: Sendable {
    private let number: Locked<Int64>

    init(_ number: Int64) { self.number = Locked(number) }

    var value: Int64 {
        get { number.withLock(\.self) }
        set { number.withLock { $0 = newValue } }
    }

    var options: SettingsPublisherOptions {
        SettingsPublisherOptions { $0.revision = { self.value } }
    }
}

extension SettingsPublisherOptions {
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension SettingsPublisher {
    var hasWaitingStream: Bool { core.state.withLock { $0.streams.values.contains { $0.waiting != nil } } }
}

extension PropertyListBatch {
    init(setting values: PropertyListTable) {
        self.init()
        for (name, value) in values { set(value, forKey: name) }
    }
}

/// Reads the events of a stream.
struct EventIterator {
    private var iterator: RemoteEventStream.AsyncIterator
    private var reader = EventReader(limit: 1 << 20)
    private let server: TestServer

    init(_ stream: RemoteEventStream, of server: TestServer) {
        iterator = stream.makeAsyncIterator()
        self.server = server
    }

    /// The next event, without comments; `nil` at the end of the stream.
    mutating func next() async throws -> (event: ServerEvent, message: SettingsMessage)? {
        while let chunk = await iterator.next() {
            if let event = try reader.read(chunk).first { return (event, try server.read(event.data)) }
        }
        return nil
    }

    /// The next chunk as text.
    mutating func text() async -> String? {
        await iterator.next().map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RemoteEngine {
    /// Verifies and takes a message, as if the server had sent it.
    func take(_ bytes: [UInt8]) async throws(RemoteStoreError) -> Outcome {
        try await take(verifier.message(bytes, at: parameters.now()), bytes)
    }
}

/// Makes the client of a server.
func makeClient(
    of server: TestServer,
    over transport: (any RemoteTransport)? = nil,
    url: String = "https://settings.test/settings",
    keys: [Defaults.AnyKey] = TestKeys.all,
    verificationKeys: [VerificationKey]? = nil,
    name: String = TestServer.name,
    cache: String? = nil,
    clock: TestClock = TestClock(),
    connectionClock: ManualClock = ManualClock(),
    _ change: (inout RemoteStoreOptions) -> Void = { _ in }
) throws -> RemoteStore {
    var options = RemoteStoreOptions()
    options.isAutomatic = false
    change(&options)
    var parameters = RemoteEngine.Parameters()
    parameters.now = { clock.now }
    parameters.maximumChain = 5...8
    parameters.minimumInterval = .milliseconds(1)
    parameters.firstRetry = .milliseconds(1)
    parameters.longestRetry = .milliseconds(5)
    // No silence is too long unless a test lets time pass.
    parameters.connectionClock = connectionClock.clock
    return try RemoteStore(
        url: try #require(URL(string: url)),
        keys: keys,
        verificationKeys: verificationKeys ?? [server.key.verificationKey],
        name: name,
        cache: cache,
        options: options,
        transport: transport ?? ScriptedTransport(to: server.publisher),
        fileSystem: POSIXFileSystem(),
        parameters: parameters
    )
}
