#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStoreProcess
import Testing

/// The way of a change from one process to the other.
///
/// `KEYSPAN_CHANGES` says how many are timed.
@Suite("A change", .serialized, .timeLimit(.minutes(60)))
struct ChangeDelayTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `comes to another process by itself`() async throws {
        let path = folder.path("settings.json")
        let count = Amount.changes.value
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
#endif
