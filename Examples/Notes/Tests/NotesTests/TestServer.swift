import Foundation
import Keyspan
import Logging
import NotesShared
import Testing

@testable import notes_server

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server on a port of its own, in this process.
struct TestServer {
    let settings: ServerSettings
    let metrics: MetricsPage
    let port: Int

    /// Runs a server for the time of a test.
    static func run(_ settings: ServerSettings, _ test: (TestServer) async throws -> Void) async throws {
        settings.notes.server.listen = "127.0.0.1:0"
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let metrics = MetricsPage()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let running = Task {
            defer { continuation.finish() }
            try await NotesServer.run(settings, metrics: metrics, logger: logger, signals: []) {
                continuation.yield($0)
            }
        }
        let port = try #require(await ports.first { _ in true })
        let server = TestServer(settings: settings, metrics: metrics, port: port)
        do {
            try await test(server)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        _ = await running.result
    }

    /// Sends a request.
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        token: String? = nil
    ) async throws -> (status: Int, text: String) {
        try await HTTP.send(method, path, body, token: token, port: port)
    }
}

enum HTTP {
    /// Sends a request to a port of this machine.
    static func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        token: String? = nil,
        headers: [String: String] = [:],
        port: Int
    ) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = Data(body.utf8) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (try #require(response as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))
    }
}

/// A folder of a test, which is removed with it.
final class TestFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("notes-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Writes the settings, and returns their path.
    func settings(_ text: String = "{}") throws -> String {
        let file = url.appendingPathComponent("settings.json")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Adds a file to the folder of secrets, which every user may read.
    func addSecret(_ text: String, as name: String) throws {
        let folder = url.appendingPathComponent("secrets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
    }

    /// Opens the settings of a server, which take nothing from this machine.
    func open(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:]
    ) throws -> ServerSettings {
        try ServerSettings(
            arguments: ["notes-server", path] + arguments,
            environment: environment,
            secrets: url.appendingPathComponent("secrets").path
        )
    }
}

/// Waits until a condition is met: at most two minutes, which only a test that fails takes.
func eventually(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("waited two minutes until \(what)", sourceLocation: sourceLocation)
            return
        }
        // Paces the looks at the condition.
        try await Task.sleep(for: .milliseconds(2))
    }
}
