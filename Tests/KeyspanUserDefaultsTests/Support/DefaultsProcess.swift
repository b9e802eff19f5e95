#if !canImport(Darwin)
import Foundation
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// A run of the program that uses `UserDefaults`.
struct DefaultsProcess {
    private let process: TestProcess

    /// Starts it with a role, a suite, and the arguments of the role.
    ///
    /// - Parameter folder: The folder of its suites, if it is not that of the tests.
    init(_ words: String..., in folder: String? = nil) throws {
        let variables = folder.map { ["XDG_CONFIG_HOME": $0] } ?? [:]
        process = try TestProcess(
            [TestProcess.product("KeyspanUserDefaultsProcess")] + words,
            environment: TestProcess.environment.merging(variables) { $1 }
        )
    }

    /// Waits for its end, and returns its output.
    @discardableResult
    func finish() throws -> String {
        let result = try process.finish()
        #expect(result.status == 0, "\(process.words): \(result.error)")
        return result.output.trimmingCharacters(in: .newlines)
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

    /// The name of the suite that belongs to a folder.
    static func name(of folder: TemporaryFolder) -> String { prefix + (folder.path as NSString).lastPathComponent }

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
