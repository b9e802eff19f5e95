import Foundation

/// A folder of one test, removed when the test lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/keyspan-tool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // The remains are in the folder for temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    /// The text of a file.
    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    /// Whether there is something of that name.
    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// The names of everything in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
