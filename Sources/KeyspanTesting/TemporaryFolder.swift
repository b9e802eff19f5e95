#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A folder of its own for one test, removed with everything in it when this object goes away.
package final class TemporaryFolder: Sendable {
    private let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "keyspan-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a text to a file, and returns the path of the file.
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }
}
