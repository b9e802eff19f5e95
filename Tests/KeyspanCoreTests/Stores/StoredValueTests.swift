@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// A value and its mark as text become visible at the same instant.
@Suite
struct StoredValueTests {
    private let port = Defaults.Key<Int>("port", default: 80)
    private let file = InMemoryStore()
    private let store: LayeredStore
    private let defaults: Defaults

    init() {
        store = LayeredStore([
            .init("file", file, isWritable: true),
            .init("environment", EnvironmentStore(prefix: "", environment: ["PORT": "8080"])),
        ])
        defaults = Defaults(store)
    }

    /// A key that remembers nothing, so that it reads what the store has.
    private var freshPort: Defaults.Key<Int> { Defaults.Key<Int>("port", default: 80) }

    @Test func `an observer receives the old value as it was read then`() {
        let changes = Recorder<[Int]>()
        let problems = reportedProblems {
            let observation = defaults.observe(port, options: []) { changes.record([$0.oldValue, $0.newValue]) }
            defaults[port] = 9
            defaults.reset(port)
            observation.invalidate()
        }
        #expect(changes.values == [[8080, 9], [9, 8080]])
        #expect(problems == [])
    }

    @Test func `an edit reads what is below as text`() {
        defaults[port] = 1
        var seen = 0
        defaults.update {
            $0.reset(port)
            seen = $0[port]
        }
        #expect(seen == 8080)
    }

    @Test func `an edit that read text conflicts with the same text of the file`() throws {
        var rounds = 0
        try defaults.commit { batch in
            rounds += 1
            if rounds == 1 {
                #expect(batch[port] == 8080)
                file.set("8080", forKey: "port")
            } else {
                #expect(batch[port] == 80)
            }
            try batch.set(1, for: Defaults.Key<Int>("other", default: 0))
        }
        #expect(rounds == 2)
    }

    @Test func `a store in memory made of text has no text, wherever it is asked`() {
        let copy = InMemoryStore(EnvironmentStore(prefix: "", environment: ["PORT": "8080"]).snapshot())
        #expect(copy.storedValue(forKey: "port") == StoredValue("8080"))
        #expect(copy.snapshot()[stored: "port"] == StoredValue("8080"))
        _ = reportedProblems {
            #expect(Defaults(copy)[freshPort] == 80)
            #expect(Defaults(copy).snapshot()[freshPort] == 80)
        }
    }

    @Test func `strict reads beside a writer never take text for a value of the file, or the other way round`() async {
        let rounds = 20_000
        // Neither waits for the other one, so both end with however few threads.
        let failures = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for _ in 0..<rounds {
                    file.set(9, forKey: "port")
                    file.removeObject(forKey: "port")
                }
                return 0
            }
            group.addTask {
                var failures = 0
                for _ in 0..<rounds {
                    do {
                        let value = try defaults.value(for: freshPort)
                        if value != 9 && value != 8080 { failures += 1 }
                    } catch {
                        failures += 1
                    }
                }
                return failures
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }
}
