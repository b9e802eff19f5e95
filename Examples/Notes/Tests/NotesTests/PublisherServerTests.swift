import Foundation
import Keyspan
import KeyspanRemote
import NIOPublisher
import NotesShared
import Testing

/// A publisher that a server without a framework serves.
@Suite struct PublisherServerTests {
    private let store = InMemoryStore(["title": "Notes", "theme": "light"])
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(id: "2026-11")
    }

    @Test func `a client takes the values of its group, and changes as they come`() async throws {
        try await serve { publisher, port in
            let client = try TestClient(port: port, key: key, isLive: true)
            try await eventually("the client follows") { client.remote.status.isLive && client.settings.theme == .dark }
            #expect(client.remote.status.group == "dark" && client.settings.title == "Notes")
            Defaults.Group<NotesKeys>(store).title = "Shopping"
            try await eventually("the change has arrived") { client.settings.title == "Shopping" }
            #expect(publisher.streamCount == 1)
        }
    }

    @Test func `one connection carries several requests`() async throws {
        try await serve { _, port in
            for _ in 0..<2 {
                #expect(try await HTTP.send("HEAD", "/remote/all", port: port).status == 200)
                let document = try await HTTP.send("GET", "/remote/all", port: port)
                #expect(document.status == 200 && document.text.contains(#""title": "Notes""#))
                #expect(try await HTTP.send("GET", "/remote/other", port: port).status == 404)
                #expect(try await HTTP.send("POST", "/remote/all", "{}", port: port).status == 405)
            }
        }
    }

    @Test func `an address has as many streams as the publisher permits, and a stream that ends is free`() async throws
    {
        try await serve { publisher, port in
            let first = try TestClient(port: port, key: key, isLive: true)
            try await eventually("the first one follows") { first.remote.status.isLive }
            let second = try TestClient(port: port, key: key, isLive: true)
            try await eventually("the second one is refused") { publisher.refusedStreamCount > 0 }
            #expect(!second.remote.status.isLive && publisher.streamCount == 1)
            // It asks at intervals.
            try await eventually("the second one has the values") { second.settings.theme == .dark }
            second.remote.isLive = false
            first.remote.isLive = false
            try await eventually("the place is free") { publisher.streamCount == 0 }
        }
    }

    /// Serves a publisher for the time of a test.
    private func serve(_ test: (SettingsPublisher, Int) async throws -> Void) async throws {
        var options = SettingsPublisherOptions()
        options.path = "/remote"
        options.heartbeat = .milliseconds(100)
        options.maximumStreamsPerPeer = 1
        let publisher = try SettingsPublisher(
            NotesKeys.allKeys,
            in: store,
            name: "notes",
            signingKey: key,
            groups: ["dark": [InMemoryStore(["theme": "dark"])]],
            options: options
        ) { traits in
            traits.isIn(100, of: "dark theme") ? "dark" : "all"
        }
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let running = Task {
            defer { continuation.finish() }
            try await PublisherServer(publisher).run(host: "127.0.0.1", port: 0) { continuation.yield($0) }
        }
        defer { running.cancel() }
        let port = try #require(await ports.first { _ in true })
        try await test(publisher, port)
    }
}
