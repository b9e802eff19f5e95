#if os(Linux)
import Foundation
import Keyspan
import NotesShared
import Testing

/// The server as a process of its own, which is stopped while requests change its settings.
@Suite struct ProcessTests {
    @Test(arguments: [SIGKILL, SIGTERM])
    func `every change that was answered is in the file after the end of the server`(signal: Int32) async throws {
        let folder = try TestFolder()
        let port = Int.random(in: 20_000..<30_000)
        let path = try folder.settings(
            #"{"server": {"token": "secret", "listen": "127.0.0.1:\#(port)"}, "logLevel": "error"}"#
        )
        let process = Process()
        process.executableURL = try FileManager.default.destinationOfLink("/proc/self/exe")
            .deletingLastPathComponent().appendingPathComponent("notes-server")
        process.arguments = [path]
        try process.run()
        try await eventually { (try? await HTTP.send("GET", "/health", port: port).status) == 200 }

        var answered = 0
        for number in 1...200 {
            if number == 100 { kill(process.processIdentifier, signal) }
            guard let answer = try? await HTTP.send("PUT", "/settings/title", "\(number)", token: "secret", port: port),
                answer.status == 204
            else { break }
            answered = number
        }
        process.waitUntilExit()
        #expect(answered >= 99)
        #expect(process.terminationStatus == (signal == SIGTERM ? 0 : signal))
        let title = try Defaults.Group<NotesKeys>(
            JSONFileStore(path: path, keys: NotesKeys.allKeys, unknownNames: .areIgnored)
        ).title
        // The last change may have been made although its answer was not sent anymore.
        #expect(try #require(Int(title)) >= answered)
    }
}

extension FileManager {
    fileprivate func destinationOfLink(_ path: String) throws -> URL {
        URL(fileURLWithPath: try destinationOfSymbolicLink(atPath: path))
    }
}
#endif
