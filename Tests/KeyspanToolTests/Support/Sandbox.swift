import Foundation

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
