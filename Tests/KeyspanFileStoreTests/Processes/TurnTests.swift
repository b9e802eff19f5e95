#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing

/// Processes whose batches each wait for the disk, and therefore for one another.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct TurnTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [StoreMode.everyBatch, .oneFileEveryBatch])
    func `processes that take turns all make progress, whichever had the lock last`(mode: StoreMode) async throws {
        let (count, total) = TestLevel.current.pick((4, 60), thorough: (4, 200), exhaustive: (8, 2_000))
        let processes = try (1...count).map { number in
            let path = folder.path("settings.json")
            return try StoreProcess(Invocation(.writer, path: path, mode: mode, name: "writer\(number)"))
        }
        func progress() throws -> [Int] {
            try processes.map { try $0.numbers(Report.acknowledged).last ?? 0 }
        }
        // All of them compete from here on.
        for process in processes { try await process.wait(for: Report.acknowledged) }
        let (before, begin) = (try progress(), SuspendingClock.now)
        var now = before
        while now.reduce(0, +) < before.reduce(0, +) + total {
            try await Task.sleep(for: .milliseconds(20))
            now = try progress()
        }
        let seconds = begin.duration(to: .now) / .seconds(1)
        let parts = zip(now, before).map { $0 - $1 }.sorted()
        let sum = parts.reduce(0, +)
        print("\(mode), \(count) processes: \(Int(Double(sum) / seconds)) batches in a second, of each \(parts)")
        for process in processes { try await process.finish(asking: SIGTERM) }
        // Far less than an equal part, because the machine may be busy with anything.
        #expect(try #require(parts.first) * 8 >= sum / count)
    }
}
#endif
