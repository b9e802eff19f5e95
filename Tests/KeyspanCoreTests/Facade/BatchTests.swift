@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct BatchTests {
    private let store = InMemoryStore(["count": 1, "odd": "not a number"], name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let count = Defaults.Key<Int>("count", default: 0)
    private let odd = Defaults.Key<Int>("odd", default: 0)
    private let theme = Defaults.Key<String?>("theme")
    private let ratio = Defaults.Key<Double>("ratio", default: 0).validated(by: .range(0...1))
    private let point = Defaults.Key<Point>("point", default: Point(x: 0, y: 0))

    @Test func `a batch is one change, and reads what it has written`() {
        let changes = recordedChanges(of: store) {
            defaults.update { batch in
                batch[count] += 1
                batch[count] += 1
                batch[theme] = "dark"
                batch[theme] = batch[theme].map { $0 + "er" }
                #expect(batch[count] == 3)
                #expect(defaults[count] == 1)
            }
        }
        #expect(changes == [["count", "theme"]])
        #expect(defaults[count] == 3)
        #expect(defaults[theme] == "darker")
    }

    @Test func `a value that cannot be written leaves all of the batch out`() throws {
        let before = store.snapshot()
        let reports = reportedProblems {
            defaults.update {
                $0[count] = 7
                $0[ratio] = 2
                $0[theme] = "dark"
            }
        }
        #expect(reports.count == 1)
        #expect(reports.first?.contains("\"ratio\"") == true)
        #expect(reports.first?.contains("must be between 0.0 and 1.0") == true)
        #expect(store.snapshot() == before)
        #expect(throws: Defaults.WriteError.self) {
            try defaults.commit {
                $0[count] = 7
                $0[point] = Point(x: .nan, y: 0)
            }
        }
        #expect(store.snapshot() == before)
    }

    @Test func `a refusal of the store is thrown, or reported`() {
        let scripted = ScriptedStore(name: "scripted")
        scripted.failWrites(with: .sealed)
        let defaults = Defaults(scripted)
        #expect(throws: Defaults.WriteError.self) { try defaults.commit { $0[count] = 1 } }
        #expect(reportedProblems { defaults.update { $0[count] = 1 } }.first?.contains("it is sealed") == true)
    }

    @Test func `resetting is part of the batch, and removing all begins anew`() throws {
        let value = try defaults.commit { batch in
            batch.reset(count)
            batch[theme] = "dark"
            batch.removeAll()
            batch[ratio] = 0.5
            return batch[theme]
        }
        #expect(value == nil)
        #expect(store.snapshot() == ["ratio": 0.5])
    }

    @Test func `a batch without writes changes nothing`() throws {
        let revision = store.revision
        let read = try defaults.commit { try ($0.value(for: count), $0[theme]) }
        #expect(read == (1, nil))
        #expect(store.revision == revision)
        #expect(throws: Defaults.ReadError.self) { try defaults.commit { try $0.value(for: odd) } }
    }

    @Test func `a snapshot stays as it was`() throws {
        let snapshot = defaults.snapshot()
        defaults[count] = 5
        defaults[theme] = "dark"
        #expect(snapshot[count] == 1)
        #expect(snapshot[theme] == nil)
        #expect(!snapshot.hasValue(for: theme))
        #expect(snapshot.hasValue(for: odd))
        #expect(try snapshot.storedValue(for: count) == 1)
        #expect(try snapshot.value(for: theme) == nil)
        #expect(throws: Defaults.ReadError.self) { try snapshot.value(for: odd) }
        let reports = reportedProblems { #expect(snapshot[odd] == 0) }
        #expect(reports.count == 1)
    }
}
