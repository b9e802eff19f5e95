@_spi(StoreAuthors) import KeyspanCore
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

    @Test func `a snapshot keeps what it answers when the file is written later`() throws {
        let snapshot = defaults.snapshot()
        #expect(snapshot[port] == 8080)
        file.set("elsewhere", forKey: "port")
        #expect(snapshot[port] == 8080)
        #expect(snapshot[freshPort] == 8080)
        #expect(try snapshot.value(for: freshPort) == 8080)
    }

    @Test func `a snapshot of a text that the file has counts as no number when the variable is seen again`() throws {
        file.set("8081", forKey: "port")
        let snapshot = defaults.snapshot()
        file.removeObject(forKey: "port")
        #expect(throws: Defaults.ReadError.self) { try snapshot.value(for: freshPort) }
        #expect(defaults[port] == 8080)
    }

    @Test func `an observer receives the old value as it was read then`() {
        let changes = Locked<[Int]>([])
        let problems = reportedProblems {
            let observation = defaults.observe(port, options: []) { change in
                changes.withLock { $0 += [change.oldValue, change.newValue] }
            }
            defaults[port] = 9
            defaults.reset(port)
            observation.invalidate()
        }
        #expect(changes.withLock { $0 } == [8080, 9, 9, 8080])
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

    @Test func `observers receive the replacement of a text by a value of the file`() {
        let changes = Locked<[Int]>([])
        let observation = defaults.observe(port, options: []) { change in
            changes.withLock { $0 += [change.oldValue, change.newValue] }
        }
        file.set("8080", forKey: "port")
        #expect(defaults[freshPort] == 80)
        #expect(changes.withLock { $0 } == [8080, 80])
        observation.invalidate()
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

    @Test func `text is asked together with the value`() {
        #expect(store.storedValue(forKey: "port") == StoredValue("8080", isText: true))
        file.set("8080", forKey: "port")
        #expect(store.storedValue(forKey: "port") == StoredValue("8080"))
        #expect(store.snapshot()[stored: "port"] == StoredValue("8080"))
        file.removeObject(forKey: "port")
        #expect(store.snapshot()[stored: "port"] == StoredValue("8080", isText: true))
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
