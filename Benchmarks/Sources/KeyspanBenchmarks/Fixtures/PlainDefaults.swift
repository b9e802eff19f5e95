import Foundation
import Keyspan

/// Foundation's own `UserDefaults` for a suite that is removed in the end.
///
/// It is in the folder of the user, because Foundation decides that.
final class PlainDefaults {
    let defaults: UserDefaults

    private let suite: String

    /// Makes a suite with that many keys, all of them saved.
    convenience init(count: Int) throws {
        // One key by one takes a time that grows with the square of their number; a file takes none.
        let suite = Self.makeName()
        let file = try PropertyListFileStore(path: Self.path(of: suite), format: .xml)
        try file.apply(Contents.batch(count: count))
        try self.init(suite: suite)
    }

    private init(suite: String) throws {
        guard let defaults = UserDefaults(suiteName: suite) else { throw BenchmarkError("no suite \(suite)") }
        self.suite = suite
        self.defaults = defaults
    }

    deinit {
        Self.remove(suite)
    }

    /// Another suite with the same keys, which nobody has read.
    func copy() throws -> PlainDefaults {
        let copy = Self.makeName()
        try FileManager.default.copyItem(atPath: Self.path(of: suite), toPath: Self.path(of: copy))
        return try PlainDefaults(suite: copy)
    }

    /// The name of a suite that nobody has.
    static func makeName() -> String {
        _ = removal
        return "\(prefix)\(UUID().uuidString)"
    }

    private static let prefix = "keyspan-benchmark-\(ProcessInfo.processInfo.processIdentifier)-"

    private static let folder: String = {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "") + "/.config"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("\(folder): \(error)")
        }
        return folder
    }()

    /// The suites that stores had are removed at the end.
    private static let removal: Void = {
        atexit { PlainDefaults.removeAll() }
    }()

    private static func path(of suite: String) -> String { "\(folder)/\(suite).plist" }

    private static func remove(_ suite: String) {
        do {
            try FileManager.default.removeItem(atPath: path(of: suite))
        } catch {
            print("\(path(of: suite)) could not be removed: \(error)")
        }
    }

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
