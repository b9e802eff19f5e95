#if !canImport(Darwin)
import Foundation
import Glibc

/// The folder in which the suites of all tests are, in place of the user's.
enum Suites {
    /// The folder; the first use moves the process there, which has to be before the first suite is opened.
    static let folder: String = {
        let path = FileManager.default.temporaryDirectory.appending(path: "keyspan-suites-\(UUID().uuidString)").path
        setenv("XDG_CONFIG_HOME", path, 1)
        atexit {
            do {
                try FileManager.default.removeItem(atPath: Suites.folder)
            } catch {
                print("\(Suites.folder) could not be removed: \(error)")
            }
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("\(path): \(error)")
        }
        return path
    }()

    /// The name of a suite that nobody has used.
    static func makeName() -> String {
        _ = folder
        return "suite-\(UUID().uuidString)"
    }

    /// The path of a suite's file.
    static func path(of suite: String) -> String { "\(folder)/\(suite).plist" }
}
#endif
