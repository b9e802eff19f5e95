#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanFileStoreProcess
import KeyspanTesting

/// A writer that is killed and started again, again and again.
struct KilledWriter: Sendable {
    /// The name of the writer.
    let name: String
    /// The last batch that was reported as durable.
    private(set) var acknowledged = 0
    /// How many kills came before the store was open.
    private(set) var killsWhileOpening = 0

    private let invocation: Invocation
    private var random: SeededGenerator

    init(name: String, path: String, mode: StoreMode, seed: Int) {
        self.name = name
        invocation = Invocation(.writer, path: path, mode: mode, name: name)
        random = SeededGenerator(seed: UInt64(bitPattern: Int64(seed)))
    }

    /// Starts and kills it so many times.
    mutating func run(kills: Int) async throws {
        for _ in 0..<kills {
            // One exit in between, because the next process has to cope with that as well.
            if Int.random(in: 0..<8, using: &random) == 0 { try await runOnce(endingWith: SIGTERM) }
            try await runOnce(endingWith: SIGKILL)
        }
    }

    private mutating func runOnce(endingWith signal: Int32) async throws {
        let process = try StoreProcess(invocation)
        // Most of the time while it writes, now and then while it starts.
        if Int.random(in: 0..<4, using: &random) > 0 {
            try await process.wait(for: Report.acknowledged, count: .random(in: 1...20, using: &random))
            try await Task.sleep(for: .microseconds(.random(in: 0...10_000, using: &random)))
        } else {
            try await Task.sleep(for: .microseconds(.random(in: 0...60_000, using: &random)))
        }
        process.send(signal)
        let ending = try await process.wait()
        try check(process, ending, expected: signal == SIGKILL ? .killed(SIGKILL) : .exited(0))
    }

    private mutating func check(
        _ process: StoreProcess,
        _ ending: StoreProcess.Ending,
        expected: StoreProcess.Ending
    ) throws {
        let found = try process.numbers(Report.found).last
        let faults = try process.lines(Report.fault)
        let hasAll = found.map { $0 >= acknowledged } ?? true
        guard ending == expected, faults.isEmpty, hasAll else {
            throw StoreProcess.Failure(
                description: """
                    \(name) \(ending): found \(found ?? -1) after \(acknowledged) was acknowledged, \(faults), \
                    \(try process.problems)
                    """
            )
        }
        if found == nil { killsWhileOpening += 1 }
        acknowledged = max(acknowledged, found ?? 0, try process.numbers(Report.acknowledged).last ?? 0)
    }
}
#endif
