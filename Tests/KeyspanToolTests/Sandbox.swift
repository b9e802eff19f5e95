import Foundation
import Keyspan
import KeyspanTestSupport
import KeyspanTesting

/// A configuration folder of its own, and the tool run in it.
struct Sandbox {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The environment of the tool.
    var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.path, "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
    }

    /// Runs the tool.
    @discardableResult
    func run(_ arguments: String..., input: String = "") throws -> ToolProcess.Result {
        try run(arguments, input: input)
    }

    /// Runs the tool.
    func run(_ arguments: [String], input: String = "") throws -> ToolProcess.Result {
        try ToolProcess(ToolProcess.executable, arguments, environment: environment, input: input).finish()
    }

    /// Runs a line of shell, in which `$KEYSPAN` is the tool, in the folder.
    func shell(_ line: String) throws -> ToolProcess.Result {
        let environment = environment.merging(["KEYSPAN": ToolProcess.executable]) { $1 }
        return try ToolProcess("/bin/sh", ["-c", "cd '\(folder.path)' && \(line)"], environment: environment).finish()
    }

    /// Writes the file of a domain.
    func write(_ text: String, toDomain name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path("keyspan"), withIntermediateDirectories: true)
        try folder.write(text, to: "keyspan/\(name).json")
    }

    /// The file of a domain.
    func text(ofDomain name: String) throws -> String {
        try folder.text(of: "keyspan/\(name).json")
    }
}

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

/// Random values of strings, arrays and dictionaries: what old-style property lists keep.
struct RandomValue {
    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The next value.
    mutating func value(levels: Int = 4) -> PropertyListValue {
        let choice = Int.random(in: 0..<10, using: &generator)
        switch choice {
        case 0...1 where levels > 0:
            return .array((0..<count()).map { _ in value(levels: levels - 1) })
        case 2...3 where levels > 0:
            let entries = (0..<count()).map { _ in (string(), value(levels: levels - 1)) }
            return .dictionary(entries.reduce(into: [:]) { $0[$1.0] = $1.1 })
        default:
            return .string(string())
        }
    }

    private mutating func count() -> Int {
        [0, 1, 2, 3, 17].randomElement(using: &generator) ?? 0
    }

    private mutating func string() -> String {
        let characters: [Character] =
            Array("aZ09 _-.:/$\"'\\;,={}()<>&\n\té日😀e\u{301}\r") + ["\0", "\u{1}", "\u{7F}", "\u{FFFF}"]
        return String((0..<count()).compactMap { _ in characters.randomElement(using: &generator) })
    }
}
