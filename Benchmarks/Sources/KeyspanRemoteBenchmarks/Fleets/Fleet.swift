#if Remote
import Foundation

/// Clients on a stream in several processes that are all notified of each change.
final class Fleet {
    private let processes: [Process]
    private let inputs: [Pipe]
    private let lines: [LineReader]

    /// Starts the processes, and blocks the thread until all their clients have the document.
    init(clients: Int, processes count: Int, port: Int) throws {
        var (processes, inputs, lines): ([Process], [Pipe], [LineReader]) = ([], [], [])
        for _ in 0..<count {
            let (process, input, output) = (Process(), Pipe(), Pipe())
            process.executableURL = Bundle.main.executableURL
            process.arguments = ["fleet-process", "\(port)", "\(clients / count)"]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            processes.append(process)
            inputs.append(input)
            lines.append(LineReader(output))
        }
        (self.processes, self.inputs, self.lines) = (processes, inputs, lines)
        _ = try arrivals()
    }

    deinit {
        for input in inputs { try? input.fileHandleForWriting.close() }
        for process in processes { process.waitUntilExit() }
    }

    /// Blocks the thread until each client has the next event.
    ///
    /// - Returns: The times, in nanoseconds of the clock that all processes share.
    func arrivals() throws -> [Double] {
        try lines.flatMap { lines in
            let words = try lines.next().split(separator: " ")
            return words.compactMap { Double($0) }
        }
    }
}
#endif
