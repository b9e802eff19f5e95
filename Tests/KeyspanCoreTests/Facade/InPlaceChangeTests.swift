import Dispatch
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Changes in place, `defaults[key] += 1`: a read and a write, between which another writer can come.
@Suite struct InPlaceChangeTests {
    private static let count = Defaults.Key<Int>("count", default: 0)

    /// A way to change the count in place.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Adds one, and lets another writer write after the value was read.
        let increment: @Sendable (InMemoryStore, () -> Void) -> Void

        static let all = [
            Way(testDescription: "Defaults") { addOne(to: &Defaults($0)[count], meanwhile: $1) },
            Way(testDescription: "store") { addOne(to: &$0[count], meanwhile: $1) },
            Way(testDescription: "group, key path") {
                addOne(to: &Defaults.Group<ModifyTests.CountKeys>($0)[\.count], meanwhile: $1)
            },
            Way(testDescription: "group, member") {
                addOne(to: &Defaults.Group<ModifyTests.CountKeys>($0).count, meanwhile: $1)
            },
            Way(testDescription: "layers") {
                let layers = LayeredStore([
                    .init("session", InMemoryStore()), .init("own", $0, isWritable: true),
                    .init("registered", InMemoryStore(["count": 40])),
                ])
                addOne(to: &Defaults(layers)[count], meanwhile: $1)
            },
        ]
    }

    private static func addOne(to number: inout Int, meanwhile other: () -> Void) {
        other()
        number += 1
    }

    @Test(arguments: Way.all)
    func `a change in place that writes over another change is written, and reported`(way: Way) {
        let store = InMemoryStore(["count": 5], name: "the store")
        let reports = reportedProblems {
            way.increment(store) { store.set(1, forKey: "other") }
            way.increment(store) { store.set(6, forKey: "count") }
        }
        #expect(reports == [])
        #expect(store.value(forKey: "count") == 7)
        let conflicts = reportedProblems {
            way.increment(store) { store.set(30, forKey: "count") }
        }
        #expect(store.value(forKey: "count") == 8)
        #expect(conflicts.count == 1)
        #expect(conflicts.allSatisfy { $0.contains("\"count\" of") && $0.contains("modify(_:_:)") })
    }

    @Test func `a change in place is written whatever others write, without expecting anything in the end`() {
        let conflicts = Recorder<Bool>()
        let store = contestedStore(conflicts: conflicts)
        let reports = reportedProblems { Defaults(store)[Self.count] += 1 }
        #expect(store.value(forKey: "count") == 1)
        #expect(reports.count == 1)
        #expect(reports.allSatisfy { $0.contains("modify(_:_:)") })
        // One of the change, and those of the plain write, which expects what it looked at until that cannot help.
        #expect(conflicts.count == 1 + 64)
    }

    @Test func `a change in place of a store that sees a conflict everywhere ends, and is reported`() {
        let conflicts = Recorder<Bool>()
        let store = contestedStore(refusesAll: true, conflicts: conflicts)
        let reports = reportedProblems { Defaults(store)[Self.count] += 1 }
        #expect(store.snapshot() == [:])
        #expect(reports.count == 1)
        #expect(reports.allSatisfy { $0.contains("the script says so") })
        #expect(conflicts.count == 1 + 64 + 1)
    }

    @Test func `no increment of several threads is lost in silence`() {
        let store = InMemoryStore()
        let problems = Recorder<[String]>()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            problems.record(reportedProblems { for _ in 0..<1_000 { Defaults(store)[Self.count] += 1 } })
        }
        let kept = Defaults(store)[Self.count]
        let isReported = problems.values.contains { !$0.isEmpty }
        #expect(kept == 4_000 || isReported, "\(kept) of 4,000 were kept, and nothing was reported")
    }
}
