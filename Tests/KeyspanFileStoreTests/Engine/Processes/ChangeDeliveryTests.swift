#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStoreProcess
import KeyspanTesting
import Testing
import KeyspanTestSupport

/// The delay of a change from one process to the other.
@Suite(.heavy, .serialized, .timeLimit(.minutes(60)))
struct ChangeDelayTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a change comes to another process by itself`() async throws {
        let path = folder.path("settings.json")
        let count = TestLevel.current.pick(8, thorough: 20, exhaustive: 1_000)
        let receiver = try StoreProcess(Invocation(.receiver, path: path, name: "number"))
        try await receiver.wait(for: Report.ready)
        let sender = try StoreProcess(Invocation(.sender, path: path, name: "number", count: count))
        try await sender.finish()
        while try instants(receiver).last?.number != count { try await Task.sleep(for: .milliseconds(2)) }
        try await receiver.finish(asking: SIGTERM)

        let received = try instants(receiver)
        // Changes that come soon one after the other may come in together.
        let delays = try instants(sender).compactMap { sent in
            received.first { $0.number >= sent.number }.map { $0.nanoseconds - sent.nanoseconds }
        }.sorted()
        #expect(delays.count == count)
        let (median, late) = (delays[count / 2], delays[count * 99 / 100])
        print("\(count) changes: median \(median / 1_000) µs, 99th percentile \(late / 1_000) µs after synchronize()")
    }

    private func instants(_ process: StoreProcess) throws -> [(number: Int, nanoseconds: Int)] {
        try process.lines(Report.instant).compactMap { line in
            let words = line.split(separator: " ").compactMap { Int($0) }
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }
}

/// Programs of one thread that observe what they write, whose stores follow their files in the background.
@Suite(.heavy, .timeLimit(.minutes(60)))
struct ListenerTests {
    @Test func `a program of one thread receives its own changes on its thread before its writes return`() async throws
    {
        let folder = try TemporaryFolder()
        for program in 1...TestLevel.current.pick(2, thorough: 20, exhaustive: 2_000) {
            let path = folder.path("settings \(program).json")
            try await StoreProcess(Invocation(.listener, path: path, count: 200)).finish()
        }
    }
}
#endif
