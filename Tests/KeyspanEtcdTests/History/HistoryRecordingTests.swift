import Dispatch
import KeyspanCore
import KeyspanTesting
import Testing

@Suite
struct HistoryRecordingTests {
    private static func simulated() -> RecordedHistory {
        // A chosen history, in which all stores write.
        var simulation = HistorySimulation(seed: 1)
        var history = simulation.run()
        // The lines of a reader are those of its reads.
        history.readers.removeAll(where: \.reads.isEmpty)
        return history
    }

    @Test func `a history reads back from its lines as it was`() throws {
        let history = Self.simulated()
        let lines = try HistoryLines(history.events)
        #expect(RecordedHistory(try HistoryLines(text: lines.text).events()) == history, "seed \(history.seed)")
    }

    @Test func `lines in any order, and without the end of the last one, read as what was recorded`() throws {
        let lines = Locked<[String]>([])
        let history = History(seed: 7) { line in lines.withLock { $0.append(line) } }
        let id = history.nextCall(of: "c")
        history.began(
            id,
            client: "c",
            store: "s",
            .write(RecordedBatch(["a": "\"\(id)\"", "b": nil])),
            tag: "calls/\(id)"
        )
        history.ended(id, .acknowledged)
        history.observing("o", store: "s", start: [:], revision: 3)
        history.changed("o", ["a": ObservedValues(old: nil, new: "1")])
        let events = history.events
        let text = lines.withLock { $0.reversed().joined() }
        #expect(try HistoryLines(text: text + "{\"n\":9,\"ev").events() == events)
        #expect(
            history.recorded.observers[0].endsEarly,
            "An observer whose end is not recorded may be that of a killed process."
        )
    }

    @Test func `a line that is not an event is an error with its number`() throws {
        let good = try HistoryLines.line(.seed(1), number: 0)
        #expect {
            try HistoryLines(text: good + "{}\n").events()
        } throws: { error in
            (error as? HistoryLines.UnreadableLine)?.number == 2
        }
    }

    @Test func `a call of a killed process has an unknown outcome`() throws {
        let history = History(seed: 1)
        history.began("c-1", client: "c", store: "s", .increment(key: "n"))
        let call = try #require(RecordedHistory(try HistoryLines(history.events).events()).calls.first)
        #expect(call.outcome == .unknown)
        #expect(call.returned == nil)
    }

    @Test func `threads record at the same time without losing anything`() {
        let history = History(seed: 1)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<500 {
                let id = history.nextCall(of: "c\(thread)")
                history.began(id, client: "c\(thread)", store: "s", .increment(key: "n"))
                history.ended(id, .acknowledged)
                history.read(.value(key: "n", nil), by: "r\(thread)", store: "s", began: History.now())
            }
        }
        let recorded = history.recorded
        #expect(recorded.calls.count == 2_000)
        #expect(Set(recorded.calls.map(\.id)).count == 2_000)
        #expect(recorded.calls.allSatisfy { $0.outcome == .acknowledged && $0.returned ?? 0 >= $0.invoked })
        #expect(recorded.readers.map(\.reads.count) == [500, 500, 500, 500])
    }

    @Test func `merged histories of several processes are checked as one`() {
        let history = Self.simulated()
        let (first, second) = (Set(["store0"]), Set(["store1", "store2", "store3"]))
        func part(_ stores: Set<String>) -> RecordedHistory {
            var part = history
            part.stores = history.stores.filter { stores.contains($0.key) }
            part.calls = history.calls.filter { stores.contains($0.store) }
            part.observers = history.observers.filter { stores.contains($0.store) }
            part.readers = history.readers.filter { stores.contains($0.store) }
            return part
        }
        var merged = part(first)
        #expect(!HistoryCheck(merged).failures().isEmpty, "The writes of the other process are missing.")
        merged.merge(part(second))
        #expect(HistoryCheck(merged).report() == nil)
        #expect(merged.calls.count == history.calls.count)
    }

    @Test func `a history is printed in the order of time, with the seed and the revisions`() {
        var history = RecordedHistory(seed: 42, truth: ClusterTruth(startRevision: 5, start: ["a": "1"]))
        let batch = RecordedBatch(["a": "2", "b": nil])
        var call = RecordedCall(
            id: "c-1",
            client: "c",
            store: "s",
            kind: .write(batch),
            tag: "calls/c-1",
            invoked: 1_500
        )
        (call.returned, call.outcome) = (4_000, .acknowledged)
        history.calls = [call]
        history.truth.revisions = [ClusterRevision(revision: 7, events: ["a": "2", "calls/c-1": "1"])]
        let read = RecordedRead(began: 2_000, ended: 2_001, .value(key: "a", nil))
        history.readers = [RecordedReader(name: "reader", store: "s", reads: [read, read])]
        #expect(
            history.description == """
                History of seed 42: 1 calls, 0 observers, 1 readers, revisions 5 to 7. Times in microseconds.
                         0.000  c       c-1 on s: write a=2 b=-
                         0.500  reader  read 0 a=-
                         2.500  c       c-1 acknowledged, in revision 7
                Cluster at revision 5: a=1
                Revision 7: a=2 calls/c-1=1
                """
        )
    }
}
