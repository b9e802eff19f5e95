import Foundation
import HTTPTypes
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
        groups: [String: [any PropertyListStore]] = [:],
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        group: @escaping @Sendable (ClientTraits) -> String = { _ in "all" }
    ) throws {
        self.clock = clock
        self.key = try key ?? SigningKey.generate(id: "test-1")
        try base.apply(PropertyListBatch(setting: values))
        let (validity, now) = (options.clamped.validity, { @Sendable in clock.now })
        let signer = DocumentSigner(name: name, key: self.key, validity: validity, now: now)
        publisher = try SettingsPublisher(keys, base, signer, groups, options.clamped, assign: group)
    }

    var defaults: Defaults { Defaults(base) }

    /// Sets values in one batch; `nil` removes one.
    func set(_ values: [String: PropertyListValue?]) throws {
        var batch = PropertyListBatch()
        for (name, value) in values { batch.set(value, forKey: name) }
        try base.apply(batch)
    }

    func get(
        _ path: String = "/settings/all",
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        from peer: String? = nil
    ) -> RemoteResponse {
        let request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: "settings.test",
            path: path,
            headerFields: fields
        )
        return publisher.respond(to: request, from: peer)
    }

    /// The bytes of the document of a group.
    func document(_ group: String = "all") throws -> [UInt8] {
        let response = get("/settings/\(group)")
        guard response.head.status == .ok, case .bytes(let bytes) = response.body else {
            throw ScriptedTransport.Failure()
        }
        return bytes
    }

    func message(_ group: String = "all") throws -> SettingsDocument { try read(try document(group)) }

    /// The tag of the document of a group.
    func tag(_ group: String = "all") throws -> DocumentTag {
        let text = try #require(get("/settings/\(group)").head.headerFields[.eTag])
        return try #require(DocumentTag.all(in: text).first { _ in true })
    }

    func read(_ bytes: [UInt8]) throws -> SettingsDocument {
        let signed = try SignedMessage(reading: bytes, atMost: 1 << 20)
        try signed.verify(with: key.verificationKey)
        return try SettingsDocument(content: signed.content)
    }

    /// The signed text of a document that the publisher has not made itself.
    func sign(
        _ values: PropertyListDictionary,
        revision: Int64,
        name: String = TestServer.name,
        group: String = "all",
        key: SigningKey? = nil,
        validity: Duration = .seconds(86_400)
    ) -> [UInt8] {
        let document = SettingsDocument(
            name: name,
            group: group,
            revision: revision,
            state: SettingsState(of: SettingsState.text(of: values), for: group),
            validity: clock.now..<clock.now.addingTimeInterval(validity.seconds),
            values: values
        )
        return SignedMessage(document.content, signedWith: key ?? self.key).bytes
    }

    func stream(_ group: String = "all", from peer: String? = nil) throws -> AsyncStream<[UInt8]> {
        let response = get("/settings/\(group)/changes", from: peer)
        guard response.head.status == .ok, case .stream(let stream) = response.body else {
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
        SettingsPublisherOptions { $0.revisions = .numbered { self.value } }
    }
}

extension SettingsPublisherOptions {
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}

extension PropertyListBatch {
    init(setting values: PropertyListTable) {
        self.init()
        for (name, value) in values { set(value, forKey: name) }
    }
}

/// Reads the events of a stream.
struct EventIterator {
    private var iterator: AsyncStream<[UInt8]>.AsyncIterator
    private var reader = EventReader(limit: 1 << 20)

    init(_ stream: AsyncStream<[UInt8]>) {
        iterator = stream.makeAsyncIterator()
    }

    /// The tag and the spread of the next event; `nil` at the end of the stream.
    mutating func next() async throws -> (tag: String, spread: Double?)? {
        while let chunk = await iterator.next() {
            guard let data = try reader.read(chunk).first else { continue }
            let words = data.split(separator: " ")
            return (String(words[0]), words.last.flatMap { Double($0) })
        }
        return nil
    }

    /// The tag of the next event that is not one of these.
    mutating func nextTag(after tags: String...) async throws -> String? {
        while let (tag, _) = try await next() {
            if !tags.contains(tag) { return tag }
        }
        return nil
    }
}

extension RemoteEngine {
    /// Verifies and takes a document, as if the server had sent it.
    func take(_ bytes: [UInt8]) async throws(RemoteStoreError) -> Bool {
        try await take(verifier.version(bytes, for: group, at: clock.date()))
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
    times: ManualClock = ManualClock(),
    _ change: (inout RemoteStoreOptions) -> Void = { _ in }
) throws -> RemoteStore {
    var options = RemoteStoreOptions()
    options.polling = .manually
    change(&options)
    var parameters = RemoteEngine.Parameters()
    // No time passes unless a test lets it.
    parameters.clock = times.clock(clock)
    let endpoint = try RemoteEndpoint(
        try #require(URL(string: url)),
        group: options.group,
        allowsPlaintext: options.allowsPlaintext
    )
    let keysOfServer = verificationKeys ?? [server.key.verificationKey]
    let verifier = try DocumentVerifier(of: name, keysOfServer, options)
    let way = transport ?? ScriptedTransport(to: server.publisher)
    return try RemoteStore(endpoint, verifier, PublishedKeys(keys), cache: cache, options, way, parameters)
}
