#if Etcd
import Foundation

/// Clients in several processes that are all notified of each change.
final class Fleet {
    private let prefix: String
    private let processes: [Process]
    private let inputs: [Pipe]
    private let lines: [LineReader]
    /// What each process reports.
    private(set) var reports: [FleetReport] = []

    /// Starts the processes, and blocks the thread until all their clients are open.
    init(of kind: FleetProcess.Kind, clients: Int, processes count: Int, place: ClusterPlace) throws {
        prefix = place.newPrefix()
        // One entry, so that there is no table to speak of.
        try RawClient(at: place.writing).put(0, forKey: prefix + FleetBenchmarks.name)
        var (processes, inputs, lines): ([Process], [Pipe], [LineReader]) = ([], [], [])
        for _ in 0..<count {
            let (process, input, output) = (Process(), Pipe(), Pipe())
            process.executableURL = Bundle.main.executableURL
            process.arguments = ["fleet-process", kind.rawValue, "\(clients / count)", prefix] + place.members
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            processes.append(process)
            inputs.append(input)
            lines.append(LineReader(output))
        }
        (self.processes, self.inputs, self.lines) = (processes, inputs, lines)
        reports = try lines.map { lines in
            guard let report = FleetReport(try lines.next()) else {
                throw BenchmarkError("a process does not report its fleet")
            }
            return report
        }
    }

    deinit {
        for input in inputs { try? input.fileHandleForWriting.close() }
        for process in processes { process.waitUntilExit() }
    }

    /// Writes a number, and blocks the thread until all clients were notified.
    ///
    /// - Returns: The time from the write until the last one was, in nanoseconds.
    func delay(of number: Int, by client: RawClient) throws -> Double {
        let start = Stopwatch.wall.now
        try client.put(number, forKey: prefix + FleetBenchmarks.name)
        let times = try lines.map { lines in
            while true {
                guard let notice = FleetNotice(try lines.next()) else {
                    throw BenchmarkError("a process does not report a notice")
                }
                if notice.number == number { return notice.nanoseconds }
            }
        }
        return (times.max() ?? 0) - start / .nanoseconds(1)
    }
}

/// The lines that a process writes.
private final class LineReader {
    private let pipe: Pipe
    private var buffer: [UInt8] = []

    init(_ pipe: Pipe) {
        self.pipe = pipe
    }

    /// Waits for the next line; throws after five minutes.
    func next() throws -> String {
        let file = pipe.fileHandleForReading.fileDescriptor
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var question = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&question, 1, 300_000) > 0 else { throw BenchmarkError("another process reports nothing") }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { throw BenchmarkError("another process has ended") }
            buffer += chunk[..<count]
        }
    }
}
#endif
