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
        let port = Int.random(in: 20_000..<30_000)
        let path = try folder.settings(
            #"{"server": {"token": "secret", "listen": "127.0.0.1:\#(port)"}, "logLevel": "error"}"#
        )
        let process = try start("notes-server", [path])
        try await eventually { (try? await HTTP.send("GET", "/health", port: port).status) == 200 }
        #expect(try end(of: start("notes-server", [path, "--check-health"])) == 0)

        var answered = 0
        for number in 1...200 {
            if number == 100 { kill(process.processIdentifier, signal) }
            guard let answer = try? await HTTP.send("PUT", "/settings/title", "\(number)", token: "secret", port: port),
                answer.status == 204
            else { break }
            answered = number
        }
        #expect(answered >= 99)
        #expect(end(of: process) == (signal == SIGTERM ? 0 : signal))
        #expect(try end(of: start("notes-server", [path, "--check-health"])) == 1)
        let title = try Defaults.Group<NotesKeys>(
            JSONFileStore(path: path, keys: NotesKeys.allKeys, unknownNames: .areIgnored)
        ).title
        // The last change may have been made although its answer was not sent anymore.
        #expect(try #require(Int(title)) >= answered)
    }

    @Test func `an open stream of remote settings does not keep a server that is told to end`() async throws {
        let folder = try TestFolder()
        let port = Int.random(in: 20_000..<30_000)
        let key = try SigningKey.generate(id: "test")
        let path = try folder.settings(
            #"{"server": {"listen": "127.0.0.1:\#(port)"}, "signingKey": "\#(key.text)", "logLevel": "error"}"#
        )
        let process = try start("notes-server", [path])
        try await eventually { (try? await HTTP.send("GET", "/health", port: port).status) == 200 }
        let client = try TestClient(port: port, key: key, isLive: true)
        try await eventually { client.remote.status.isLive }
        kill(process.processIdentifier, SIGTERM)
        #expect(end(of: process) == 0)
        try await eventually { !client.remote.status.isLive }
    }

    /// As process 1 of a container, a program without a handler would ignore both signals.
    @Test(arguments: [SIGINT, SIGTERM])
    func `a watching client ends with status 0 on a signal`(signal: Int32) async throws {
        let folder = try TestFolder()
        let output = Pipe()
        let process = try start("notes", [try folder.settings(), "watch"], output: output)
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("watching "))
        kill(process.processIdentifier, signal)
        #expect(end(of: process) == 0)
    }

    /// Starts a program of this package.
    private func start(_ program: String, _ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = try FileManager.default.destinationOfLink("/proc/self/exe")
            .deletingLastPathComponent().appendingPathComponent(program)
        process.arguments = arguments
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }

    /// The status or the signal by which a process ends.
    private func end(of process: Process) -> Int32 {
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
