#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanFileStore
import KeyspanFileStoreProcess
import KeyspanTestSupport
import KeyspanTesting

/// A process of its own that uses a store.
final class StoreProcess: Sendable {
    /// A process ended, or said something, that it should not have.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let invocation: Invocation
    private let process: TestProcess
    /// The limit of each wait, long enough for a loaded machine; deep levels do more at one time.
    private static let limit = TestLevel.current.pick(Duration.seconds(120), thorough: .seconds(3_600))

    /// Starts a process.
    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        process = try TestProcess([TestProcess.product("KeyspanFileStoreProcess")] + invocation.arguments)
    }

    /// Starts a process whose random choices depend on the seed of the run.
    convenience init(_ role: Role, path: String, mode: StoreMode = .grouped, name: String = "", count: Int = 0) throws {
        let seed = SeededGenerator.seedOfRun
        try self.init(Invocation(role, path: path, mode: mode, name: name, count: count, seed: seed))
    }

    /// Sends it a signal.
    func send(_ signal: Int32) { process.send(signal) }

    /// The rest of each output line with this beginning; an unfinished line does not count.
    func lines(_ beginning: String) -> [String] { process.lines(beginning) }

    /// The numbers that it wrote behind this beginning.
    func numbers(_ beginning: String) -> [Int] { lines(beginning).compactMap { Int($0) } }

    /// The standard error of the process.
    var problems: String { process.error }

    /// Returns when it has written so many lines with this beginning.
    func wait(for beginning: String, count: Int = 1) async throws {
        let isDone = try await holds { lines(beginning).count >= count || process.exitStatus != nil }
        let found = lines(beginning).count
        if found >= count { return }
        let end = isDone ? "ended with \(process.exitStatus ?? -1)" : "was given up after \(Self.limit)"
        throw failure("\(end) with \(found) of \(count) lines \"\(beginning)\"")
    }

    /// Returns the exit status when it has ended, or 128 plus the number of the signal.
    func end() async throws -> Int32 {
        guard try await holds({ process.exitStatus != nil }), let status = process.exitStatus else {
            throw failure("still runs after \(Self.limit)")
        }
        return status
    }

    /// Asks it to exit, or waits until it does by itself.
    ///
    /// - Throws: ``Failure`` if it ends with another status, or has found a fault.
    func finish(asking signal: Int32? = nil, status expected: Int32 = 0) async throws {
        if let signal { send(signal) }
        let status = try await end()
        let faults = lines(Report.fault)
        guard status == expected, faults.isEmpty else { throw failure("ended with \(status), \(faults.prefix(5))") }
    }

    private func failure(_ what: String) -> Failure {
        Failure(description: "\(invocation) \(what): \(problems)")
    }

    /// Waits for a condition, and returns whether it came about in time.
    private func holds(_ condition: () -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + Self.limit
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try await Task.sleep(for: .milliseconds(2))  // The pace of the looks.
        }
        return true
    }
}

extension StoreMode {
    /// All of these modes, or at the quick level one with and one without a journal, which the seed of the run chooses.
    static func sample(_ modes: [StoreMode]) -> [StoreMode] {
        guard TestLevel.current == .quick else { return modes }
        let groups = [modes.filter { $0.options.journal != .none }, modes.filter { $0.options.journal == .none }]
        return groups.compactMap { $0.isEmpty ? nil : $0[Int(SeededGenerator.seedOfRun % UInt64($0.count))] }
    }
}
#endif
