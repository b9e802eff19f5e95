#if os(Linux)
import Foundation
import Keyspan
import KeyspanRemote
import NotesShared
import Testing

@testable import notes_server

/// The programs as processes of their own.
@Suite struct ProcessTests {
    @Test(arguments: [SIGKILL, SIGTERM])
    func `every change that was answered is in the file after the end of the server`(signal: Int32) async throws {
        let folder = try TestFolder()
        let port = try freePort()
        let path = try folder.settings(
            #"{"server": {"token": "secret", "listen": "127.0.0.1:\#(port)"}, "logLevel": "error"}"#
        )
        let server = try await startServer(path, port)
        #expect(try await Program("notes-server", [path, "--check-health"]).end() == 0)

        var answered = 0
        for number in 1...200 {
            if number == 100 { server.send(signal) }
            guard let answer = try? await HTTP.send("PUT", "/settings/title", "\(number)", token: "secret", port: port),
                answer.status == 204
            else { break }
            answered = number
        }
        #expect(answered >= 99)
        #expect(try await server.end() == (signal == SIGTERM ? 0 : signal))
        #expect(try await Program("notes-server", [path, "--check-health"]).end() == 1)
        let title = try Defaults.Group<NotesKeys>(
            JSONFileStore(path: path, keys: NotesKeys.allKeys, unknownNames: .areIgnored)
        ).title
        // The last change may have been made although its answer was not sent anymore.
        #expect(try #require(Int(title)) >= answered)
    }

    @Test func `an open stream of remote settings does not keep a server that is told to end`() async throws {
        let folder = try TestFolder()
        let port = try freePort()
        let key = try SigningKey.generate(id: "test")
        let path = try folder.settings(
            #"{"server": {"listen": "127.0.0.1:\#(port)"}, "signingKey": "\#(key.text)", "logLevel": "error"}"#
        )
        let server = try await startServer(path, port)
        let client = try TestClient(port: port, key: key, isLive: true)
        try await eventually("the client follows") { client.remote.status.isLive }
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
        try await eventually("the stream has ended") { !client.remote.status.isLive }
    }

    @Test func `the output of the server is its audit trail`() async throws {
        let folder = try TestFolder()
        let port = try freePort()
        let path = try folder.settings(
            #"{"server": {"token": "secret", "listen": "127.0.0.1:\#(port)"}, "title": "Old"}"#
        )
        let output = folder.url.appendingPathComponent("audit.jsonl")
        let server = try await startServer(path, port, output: output)
        #expect(try await HTTP.send("POST", "/console/changes", "{}", token: "secret", port: port).status == 403)
        for (text, status) in [("New", 200), ("New", 200), ("", 422)] {
            let page = try await TestPage(port: port, token: "secret")
            #expect(try await page.change("title", to: text).status == status)
        }
        let page = try await TestPage(port: port, token: "secret")
        #expect(try await page.change("server.token", to: "other").status == 200)
        server.send(SIGTERM)
        #expect(try await server.end() == 0)

        let text = try String(decoding: Data(contentsOf: output), as: UTF8.self)
        let events = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(events.count == 5 && events.allSatisfy { $0["time"] is String && $0["sender"] is String })
        let changes = events.map { ($0["changes"] as? [[String: String]])?.first }
        #expect(changes.map { $0?["outcome"] } == [nil, "saved", "unchanged", "invalid", "saved"])
        #expect(changes.map { $0?["key"] } == [nil, "title", "title", "title", "server.token"])
        #expect(events.first?["refusal"] as? String == "invalidToken")
        #expect(changes[1]?["new"] == changes[2]?["old"] && changes[1]?["old"] != changes[1]?["new"])
        #expect(changes[4]?["old"] == nil && changes[4]?["new"] == nil && !text.contains("secret"))
    }

    /// As process 1 of a container, a program without a handler would ignore both signals.
    @Test(arguments: [SIGINT, SIGTERM])
    func `a watching client ends with status 0 on a signal`(signal: Int32) async throws {
        let folder = try TestFolder()
        let output = folder.url.appendingPathComponent("output")
        let client = try Program("notes", [try folder.settings(), "watch"], output: output)
        try await eventually("the client watches") { try Data(contentsOf: output).starts(with: Data("watching ".utf8)) }
        client.send(signal)
        #expect(try await client.end() == 0)
    }

    /// A port that is free now: the server's own choice of one would not be known to its clients.
    private func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound, "no port is free")
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Starts a server, and returns when it answers.
    private func startServer(_ path: String, _ port: Int, output: URL? = nil) async throws -> Program {
        let server = try Program("notes-server", [path], output: output)
        try await eventually("the server answers") {
            try #require(server.isRunning, "the server has ended")
            return (try? await HTTP.send("GET", "/health", port: port).status) == 200
        }
        return server
    }
}

/// A program of this package that runs, at most as long as the test.
private final class Program {
    private let process = Process()

    /// Starts it.
    ///
    /// - Parameter output: The file of its output, which a pipe would withhold from a test that may not wait for ever.
    init(_ name: String, _ arguments: [String], output: URL? = nil) throws {
        process.executableURL = try FileManager.default.destinationOfLink("/proc/self/exe")
            .deletingLastPathComponent().appendingPathComponent(name)
        process.arguments = arguments
        if let output {
            try Data().write(to: output)
            process.standardOutput = try FileHandle(forWritingTo: output)
        }
        try process.run()
    }

    deinit {
        if process.isRunning { send(SIGKILL) }
    }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The status or the signal by which it ends.
    func end() async throws -> Int32 {
        try await eventually("the process ends") { !process.isRunning }
        if process.isRunning { send(SIGKILL) }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

extension FileManager {
    fileprivate func destinationOfLink(_ path: String) throws -> URL {
        URL(fileURLWithPath: try destinationOfSymbolicLink(atPath: path))
    }
}
#endif
