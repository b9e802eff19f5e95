import Dispatch
import Keyspan
import KeyspanTestSupport
import KeyspanTesting
import Testing

extension Defaults.Keys {
    fileprivate static let count = Key<Int>("count", default: 0)
    fileprivate static let checked = Key<Int>("checked", default: 0).throwing()
    fileprivate static let elsewhere = Key<Int>("elsewhere", default: 0, suite: ModifyTests.suite)
}

private struct Counter {
    @Default(.count) var count
    @Default(.count, options: .cached) var startCount
}

/// Changes of one value with the static members of `Defaults`, and with properties.
@Suite(.isolatedDefaults) struct ModifyTests {
    static let suite = InMemoryStore()

    @Test func `a value is changed in the standard store, or in another one`() throws {
        Self.suite.removeAll()
        Defaults.standard.modify(.count) { $0 += 1 }
        let next = try Defaults.standard.commit(.count) { count in
            count += 1
            return count
        }
        #expect(next == 2)
        Defaults(Self.suite).modify(.elsewhere) { $0 += 3 }
        try Defaults.standard.modify(.checked) { $0 += 4 }
        let other = InMemoryStore()
        Defaults(other).modify(.elsewhere) { $0 += 5 }
        try Defaults(other).modify(.checked) { $0 += 6 }
        #expect(Defaults.standard.snapshot().table == ["count": 2, "checked": 4])
        #expect(Self.suite.snapshot() == ["elsewhere": 3])
        #expect(other.snapshot() == ["elsewhere": 5, "checked": 6])
    }

    @Test func `several threads lose no increment`() {
        let store = Defaults.standard.store
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            Defaults.withStandardStore(store) {
                let counter = Counter()
                for _ in 0..<250 {
                    Defaults.standard.modify(.count) { $0 += 1 }
                    counter.$count.modify { $0 += 1 }
                }
            }
        }
        #expect(Defaults[.count] == 2_000)
    }

    @Test func `a property that keeps its value changes that of the store`() throws {
        let counter = Counter()
        #expect(counter.startCount == 0)
        Defaults[.count] = 5
        #expect(counter.startCount == 0)
        let next = try counter.$startCount.commit { count in
            count += 1
            return count
        }
        #expect(next == 6)
        #expect(Defaults[.count] == 6)
        #expect(counter.startCount == 6)
    }

    @Test(arguments: ["static", "property"])
    func `a change in place that writes over another change is reported`(way: String) {
        let counter = Counter()
        func change(_ number: inout Int, meanwhile value: Int) {
            Defaults[.count] = value
            number += 1
        }
        func increment(meanwhile value: Int) -> [String] {
            reportedProblems {
                switch way {
                case "static": change(&Defaults[.count], meanwhile: value)
                default: change(&counter.count, meanwhile: value)
                }
            }
        }
        Defaults[.count] = 5
        #expect(increment(meanwhile: 5) == [])
        #expect(Defaults[.count] == 6)
        let reports = increment(meanwhile: 40)
        #expect(Defaults[.count] == 7)
        #expect(reports.count == 1)
        #expect(reports.allSatisfy { $0.contains("\"count\" of") && $0.contains("modify(_:_:)") })
    }

    @Test func `a property gives the result of a change that was applied, or throws`() async throws {
        let store = ScriptedStore(name: "the database")
        let property = Default(.count, suite: store)
        let next = { (number: inout Int) in
            number += 1
            return number
        }
        func commit() throws -> Int { try property.projectedValue.commit(next) }
        #expect(try commit() == 1)
        #expect(try await property.projectedValue.commit(next) == 2)
        store.failWrites(with: StoreError(.init("busy"), store: store.name, reason: "it is busy", remedy: "try again"))
        #expect(throws: Defaults.WriteError.self) { try commit() }
        await #expect(throws: Defaults.WriteError.self) { try await property.projectedValue.commit(next) }
        let reports = reportedProblems { property.projectedValue.modify { $0 += 1 } }
        #expect(reports == [#"key "count" of the database: it is busy; try again."#] && property.wrappedValue == 2)
    }
}
