import Foundation
import KeyspanTestSupport

/// A run of a program to its end, with files in place of its streams so that no pipe can fill up.
struct Command {
    /// The exit status and the output of a program.
    struct Result {
        /// The exit status, or 128 plus the number of the signal.
        let status: Int32
        let output: Data
        let error: Data

        /// The output as text.
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// A program did not succeed.
    struct Failure: Error, CustomStringConvertible {
        let words: [String]
        /// The exit status, or `nil` if the program was killed at its time limit.
        let status: Int32?
        /// The text on standard error.
        let error: String

        var description: String {
            let outcome = status.map { "failed with status \($0)" } ?? "was killed at its time limit"
            return "\(words.joined(separator: " ")) \(outcome): \(error)"
        }
    }

    /// Whether every one of some programs is on `PATH`.
    static func isInstalled(_ programs: String...) -> Bool {
        let folders = (ChildProcess.environment["PATH"] ?? "").split(separator: ":")
        return programs.allSatisfy { program in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }

    /// Runs a program and blocks the calling thread until it has ended.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - input: The bytes on standard input.
    ///   - timeLimit: The time after which it is killed.
    /// - Returns: The result of a program that ended by itself, whatever its status.
    static func result(
        of words: [String],
        input: Data = Data(),
        timeLimit: Duration = .seconds(30)
    ) throws -> Result {
        let (source, output, error) = (try ScratchFile(input), try ScratchFile(), try ScratchFile())
        let process = try ChildProcess(
            words,
            input: source.descriptor,
            output: output.descriptor,
            error: error.descriptor
        )
        guard let status = process.waitForExit(within: timeLimit) else {
            process.kill()
            throw Failure(words: words, status: nil, error: String(decoding: try error.contents(), as: UTF8.self))
        }
        return Result(status: status, output: try output.contents(), error: try error.contents())
    }

    /// Runs a program, blocks the calling thread until it has ended, and throws unless its status is 0.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - input: The bytes on standard input.
    ///   - timeLimit: The time after which it is killed.
    /// - Returns: Its output.
    @discardableResult
    static func run(_ words: [String], input: Data = Data(), timeLimit: Duration = .seconds(30)) throws -> String {
        let result = try result(of: words, input: input, timeLimit: timeLimit)
        guard result.status == 0 else {
            let error = String(decoding: result.error, as: UTF8.self)
            throw Failure(words: words, status: result.status, error: error)
        }
        return result.text
    }
}

/// A file without a name, which vanishes when this object goes away or the process is killed.
private final class ScratchFile: Sendable {
    let descriptor: Int32

    /// Makes the file and goes back to its begin.
    init(_ contents: Data = Data()) throws {
        var path = Array("\(NSTemporaryDirectory())keyspan-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try handle.write(contentsOf: contents)
        try handle.seek(toOffset: 0)
    }

    deinit {
        close(descriptor)
    }

    /// All bytes of the file.
    func contents() throws -> Data {
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try handle.seek(toOffset: 0)
        return try handle.readToEnd() ?? Data()
    }
}
