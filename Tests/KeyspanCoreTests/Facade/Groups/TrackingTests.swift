@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Observation
import Testing

/// Checks that `withObservationTracking` sees what a group reads, and how that changes.
@Suite struct TrackingTests {
    typealias Settings = Defaults.Group<AppKeys>

    /// A read of one key, and a write that changes it.
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable (Settings) throws -> Void
        let write: @Sendable (Settings) throws -> Void
    }

    static let subjects = [
        Subject(testDescription: "a number", read: { _ = $0.launchCount }, write: { $0.launchCount = 1 }),
        Subject(testDescription: "the store", read: { _ = $0.nickname }) { $0.store.set("Ann", forKey: "nickname") },
        Subject(testDescription: "a key that throws", read: { _ = try $0.account }) {
            try $0.set(User(name: "Ann", age: 30), for: \.account)
        },
        Subject(testDescription: "a computed key", read: { _ = $0.visits }, write: { $0.visits = 1 }),
        Subject(testDescription: "a key of two entries", read: { _ = $0.server.frame }) {
            $0.store.set(5.0, forKey: "server.frame.height")
        },
        Subject(testDescription: "two prefixes, in a batch", read: { _ = $0.server.tls.certificate }) { group in
            group.update { $0.server.tls.certificate = "cert.pem" }
        },
        Subject(testDescription: "a strict read", read: { _ = try $0.value(for: \.window.title) }) {
            Settings($0.store).window.title = "title"
        },
        Subject(
            testDescription: "presence",
            read: { _ = $0.hasValue(for: \.launchCount) },
            write: { $0.launchCount = 1 }
        ),
    ]

    /// Records each change of what an operation reads.
    private func track(_ operation: () throws -> Void) rethrows -> Recorder<Bool> {
        let changes = Recorder<Bool>()
        try withoutActuallyEscaping(operation) { operation in
            try withObservationTracking {
                Result { try operation() }
            } onChange: {
                changes(true)
            }.get()
        }
        return changes
    }

    @Test(arguments: subjects, [false, true])
    func `a change of a read value is reported once, and no other change`(_ subject: Subject, isDetached: Bool)
        async throws
    {
        let settings = Settings(InMemoryStore())
        let changes = try track { try subject.read(settings) }
        settings.window.width = 1000
        settings.store.set(1, forKey: "other")
        #expect(changes.count == 0)
        if isDetached {
            try await Task.detached { try subject.write(Settings(settings.store)) }.value
        } else {
            try subject.write(settings)
        }
        #expect(changes.count == 1)
        settings.resetAll()
        #expect(changes.count == 1)
    }

    @Test func `a removal is reported, and a write of the same value is not`() {
        let store = InMemoryStore(["launchCount": 1])
        let settings = Settings(store)
        let changes = track { _ = settings.launchCount }
        settings.launchCount = 1
        #expect(changes.count == 0)
        settings.reset(\.launchCount)
        #expect(changes.count == 1)
    }

    @Test func `a notified observer reads the new value`() {
        let settings = Settings(InMemoryStore())
        let seen = Locked(0)
        withObservationTracking {
            _ = settings.launchCount
        } onChange: {
            seen.withLock { $0 = settings.launchCount }
        }
        settings.launchCount = 5
        #expect(seen.withLock(\.self) == 5)
    }

    @Test func `changes of very many names are reported`() {
        let store = InMemoryStore()
        let groups = (0..<5_000).map { Settings(store, prefix: "tenant \($0).") }
        for group in groups { _ = group.launchCount }
        let changes = [groups[0], groups[4_999]].map { group in (group, track { _ = group.launchCount }) }
        for (group, changes) in changes {
            group.launchCount = 1
            #expect(changes.count == 1)
        }
    }

    @Test func `tracking again finds the next change`() {
        let settings = Settings(InMemoryStore())
        for round in 1...3 {
            let changes = track { _ = settings.launchCount }
            settings.launchCount = round
            #expect(changes.count == 1)
        }
    }

    @Test func `a key that two groups share is tracked by each in its own store`() {
        struct SharedKeys: KeyGroup {
            static let number = Defaults.Key<Int>("number", default: 0)
            let number = SharedKeys.number
        }
        let groups = (0..<3).map { _ in Defaults.Group<SharedKeys>(InMemoryStore()) }
        let changes = groups.map { group in track { _ = group.number } }
        groups[1].number = 1
        #expect(changes.map(\.count) == [0, 1, 0])
        groups[0].number = 1
        groups[2].number = 1
        #expect(changes.map(\.count) == [1, 1, 1])
    }

    @Test func `all that reads a store shares one observer, which is there from the first read`() {
        let store = ObserverCountingStore()
        let groups = (0..<1000).map { _ in Settings(store) }
        #expect(store.observerCount == 0)
        groups[0].launchCount = 1
        #expect(store.observerCount == 0)
        for group in groups {
            _ = group.launchCount
            _ = group.server.tls.certificate
        }
        #expect(store.observerCount == 1)
    }

    @Test(.bounded) func `threads that read at the same time leave one observer`() {
        let store = ObserverCountingStore()
        let changes = Recorder<Bool>()
        let threads = (0..<8).map { _ in
            TestThread {
                withObservationTracking {
                    _ = Settings(store).launchCount
                } onChange: {
                    changes(true)
                }
            }
        }
        threads.forEach { $0.join() }
        #expect(store.observerCount == 1)
        Settings(store).launchCount = 1
        #expect(changes.count == 8)
    }

    static let stores: [@Sendable () -> any PropertyListStore] = [
        { InMemoryStore() },
        { LayeredStore(registeringBelow: InMemoryStore()) },
        { LayeredStore([.init("layers", LayeredStore(registeringBelow: InMemoryStore()), isWritable: true)]) },
        { ObserverCountingStore() },
    ]

    @Test(arguments: stores.indices, subjects)
    func `a read through a group that is gone is tracked`(_ store: Int, _ subject: Subject) throws {
        let store = Self.stores[store]()
        for _ in 0..<2 {
            let changes = try track { try subject.read(Settings(store)) }
            Settings(store).window.width = 1000
            #expect(changes.count == 0)
            try subject.write(Settings(store))
            #expect(changes.count == 1)
            Defaults(store).removeAll()
        }
    }

    @Test(.bounded) func `each store has its own observers, wherever in memory it is`() {
        let wrong = Recorder<Int>()
        let threads = (0..<4).map { _ in
            TestThread {
                for _ in 0..<250 {
                    // The next store is often where this one was, and other threads make and release theirs meanwhile.
                    let (store, changes) = (InMemoryStore(), Recorder<Bool>())
                    withObservationTracking {
                        _ = Settings(store).launchCount
                    } onChange: {
                        changes(true)
                    }
                    Settings(store).launchCount = 1
                    if changes.count != 1 { wrong(changes.count) }
                }
            }
        }
        threads.forEach { $0.join() }
        #expect(wrong.values == [])
    }

    @Test func `a group that was read keeps neither itself nor the store alive`() {
        weak var observed: InMemoryStore?
        do {
            let store = InMemoryStore()
            observed = store
            let settings = Settings(store)
            let changes = track { _ = settings.launchCount }
            settings.launchCount = 1
            #expect(changes.count == 1)
        }
        #expect(observed == nil)
    }
}
