import AsyncAlgorithms
import Keyspan
import NotesShared
import Testing

@testable import notes
@testable import notes_server

/// The server over HTTP, each test with settings of its own.
@Suite struct ServerTests {
    private var memory: ServerSettings { ServerSettings(InMemoryStore(["server.token": "secret"])) }

    @Test func `the page has the present settings`() async throws {
        try await TestServer.run(memory) { server in
            #expect(try await server.send("GET", "/health").status == 200)
            #expect(try await server.send("GET", "/").text == "# Notes (light)\n* home\n* work\n")
            server.settings.notes.update {
                $0.title = "Shopping"
                $0.theme = .dark
                $0.labels = ["food"]
                $0.colors = ["food": "green"]
            }
            try await eventually("the page has the changes") {
                try await server.send("GET", "/").text == "# Shopping (dark)\n* food (green)\n"
            }
        }
    }

    @Test func `notes are limited by settings that change while the server runs`() async throws {
        try await TestServer.run(memory) { server in
            for number in 1...3 { #expect(try await server.send("POST", "/notes", "note \(number)").status == 201) }
            server.settings.notes.limits.noteSize = 10
            #expect(try await server.send("POST", "/notes", "much too long").status == 413)
            server.settings.notes.limits.notes = 2
            try await eventually("the oldest note is gone") {
                try await server.send("GET", "/notes").text == #"["note 2","note 3"]"#
            }
            server.settings.notes.isReadOnly = true
            #expect(try await server.send("POST", "/notes", "note 4").status == 403)
        }
    }

    @Test func `a setting is changed with the token, and is in the file when the request is answered`() async throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"server": {"token": "secret"}, "title": "Old"}"#)
        try await TestServer.run(try folder.open(path)) { server in
            #expect(try await server.send("PUT", "/settings/title", "New").status == 401)
            #expect(try await server.send("PUT", "/settings/title", "New", token: "wrong").status == 401)
            #expect(try await server.send("PUT", "/settings/title", "New", token: "secret").status == 204)
            let others = try JSONFileStore(path: path, keys: NotesKeys.allKeys, unknownNames: .areIgnored)
            #expect(Defaults.Group<NotesKeys>(others).title == "New")

            let refusal = try await server.send("PUT", "/settings/title", token: "secret")
            #expect(refusal.status == 400)
            #expect(refusal.text.contains("title"))
            #expect(server.settings.notes.title == "New")

            let body = #"{"text": "Closed on Monday", "isUrgent": true}"#
            #expect(try await server.send("PUT", "/settings/announcement", body, token: "secret").status == 204)
            try await eventually("the page has the announcement") {
                try await server.send("GET", "/").text.contains("! Closed on Monday")
            }

            let table = try await server.send("GET", "/settings").text
            #expect(table.contains("title"))
            #expect(!table.contains(#""secret""#))
        }
    }

    @Test func `what a client changes in the file is in the next page`() async throws {
        let folder = try TestFolder()
        let path = try folder.settings()
        try await TestServer.run(try folder.open(path)) { server in
            let client = Notes(
                settings: .init(try JSONFileStore(path: path, keys: NotesKeys.allKeys, unknownNames: .areIgnored))
            )
            #expect(try await client.run(["title", "From a client"]))
            #expect(try await client.run(["announce", "Hello"]))
            try await eventually("the page has the client's changes") {
                try await server.send("GET", "/").text.hasPrefix("# From a client (light)\n> Hello\n")
            }
            #expect(try await client.run(["theme", "purple"]) == false)
        }
    }

    @Test func `the health check fails unless the server answers`() async throws {
        try await TestServer.run(memory) { server in
            let address = Defaults.HostAndPort(host: "127.0.0.1", port: UInt16(server.port))
            try await HealthCheck.run(try #require(address))
        }
        await #expect(throws: (any Error).self) { try await HealthCheck.run("127.0.0.1:1") }
    }

    @Test func `the page follows changes that never end`() async throws {
        try await TestServer.run(memory) { server in
            let first = try await server.send("GET", "/").text
            var number = 0
            // Each look at the page comes between two changes.
            try await eventually("the page has another title") {
                number += 1
                server.settings.notes.title = "\(number)"
                return try await server.send("GET", "/").text != first
            }
        }
    }

    @Test func `a reader that debounces sees the end of a series of changes`() async throws {
        let settings = Defaults.Group<NotesKeys>(InMemoryStore())
        let ends = settings.updates(initial: false, buffering: .latest).debounce(for: .seconds(1))
        let task = Task { await ends.first { _ in settings.title == "100" } != nil }
        for number in 1...100 { settings.title = "\(number)" }
        #expect(await task.value)
    }

    @Test func `the metrics have requests and stores`() async throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"title": "Measured"}"#)
        try await TestServer.run(try folder.open(path)) { server in
            try await eventually("the metrics have the store") {
                let text = try await server.send("GET", "/metrics").text
                return text.contains("keyspan_entries{store=\(path.debugDescription)} ")
            }
        }
    }
}
