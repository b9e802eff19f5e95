#if Remote
import Foundation
import KeyspanRemote

/// A server process, which ends when this is released.
final class RunningServer {
    /// The costs of the process so far.
    struct Report {
        /// The resident memory, in bytes.
        let memory: Double
        /// The processor time, in nanoseconds.
        let processorTime: Double
        /// The number of streams.
        let streams: Int
    }

    let port: Int
    private let process = Process()
    private let input = Pipe()
    private let lines: LineReader

    /// Starts a process, and blocks the thread until it listens.
    init(_ kind: ServerProcess.Kind, keys: Int, signingKey: SigningKey) throws {
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["server-process", kind.rawValue, "\(keys)", signingKey.base64Encoded]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        lines = LineReader(output)
        let words = try lines.next().split(separator: " ")
        guard words.count == 2, words[0] == "ready", let port = Int(words[1]) else {
            throw BenchmarkError("the server does not listen")
        }
        self.port = port
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }

    var url: URL? { URL(string: "http://127.0.0.1:\(port)/settings") }

    /// Lets the server change the number.
    ///
    /// - Returns: The time before the change, in nanoseconds of the clock that all processes share.
    func change(to number: Int) throws -> Double {
        let words = try ask("change \(number)")
        guard words.count == 3, words[0] == "changed", let start = Double(words[2]) else {
            throw BenchmarkError("the server does not report a change")
        }
        return start
    }

    func report() throws -> Report {
        let words = try ask("report")
        guard words.count == 4, words[0] == "report", let memory = Double(words[1]), let time = Double(words[2]),
            let streams = Int(words[3])
        else { throw BenchmarkError("the server reports nothing") }
        return Report(memory: memory, processorTime: time, streams: streams)
    }

    private func ask(_ line: String) throws -> [Substring] {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        return try lines.next().split(separator: " ")
    }
}
#endif
