#if !canImport(Darwin)
import Foundation
import Glibc
import KeyspanFileStore

/// A run of the program that uses `UserDefaults`.
struct DefaultsProcess {
    /// It did not end well.
    struct Failure: Error {
        let status: Int32
        let words: [String]
    }

    private let process = Process()
    private let output = Pipe()
    private let words: [String]

    /// Starts it with a role, a suite, and what the role takes.
    ///
    /// - Parameter folder: Where it has its suites, if not where the tests have theirs.
    init(_ words: String..., in folder: String? = nil) throws {
        self.words = words
        let runner = URL(filePath: CommandLine.arguments[0])
        process.executableURL = runner.deletingLastPathComponent().appending(path: "KeyspanUserDefaultsProcess")
        process.arguments = words
        process.standardOutput = output
        if let folder {
            process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": folder]) { $1 }
        }
        try process.run()
    }

    /// Waits for its end, and answers what it wrote.
    @discardableResult
    func finish() throws -> String {
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus, words: words)
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Suites of the tests: in the folder of the user, because Foundation decides that before the first test runs, with names
/// that nobody else has, and removed when the process exits.
enum Suites {
    /// The folder.
    static let folder: String = {
        atexit { Suites.removeAll() }
        let path = (try? UserFolder.configuration()) ?? "/.config"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("\(path): \(error)")
        }
        return path
    }()

    private static let prefix = "keyspan-tests-\(ProcessInfo.processInfo.processIdentifier)-"

    /// The name of a suite that nobody has used.
    static func makeName() -> String {
        _ = folder
        return prefix + UUID().uuidString
    }

    /// The path of a suite's file.
    static func path(of suite: String) -> String { "\(folder)/\(suite).plist" }

    private static func removeAll() {
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.contains(prefix) {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        } catch {
            print("\(folder) could not be tidied: \(error)")
        }
    }
}
#endif
