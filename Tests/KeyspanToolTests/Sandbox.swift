import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

/// A configuration folder of its own, and the tool run in it.
struct Sandbox {
    /// The exit status and the output of a run, with `~` in place of the folder's path.
    struct Run: Equatable {
        let status: Int32
        let output: String
        let error: String

        /// Whether standard error has one line, which is a sentence of the tool.
        var hasOneSentence: Bool {
            error.hasPrefix("keyspan: ") && error.hasSuffix(".\n") && error.split(separator: "\n").count == 1
        }
    }

    /// The path of the built tool.
    static let tool = TestProcess.product("keyspan")

    let folder: TemporaryFolder

    /// Makes a folder with the files of some domains.
    init(_ domains: KeyValuePairs<String, String> = [:]) throws {
        folder = try TemporaryFolder()
        for (name, text) in domains { try write(text, toDomain: name) }
    }

    /// Writes the file of a domain.
    func write(_ text: String, toDomain name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path("keyspan"), withIntermediateDirectories: true)
        try folder.write(text, to: "keyspan/\(name).json")
    }

    /// The file of a domain.
    func text(ofDomain name: String) throws -> String { try folder.text(of: "keyspan/\(name).json") }

    /// The file of a domain without the record of kept values, to which a write adds what it replaces.
    func settings(ofDomain name: String) throws -> String { try settings(in: "keyspan/\(name).json") }

    /// A file without the record of kept values.
    func settings(in file: String) throws -> String { try Self.settings(in: Array(folder.text(of: file).utf8)) }

    /// A text without the record of kept values.
    static func settings(in text: [UInt8]) throws -> String {
        let codec = JSONFileCodec(allowingComments: true)
        var table = try codec.decode(text)
        guard table["keyspan.kept"] != nil else { return String(decoding: text, as: UTF8.self) }
        table["keyspan.kept"] = nil
        return String(decoding: try #require(codec.encode(table, upTo: .max)).bytes, as: UTF8.self)
    }

    /// The names of the files of domains, and of all that is beside them.
    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("keyspan")).sorted() }
    }

    // MARK: Runs in this process

    /// Runs the tool in this process.
    ///
    /// - Parameters:
    ///   - line: Its arguments, separated and quoted as in a shell; `~/` at the beginning of a word is the folder.
    ///   - input: The text on standard input.
    @discardableResult
    func run(_ line: String, input: String = "") throws -> Run {
        let files = try (0..<3).map { _ in try #require(tmpfile()) }
        defer { for file in files { fclose(file) } }
        let streams = files.map { FileHandle(fileDescriptor: fileno($0)) }
        try streams[0].write(contentsOf: Data(input.utf8))
        let context = ToolContext(
            variable: { [environment] in environment[$0].map { OutsideText($0) } },
            input: fileno(files[0]),
            output: fileno(files[1]),
            error: fileno(files[2])
        )
        try streams[0].seek(toOffset: 0)
        let status = ToolContext.$current.withValue(context) {
            Defaults.withProblemHandler { problem in
                // Another thread, which has no context, may report.
                ToolContext.$current.withValue(context) { KeyspanCommand.report(problem) }
            } operation: {
                KeyspanCommand.run(words(of: line))
            }
        }
        let texts = try streams.dropFirst().map { stream in
            try stream.seek(toOffset: 0)
            return String(decoding: try stream.readToEnd() ?? Data(), as: UTF8.self)
        }
        return shown(status, texts[0], texts[1])
    }

    /// Runs the tool, which has to end well and to write nothing else.
    func expect(
        _ line: String,
        _ output: String = "",
        error: String = "",
        input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let run = try run(line, input: input)
        #expect(run == Run(status: 0, output: output, error: error), "\(line)", sourceLocation: sourceLocation)
    }

    /// Runs the tool, which has to end well and to say in one sentence that former values are kept, and nothing else.
    func expectKept(_ line: String, input: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws {
        let run = try run(line, input: input)
        let isWell = run.status == 0 && run.output.isEmpty && run.hasOneSentence
        #expect(
            isWell && run.error.contains("`keyspan kept discard "),
            "\(line): \(run)",
            sourceLocation: sourceLocation
        )
    }

    /// Runs the tool, which has to fail with one sentence that contains some words, and without output.
    func refuse(
        _ line: String,
        _ hints: String...,
        status: Int32 = 2,
        input: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let run = try run(line, input: input)
        #expect(run.status == status && run.output.isEmpty, "\(line): \(run)", sourceLocation: sourceLocation)
        #expect(run.hasOneSentence, "\(line): \(run)", sourceLocation: sourceLocation)
        for hint in hints { #expect(run.error.contains(hint), "\(line): \(run)", sourceLocation: sourceLocation) }
    }

    // MARK: Processes

    /// The environment of the tool.
    var environment: [String: String] {
        ["XDG_CONFIG_HOME": folder.path, "HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "KEYSPAN": Self.tool]
    }

    /// Starts the tool in a process of its own.
    func start(
        _ line: String,
        environment variables: [String: String] = [:],
        descriptors: [Int32: Int32] = [:]
    ) throws -> TestProcess {
        let environment = environment.merging(variables) { $1 }
        return try TestProcess([Self.tool] + words(of: line), environment: environment, descriptors: descriptors)
    }

    /// Runs a line of shell in the folder, in which `keyspan` is the tool.
    func shell(_ line: String) throws -> Run {
        let script = "cd '\(folder.path)' && keyspan() { \"$KEYSPAN\" \"$@\"; } && \(line)"
        let result = try TestProcess(["/bin/sh", "-c", script], environment: environment).finish()
        return shown(result.status, result.output, result.error)
    }

    /// The text that a terminal receives from the tool.
    func shownOnTerminal(_ line: String, _ variables: [String: String] = ["TERM": "dumb"]) throws -> String {
        let terminal = try PseudoTerminal()
        let descriptors = [STDOUT_FILENO: terminal.device, STDERR_FILENO: terminal.device]
        _ = try start(line, environment: variables, descriptors: descriptors).finish()
        return try terminal.text()
    }

    private func shown(_ status: Int32, _ output: String, _ error: String) -> Run {
        let texts = [output, error].map { $0.replacing(folder.path, with: "~") }
        return Run(status: status, output: texts[0], error: texts[1])
    }

    /// The words of a line of shell.
    private func words(of line: String) -> [String] {
        var (words, word, quote) = ([String](), String.UnicodeScalarView?.none, Unicode.Scalar?.none)
        for scalar in line.unicodeScalars {
            switch (scalar, quote) {
            case (quote, _?): quote = nil
            case ("'", nil), ("\"", nil): (quote, word) = (scalar, word ?? .init())
            case (" ", nil):
                if let word { words.append(String(word)) }
                word = nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        if let word { words.append(String(word)) }
        return words.map { $0.hasPrefix("~/") ? folder.path + $0.dropFirst() : $0 }
    }
}
