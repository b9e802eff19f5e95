import KeyspanTesting
import Testing

/// The rules of the checks, each by the smallest history that shows it.
@Suite
struct HistoryRuleTests {
    /// A history of a direct store with states that come back: a = 1, 2, 1, 2, 3.
    private static func alternating() -> RecordedHistory {
        var history = RecordedHistory(seed: 0, truth: ClusterTruth(startRevision: 1, start: ["a": "1"]))
        for (offset, value) in ["2", "1", "2", "3"].enumerated() {
            history.truth.revisions.append(ClusterRevision(revision: Int64(offset + 2), events: ["a": value]))
        }
        return history
    }

    private static func failures(ofReads values: [String]) -> [ReadFailure] {
        var history = alternating()
        let reads = values.enumerated().map { offset, value in
            RecordedRead(began: UInt64(offset * 2), ended: UInt64(offset * 2 + 1), .snapshot(["a": value]))
        }
        history.readers = [RecordedReader(name: "r", store: "s", reads: reads)]
        return HistoryCheck(history, allowsForeignWrites: true).readFailures()
    }

    @Test func `a read that fits several states takes the earliest that does not go back`() {
        #expect(Self.failures(ofReads: ["1", "1", "2", "1", "1", "2", "3"]) == [])
        #expect(
            Self.failures(ofReads: ["2", "1", "2", "1"]) == [.wentBack(reader: "r", read: 3, after: 4, earlierRead: 2)]
        )
        #expect(Self.failures(ofReads: ["2", "4"]) == [.unknownState(reader: "r", read: 1)])
    }

    private static func failures(ofChanges values: [String], start: String, jumps: Int = 0) -> [ObserverFailure] {
        var history = alternating()
        var observer = RecordedObserver(name: "o", store: "s", start: ["a": start], began: 0, allowedJumps: jumps)
        observer.changes = zip([start] + values, values).map { old, new in
            ObservedChange(["a": ObservedValues(old: old, new: new)], time: 0)
        }
        history.observers = [observer]
        return HistoryCheck(history, allowsForeignWrites: true).observerFailures()
    }

    @Test func `an observer that begins with a state that comes back may be at each of its revisions`() {
        #expect(Self.failures(ofChanges: ["2", "1", "2", "3"], start: "1") == [])
        #expect(Self.failures(ofChanges: ["2", "3"], start: "1") == [])
        #expect(Self.failures(ofChanges: ["3"], start: "2") == [])
        #expect(Self.failures(ofChanges: ["2"], start: "1") == [.missingLast(observer: "o", revisions: [5])])
    }

    @Test func `only as many changes as allowed cover several revisions`() {
        #expect(Self.failures(ofChanges: ["3"], start: "1", jumps: 1) == [])
        #expect(Self.failures(ofChanges: ["3"], start: "1") == [.covered(observer: "o", change: 0, revisions: [4, 5])])
    }

    @Test func `a replaced write of a background store need not be in the cluster`() {
        var history = RecordedHistory(seed: 0, truth: ClusterTruth(startRevision: 1, start: [:]))
        for (number, returned) in [(1, UInt64(9)), (2, 10)] {
            let kind = CallKind.write(RecordedBatch(["a": "\(number)"]))
            var call = RecordedCall(
                id: "c-\(number)",
                client: "c",
                store: "s",
                kind: kind,
                tag: nil,
                invoked: UInt64(number)
            )
            (call.returned, call.outcome) = (returned, .acknowledged)
            history.calls.append(call)
        }
        history.truth.revisions = [ClusterRevision(revision: 2, events: ["a": "2"])]
        #expect(HistoryCheck(history).failures().map(\.description) == ["\(CallFailure.lost(call: "c-1"))"])
        history.stores["s"] = .background
        #expect(HistoryCheck(history).report() == nil)
    }

    @Test func `a digest follows changes as if it were computed anew`() {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var table: [String: String] = [:]
        var digest = TableDigest()
        var seen: Set<TableDigest> = [digest]
        for number in 0..<1_000 {
            let key = "key\(Int.random(in: 0..<20, using: &random))"
            let value = Bool.random(using: &random) ? "\(number)" : nil
            guard value != nil || table[key] != nil else { continue }
            digest.replace(table[key], with: value, forKey: key)
            table[key] = value
            #expect(digest == TableDigest(table))
            #expect(seen.insert(digest).inserted || value == nil, "seed \(SeededGenerator.seedOfRun)")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `many reads of many revisions are checked within seconds`() {
        let revisions = 10_000
        var history = RecordedHistory(seed: 0, truth: ClusterTruth(startRevision: 0, start: [:]))
        var digests = [TableDigest()]
        var digest = TableDigest()
        for number in 1...revisions {
            let (key, old) = ("key\(number % 50)", number > 50 ? "\(number - 50)" : nil)
            history.truth.revisions.append(ClusterRevision(revision: Int64(number), events: [key: "\(number)"]))
            digest.replace(old, with: "\(number)", forKey: key)
            digests.append(digest)
        }
        let count = TestLevel.current.pick(20_000, thorough: 100_000)
        let tables = [1_000, 5_000, 9_000].map { history.truth.table(atPosition: $0) }
        let reads = (0..<count).map { number in
            let position = number * revisions / count
            let content: ReadContent =
                switch number % 3 {
                case 0: .digest(digests[position])
                case 1: .value(key: "key\(position % 50)", position == 0 ? nil : "\(position)")
                default:
                    [1_000, 5_000, 9_000].firstIndex(of: position).map { .snapshot(tables[$0]) }
                        ?? .digest(digests[position])
                }
            return RecordedRead(began: UInt64(number * 2), ended: UInt64(number * 2 + 1), content)
        }
        history.readers = [RecordedReader(name: "r", store: "s", reads: reads)]
        #expect(HistoryCheck(history, allowsForeignWrites: true).failures().isEmpty)
        history.readers[0].reads.append(reads[count / 2])
        #expect(HistoryCheck(history, allowsForeignWrites: true).readFailures().count == 1)
    }
}
