import Foundation
import Keyspan
import KeyspanRemote
import NotesShared
import Synchronization
import Testing

@testable import notes_server

/// Settings that go from a server to a client over HTTP, by the keys that both share.
@Suite struct RemoteTests {
    private let folder: TestFolder
    private let key: SigningKey
    private let server: ServerSettings

    private static let published = [
        "announcement", "colors", "isReadOnly", "labels", "limits.noteSize", "refreshInterval", "theme", "title",
    ]

    /// A file with a value for every key: what remains unpublished has one that is found in any text.
    init() throws {
        folder = try TestFolder()
        key = try SigningKey.generate(id: "2026-11")
        let path = try folder.settings(
            """
            {
              "title": "Notes", "theme": "light", "labels": ["food"], "colors": {"food": "green"}, "isReadOnly": true,
              "announcement": {"text": "Hello", "isUrgent": false}, "refreshInterval": "1m30s",
              "limits": {"noteSize": "8KiB", "notes": 424242}, "logged": "42.42%", "logLevel": "error",
              "server": {"token": "top-secret"}, "signingKey": "\(key.text)"
            }
            """
        )
        server = try folder.open(path)
    }

    /// With the variable KEYSPAN_TIMES it prints how long each step took.
    @Test func `a change on the page reaches the updates of a client on a stream`() async throws {
        try await TestServer.run(server) { server in
            let client = try TestClient(port: server.port, key: key, isLive: true)
            try await eventually("the client follows") {
                client.remote.status.isLive && client.remote.status.revision != nil
            }
            let first = try #require(client.remote.status.revision)
            #expect(client.settings.title == "Notes" && client.settings.refreshInterval == .seconds(90))

            let changed = Mutex<ContinuousClock.Instant?>(nil)
            let observation = server.settings.notes.observe(\.title, options: []) { _ in
                changed.withLock { $0 = .now }
            }
            let titles = client.settings.updates(\.title, initial: false)
            async let yielded = titles.first { $0 == "Shopping" }.map { _ in ContinuousClock.now }
            let page = try await TestPage(port: server.port, token: "top-secret")
            let sent = ContinuousClock.now
            let answer = try await page.change("title", to: "Shopping")
            let answered = ContinuousClock.now
            #expect(answer.status == 200, "\(answer.text)")
            let received = try #require(await yielded)
            observation.invalidate()

            let revision = try #require(client.remote.status.revision)
            #expect(revision > first)
            let row = try #require(client.settings.describe().rows.first { $0.name == "title" })
            #expect("\(row.value)" == #""Shopping""#)
            let source = "remote http://127.0.0.1:\(server.port)/remote revision \(revision), just now"
            #expect("\(try #require(row.provenance))" == source)
            if ProcessInfo.processInfo.environment["KEYSPAN_TIMES"] != nil {
                let steps = [
                    ("store changed", changed.withLock(\.self)),
                    ("event received", client.transport.time(of: "Shopping")),
                    ("updates yielded", received), ("post answered", answered),
                ]
                for (step, time) in steps { print("\(step) after \(time.map { "\(sent.duration(to: $0))" } ?? "?")") }
            }
        }
    }

    @Test func `both sides describe the same published values, and no others arrive`() async throws {
        try await TestServer.run(server) { server in
            let client = try TestClient(port: server.port, key: key)
            #expect(try await client.remote.fetch())
            let rows = client.settings.describe().rows
            let sources = server.settings.notes.describe().rows
            #expect(rows.map(\.name) == sources.map(\.name))
            #expect(rows.filter { $0.provenance != nil }.map(\.name).sorted() == Self.published)
            for (row, source) in zip(rows, sources) where row.provenance != nil {
                #expect(row.value == source.value, "\(row.name)")
            }
            let text = client.transport.text
            #expect(text.contains("8KiB"))
            let hidden = ["424242", "42.42", "top-secret", key.base64Encoded]
            for word in hidden + ["server", "logged", "logLevel", "limits.notes", "darkShare", "signingKey"] {
                #expect(!text.contains(word), "\(word)")
            }
        }
    }

    @Test func `a rollout reaches clients on a stream when its share changes`() async throws {
        try await TestServer.run(server) { server in
            let client = try TestClient(port: server.port, key: key, isLive: true)
            try await eventually("the client follows") {
                client.remote.status.isLive && client.remote.status.revision != nil
            }
            #expect(client.settings.theme == .light)
            let page = try await TestPage(port: server.port, token: "top-secret")
            #expect(try await page.change("darkShare", to: "100%").status == 200)
            try await eventually("the rollout has arrived") { client.settings.theme == .dark }
            #expect(server.settings.notes.theme == .light)
        }
    }

    @Test func `a client takes nothing that the server has not signed`() async throws {
        try await TestServer.run(server) { server in
            let client = try TestClient(port: server.port, key: key)
            #expect(await client.failure() == nil)
            let forged = ServerSettings(InMemoryStore(["title": "Forged"]))
            for (id, kind) in [("2026-11", RemoteStoreError.Kind.invalidSignature), ("2026-12", .unknownKey)] {
                client.transport.forger = try SettingsPublisher(of: forged, signingKey: .generate(id: id))
                #expect(await client.failure() == kind)
            }
            // Another program of the same team, with the same key.
            var options = SettingsPublisherOptions()
            options.path = "/remote"
            client.transport.forger = try SettingsPublisher(
                NotesKeys.allKeys,
                in: forged.notes.store,
                name: "mail",
                signingKey: key,
                options: options
            )
            #expect(await client.failure() == .wrongPublisher)
            #expect(client.settings.title == "Notes")
            client.transport.forger = nil
            #expect(await client.failure() == nil)
        }
    }

    @Test func `a stranger reads what is published, and changes nothing`() async throws {
        try await TestServer.run(server) { server in
            let document = try await server.send("GET", "/remote/all")
            #expect(document.status == 200 && document.text.contains("refreshInterval"))
            #expect(try await server.send("POST", "/remote/all", "{}").status == 405)
            #expect(try await server.send("GET", "/remote/other").status == 404)
            #expect(try await server.send("GET", "/remote?bucket=1000").status == 400)
            // With the token, and without the page. Without the token, URLSession on Linux waits after the challenge for it.
            #expect(try await server.send("POST", "/console/changes", "{}", token: "top-secret").status == 403)
        }
    }

    @Test func `a client starts from its cache file when there is no server`() async throws {
        let cache = folder.url.appendingPathComponent("cache").path
        var port = 0
        try await TestServer.run(server) { server in
            port = server.port
            let client = try TestClient(port: server.port, key: key, cache: cache)
            try await client.remote.fetch()
            try await client.remote.synchronize()
        }
        let client = try TestClient(port: port, key: key, cache: cache)
        #expect(client.settings.refreshInterval == .seconds(90))
        // Unless the server of another test has the port by now.
        #expect(await client.failure() != nil)
        #expect(client.settings.refreshInterval == .seconds(90))
    }

    @Test func `a server without a signing key has no remote settings`() async throws {
        try await TestServer.run(ServerSettings(InMemoryStore())) { server in
            let client = try TestClient(port: server.port, key: key)
            #expect(await client.failure() == .notFound)
        }
    }
}
