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
        // One entry, so that the table hardly counts.
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
#endif
