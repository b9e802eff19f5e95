#if !canImport(Darwin)
import Foundation
import Glibc
import KeyspanFileStore

/// Suites of the tests: in the folder of the user, because Foundation decides that before the first test runs, with names
/// that nobody else has, and removed when the process exits.
enum Suites {
    /// The folder.
    static let folder: String = {
        atexit { Suites.removeAll() }
        let path = UserFolder.configuration() ?? "/.config"
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
