import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Plain writes of one thread beside batches of another one, which are on the disk before they are in memory.
@Suite(.heavy) struct WritesBesideDecidedBatchesTests {
    private static let rounds = TestLevel.current.pick(100, thorough: 400)

    private let folder = TemporaryFolder.forTest
    private let number = Defaults.Key<Int>("n", default: 0)
    private let text = Defaults.Key<String>("n", default: "")

    /// Does two things at one time.
    private func atOnce(_ one: @escaping @Sendable () -> Void, _ other: @escaping @Sendable () -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { one() }
            group.addTask { other() }
        }
    }

    @Test func `a value that a batch wrote is kept when a key that cannot read it is written`() async throws {
        let store = try JSONFileStore(path: folder.path("kept.json"))
        let defaults = Defaults(store)
        var lost = 0
        for round in 0..<Self.rounds {
            let written = "value \(round)"
            await atOnce { [text] in
                Defaults.withProblemHandler { _ in
                } operation: {
                    // The read value makes it a batch that the disk decides.
                    defaults.update { if $0[text] != written { $0[text] = written } }
                }
            } _: { [number] in
                defaults[number] = round
            }
            let isKept = defaults.keptValues(for: number).contains { $0.value == .string(written) }
            if !isKept, store.value(forKey: "n") != .string(written) { lost += 1 }
        }
        #expect(lost == 0)
    }

    @Test func `an increment in place beside one that is decided counts, or is reported`() async throws {
        let store = try JSONFileStore(path: folder.path("counted.json"))
        let defaults = Defaults(store)
        var lost = 0
        for _ in 0..<Self.rounds {
            defaults[number] = 0
            let reports = Locked(0)
            await atOnce { [number] in
                defaults.modify(number) { $0 += 1 }
            } _: { [number] in
                Defaults.withProblemHandler { _ in
                    reports.withLock { $0 += 1 }
                } operation: {
                    defaults[number] += 1
                }
            }
            if defaults[number] != 2, reports.withLock({ $0 }) == 0 { lost += 1 }
        }
        #expect(lost == 0)
    }
}
