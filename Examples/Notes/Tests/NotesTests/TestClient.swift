import Foundation
import HTTPTypes
import Keyspan
import KeyspanRemote
import NotesShared
import Synchronization
import Testing

@testable import notes_server

/// A client of a test server's remote settings.
struct TestClient {
    let remote: RemoteStore
    let transport = RecordingTransport()

    var settings: Defaults.Group<NotesKeys> { .init(remote) }

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - key: The key with which the server signs.
    ///   - cache: The path of the cache file.
    ///   - isLive: Whether the client opens a stream. Without one, it asks when the test says so.
    ///   - id: The name that decides which rollouts have reached the client.
    init(port: Int, key: SigningKey, cache: String? = nil, isLive: Bool = false, id: String = "test") throws {
        var options = RemoteStoreOptions()
        options.isLive = isLive
        options.polling = isLive ? .every(.seconds(900)) : .manually
        options.group = .assigned(to: ClientTraits(id: id))
        remote = try RemoteStore(
            url: try #require(URL(string: "http://127.0.0.1:\(port)/remote")),
            keys: NotesKeys.allKeys,
            verificationKeys: [key.verificationKey],
            name: "notes",
            cache: cache,
            options: options,
            transport: transport
        )
    }

    /// The kind of error with which a request fails; `nil` if it succeeds.
    func failure() async -> RemoteStoreError.Kind? {
        do throws(RemoteStoreError) {
            try await remote.fetch()
            return nil
        } catch {
            return error.kind
        }
    }
}

/// Sends requests to the server, and keeps what it answers.
///
/// A forger can answer in the server's place.
final class RecordingTransport: RemoteTransport {
    #if canImport(Darwin)
    private let transport = URLSessionTransport()
    #else
    private let transport = HTTPClientTransport()
    #endif
    private let arrived = Mutex<[(time: ContinuousClock.Instant, text: String)]>([])
    private let present = Mutex<SettingsPublisher?>(nil)

    var forger: SettingsPublisher? {
        get { present.withLock(\.self) }
        set { present.withLock { $0 = newValue } }
    }

    /// All bytes that have arrived.
    var text: String { arrived.withLock { $0.map(\.text).joined() } }

    /// The time at which the first chunk with a text arrived.
    func time(of text: String) -> ContinuousClock.Instant? {
        arrived.withLock { $0.first { $0.text.contains(text) }?.time }
    }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        if let forger {
            let response = forger.respond(to: request)
            guard case .bytes(let bytes) = response.body else { throw CancellationError() }
            let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            return (response.head, body)
        }
        let (head, body) = try await transport.send(request)
        return (head, recorded(body))
    }

    private func recorded(_ body: some AsyncSequence<[UInt8], any Error> & Sendable) -> Body {
        body.map { chunk in
            self.arrived.withLock { $0.append((.now, String(decoding: chunk, as: UTF8.self))) }
            return chunk
        }
    }
}

/// The page of the console, as its script uses it.
struct TestPage {
    private let port: Int
    private let headers: [String: String]
    private let html: String

    /// Loads the page.
    init(port: Int, token: String) async throws {
        self.port = port
        html = try await HTTP.send("GET", "/console/", token: token, port: port).text
        headers = [
            "Authorization": "Bearer \(token)", "Content-Type": "application/json",
            "Origin": "http://127.0.0.1:\(port)",
            "X-Keyspan-Token": Self.attribute("content", after: #"name="keyspan-token""#, in: html),
        ]
    }

    /// Changes a setting from the version that the page has.
    func change(_ key: String, to text: String) async throws -> (status: Int, text: String) {
        let version = Self.attribute("data-version", after: #"data-key="\#(key)""#, in: html)
        let body = try JSONSerialization.data(
            withJSONObject: ["changes": [["key": key, "version": version, "text": text]]]
        )
        return try await HTTP.send(
            "POST",
            "/console/changes",
            String(decoding: body, as: UTF8.self),
            headers: headers,
            port: port
        )
    }

    private static func attribute(_ name: String, after mark: String, in html: String) -> String {
        guard let start = html.range(of: mark)?.upperBound,
            let begin = html[start...].range(of: name + "=\"")?.upperBound,
            let end = html[begin...].firstIndex(of: "\"")
        else { return "" }
        return String(html[begin..<end])
    }
}
