@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite(.bounded) struct GroupChangesTests {
    private struct PoolKeys: KeyGroup {
        let host = Key<String>("host", default: "localhost")
        let port = Key<Int>("port", default: 5432)
        let names = Key<[String]>("names", default: [])
        let limit = Key<Int>("limit", default: 8).throwing()
        let tls = Prefixed<TLSKeys>("tls.")
        let pair = PairKeys()
    }

    private struct PairKeys: KeyGroup {
        let left = Key<Int>("left", default: 0)
        let right = Key<Int>("right", default: 0)
    }

    private struct TLSKeys: KeyGroup {
        let certificate = Key<String?>("certificate")
        let password = Key<String?>("password").secret()
    }

    private let store = InMemoryStore()
    private var settings: Defaults.Group<PoolKeys> { Defaults.Group(store) }

    @Test func `a batch is one change, with the values of all keys before and after it`() async throws {
        let settings = settings
        settings.names = ["a"]
        let changes = settings.changes()
        settings.update {
            $0.host = "db"
            $0.port = 1
            $0.pair.right = 1
        }
        settings.tls.certificate = "c"
        try store.apply(PropertyListBatch(.set(true, key: "foreign")))
        settings.host = "localhost"

        #expect(changes.initial.host == "localhost")
        #expect(changes.initial.names == ["a"])
        var iterator = changes.makeAsyncIterator()
        let first = try #require(await iterator.next())
        #expect((first.old.host, first.old.port) == ("localhost", 5432))
        #expect((first.new.host, first.new.port, first.new.names) == ("db", 1, ["a"]))
        #expect(first.keys.map(\.name) == ["host", "port", "right"])
        #expect(first.contains(\.port))
        #expect(!first.contains(\.names))
        #expect(!first.contains(\.tls))
        #expect(!first.contains(\.tls.certificate))
        #expect(first.contains(\.pair))

        let second = try #require(await iterator.next())
        #expect((second.old.tls.certificate, second.new.tls.certificate) == (nil, "c"))
        #expect((second.new.host, second.new.port) == ("db", 1))
        #expect(second.contains(\.tls.certificate))
        #expect(second.contains(\.tls))
        #expect(!second.contains(\.pair))

        let third = try #require(await iterator.next())
        #expect((third.old.host, third.new.host) == ("db", "localhost"))
        #expect(third.old.tls.certificate == "c")
        #expect(third.keys.map(\.name) == ["host"])
    }

    @Test func `a nested group has changes of its own`() async throws {
        let settings = settings
        let changes = settings.tls.changes()
        settings.port = 1
        settings.tls.certificate = "c"
        let change = try #require(await changes.first { _ in true })
        #expect((change.old.certificate, change.new.certificate) == (nil, "c"))
        #expect(change.keys.map(\.name) == ["tls.certificate"])
    }

    @Test func `a slow reader of the latest changes gets them as one`() async throws {
        let settings = settings
        let changes = settings.changes(buffering: .latest)
        for port in 1...1000 { settings.port = port }
        settings.host = "db"
        var iterator = changes.makeAsyncIterator()
        let change = try #require(await iterator.next())
        #expect((change.old.port, change.new.port) == (5432, 1000))
        #expect(change.new.host == "db")
        #expect(change.keys.map(\.name) == ["host", "port"])
        settings.port = 1
        settings.port = 1000
        settings.host = "other"
        let next = try #require(await iterator.next())
        #expect(next.keys.map(\.name) == ["host"])
    }

    @Test func `changes that cancel each other out are none to a slow reader`() async throws {
        let settings = settings
        let changes = settings.changes(buffering: .latest)
        settings.port = 1
        settings.reset(\.port)
        let keys = Task { await changes.first { _ in true }.map { $0.keys.map(\.name) } }
        // Reading has passed over both when it receives the next change, or had not begun.
        settings.host = "db"
        #expect(await keys.value == ["host"])
    }

    @Test func `snapshots are of the change although the store is ahead`() async throws {
        let settings = settings
        let changes = settings.changes()
        for port in 1...50 {
            settings.update {
                $0.port = port
                $0.host = "host\(port)"
            }
        }
        var (port, last) = (5432, "localhost")
        for await change in changes.prefix(50) {
            #expect((change.old.port, change.old.host) == (port, last))
            (port, last) = (change.new.port, change.new.host)
            #expect(last == "host\(port)")
        }
        #expect(port == 50)
    }

    /// Threads write pairs that belong together, and the reader must never see one half.
    @Test(arguments: [Defaults.UpdateBuffering.every, .latest])
    func `no change is torn, and the last one has the final values`(buffering: Defaults.UpdateBuffering) async throws {
        let settings = settings
        let changes = settings.changes(buffering: buffering)
        let count = 300
        let writers = Task {
            await withTaskGroup { group in
                for writer in 1...4 {
                    group.addTask {
                        for number in 1...count {
                            settings.update {
                                $0.port = writer * 1000 + number
                                $0.host = "\($0.port)"
                            }
                        }
                    }
                }
            }
            settings.update {
                $0.port = -1
                $0.host = "-1"
            }
        }
        var (received, port) = (0, 5432)
        for await change in changes {
            received += 1
            #expect(change.old.port == port)
            port = change.new.port
            #expect(change.new.host == "\(port)")
            if port == -1 { break }
        }
        await writers.value
        if case .every = buffering { #expect(received == 4 * count + 1) }
    }

    @Test func `an unreadable value is an error of a throwing key, and the default of another`() async throws {
        let changes = settings.changes()
        var batch = PropertyListBatch(.set("many", key: "limit"))
        batch.set("none", forKey: "port")
        try store.apply(batch)
        let change = try #require(await changes.first { _ in true })
        let limit = try change.old.limit
        #expect(limit == 8)
        #expect(throws: Defaults.ReadError.self) { try change.new.limit }
        #expect(throws: Defaults.ReadError.self) { try change.new.value(for: \.port) }
        #expect(change.new.hasValue(for: \.port))
        #expect(!change.old.hasValue(for: \.port))
        let problems = reportedProblems { #expect(change.new.port == 5432) }
        #expect(problems.count == 1)
    }

    @Test func `a snapshot of a group keeps its values`() throws {
        let settings = settings
        settings.tls.certificate = "c"
        let snapshot = settings.snapshot()
        settings.host = "db"
        settings.tls.certificate = nil
        #expect((snapshot.host, snapshot.tls.certificate) == ("localhost", "c"))
        let host = try snapshot.storedValue(for: \.host)
        #expect(host == nil)
        #expect(settings.snapshot()[\.host] == "db")
    }

    @Test func `a change is one line for a log, without secrets`() async throws {
        let settings = settings
        let changes = settings.changes()
        settings.update {
            $0.host = String(repeating: "x", count: 100)
            $0.names = ["a", "b"]
            $0.tls.certificate = "c"
            $0.tls.password = "hunter2"
        }
        settings.tls.password = "hunter3"
        settings.reset(\.tls.certificate)
        try store.apply(PropertyListBatch(.set("none", key: "port")))
        var lines: [String] = []
        for await change in changes.prefix(4) { lines.append(change.description) }
        #expect(
            lines == [
                "host: \"localhost\" → \"\(String(repeating: "x", count: 60))…\", names: an array of 0 elements → an array of 2 "
                    + "elements, tls.certificate: none → \"c\", tls.password: none → …",
                "tls.password: … → …", "tls.certificate: \"c\" → none", "port: 5432 → unusable",
            ]
        )
        let rows = settings.snapshot().describe().rows
        #expect(rows.first { $0.name == "tls.password" }?.value == .secret)
        #expect(rows.map(\.name) == settings.describe().rows.map(\.name))
    }

    @Test func `the observer ends with the sequence`() async {
        weak var observed: InMemoryStore?
        do {
            let store = InMemoryStore()
            observed = store
            let changes = Defaults.Group<PoolKeys>(store).changes()
            let task = Task { await changes.reduce(0) { sum, _ in sum + 1 } }
            task.cancel()
            #expect(await task.value == 0)
        }
        #expect(observed == nil)
    }
}
