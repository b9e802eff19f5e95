import Foundation

/// This program itself in another process, which exchanges numbers with this one.
final class ChildProcess {
    /// A number, and when the process had it.
    struct Report {
        let number: Int
        let time: Duration
    }

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    /// Starts the process.
    init(_ arguments: [String]) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        // It ends when nothing more can come.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Tells the process a number, which it reports.
    func send(_ number: Int) throws {
        var number = number
        let size = MemoryLayout<Int>.size
        guard write(input.fileHandleForWriting.fileDescriptor, &number, size) == size else {
            throw BenchmarkError.systemCall("write")
        }
    }

    /// When the process had a number; waits for it, and skips those before.
    @discardableResult func time(of number: Int) throws -> Duration {
        while true {
            let report = try next()
            if report.number == number { return report.time }
        }
    }

    /// Waits for the next report of the process; throws after half a minute.
    @discardableResult func next() throws -> Report {
        let file = output.fileHandleForReading.fileDescriptor
        var question = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard poll(&question, 1, 30_000) > 0 else { throw BenchmarkError("the other process reports nothing") }
        var report = WrittenReport(number: 0, nanoseconds: 0)
        let size = MemoryLayout<WrittenReport>.size
        // Whole, because it was written at once.
        guard read(file, &report, size) == size else { throw BenchmarkError("the other process has ended") }
        return Report(number: Int(report.number), time: .nanoseconds(report.nanoseconds))
    }

    /// Reports a number to the process that started this one, with the present time.
    static func report(_ number: Int) {
        var report = WrittenReport(
            number: Int64(number),
            nanoseconds: Int64(Stopwatch.wall.now / .nanoseconds(1))
        )
        // If it cannot be written the other process has gone, and this one ends with its input.
        _ = write(STDOUT_FILENO, &report, MemoryLayout<WrittenReport>.size)
    }

    /// Reports each number that the process which started this one sends, until it sends no more.
    static func reportWhatIsSent() {
        var number = 0
        while read(STDIN_FILENO, &number, MemoryLayout<Int>.size) == MemoryLayout<Int>.size {
            report(number)
        }
    }

    private struct WrittenReport {
        var number: Int64
        var nanoseconds: Int64
    }
}
