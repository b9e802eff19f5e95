@_spi(StoreAuthors) import KeyspanCore
import Observation
import Testing

/// Checks that `withObservationTracking` sees what a group reads, and how that changes.
@Suite struct TrackingTests {
    typealias Settings = Defaults.Group<AppKeys>

    /// A read of one key, and a write that changes it.
    struct Subject: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable (Settings) throws -> Void
        let write: @Sendable (Settings, any PropertyListStore) throws -> Void
    }

    static let subjects = [
        Subject(
            testDescription: "a number",
            read: { _ = $0.launchCount },
            write: { group, _ in group.launchCount = 1 }
        ),
        Subject(
            testDescription: "an optional text, written to the store",
            read: { _ = $0.nickname },
            write: { _, store in try store.apply(PropertyListBatch(.set("Ann", key: "nickname"))) }
        ),
        Subject(
            testDescription: "a key that throws",
            read: { _ = try $0.account },
            write: { group, _ in try group.set(User(name: "Ann", age: 30), for: \.account) }
        ),
        Subject(testDescription: "a computed key", read: { _ = $0.visits }, write: { group, _ in group.visits = 1 }),
        Subject(
            testDescription: "a key of two entries",
            read: { _ = $0.server.range },
            write: { _, store in try store.apply(PropertyListBatch(.set(5, key: "server.range.to"))) }
        ),
        Subject(
            testDescription: "a key under two prefixes, in a batch",
            read: { _ = $0.server.tls.certificate },
            write: { group, _ in group.update { $0.server.tls.certificate = "cert.pem" } }
        ),
        Subject(
            testDescription: "a strict read",
            read: { _ = try $0.value(for: \.window.title) },
            write: { _, store in Settings(store).window.title = "title" }
        ),
        Subject(
            testDescription: "whether there is a value",
            read: { _ = $0.hasValue(for: \.launchCount) },
            write: { group, _ in group.launchCount = 1 }
        ),
    ]

    /// Counts how often what an operation reads has changed.
    private func track(_ operation: () throws -> Void) rethrows -> ChangeCount {
        let count = ChangeCount()
        try withoutActuallyEscaping(operation) { operation in
            try withObservationTracking {
                Result { try operation() }
            } onChange: {
                count.increase()
            }.get()
        }
        return count
    }

    @Test(arguments: subjects)
    func `a change of a read value is reported once`(_ subject: Subject) throws {
        let store = InMemoryStore()
        let settings = Settings(store)
        let changes = try track { try subject.read(settings) }
        #expect(changes.value == 0)
        try subject.write(settings, store)
        #expect(changes.value == 1)
        settings.resetAll()
        #expect(changes.value == 1)
    }

    @Test(arguments: subjects)
    func `a change of another value is not reported`(_ subject: Subject) throws {
        let store = InMemoryStore()
        let settings = Settings(store)
        let changes = try track { try subject.read(settings) }
        settings.window.width = 1000
        try store.apply(PropertyListBatch(.set(1, key: "other")))
        #expect(changes.value == 0)
    }

    @Test(arguments: subjects)
    func `a change by another thread is reported`(_ subject: Subject) async throws {
        let store = InMemoryStore()
        let settings = Settings(store)
        let changes = try track { try subject.read(settings) }
        try await Task.detached { try subject.write(Settings(store), store) }.value
        #expect(changes.value == 1)
    }

    @Test func `a removal is reported, and a write of the same value is not`() {
        let store = InMemoryStore(["launchCount": 1])
        let settings = Settings(store)
        let changes = track { _ = settings.launchCount }
        settings.launchCount = 1
        #expect(changes.value == 0)
        settings.reset(\.launchCount)
        #expect(changes.value == 1)
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

    @Test func `tracking again finds the next change`() {
        let settings = Settings(InMemoryStore())
        for round in 1...3 {
            let changes = track { _ = settings.launchCount }
            settings.launchCount = round
            #expect(changes.value == 1)
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
        #expect(changes.map(\.value) == [0, 1, 0])
        groups[0].number = 1
        groups[2].number = 1
        #expect(changes.map(\.value) == [1, 1, 1])
    }

    @Test func `the store is observed from the first read until the last of the groups is gone`() {
        let store = ObserverCountingStore()
        var settings: Settings? = Settings(store)
        #expect(store.observerCount == 0)
        settings?.launchCount = 1
        #expect(store.observerCount == 0)
        _ = settings?.launchCount
        _ = settings?.server.tls.certificate
        #expect(store.observerCount == 1)
        var nested = settings?.server.tls
        settings = nil
        #expect(store.observerCount == 1)
        #expect(nested?.certificate == nil)
        nested = nil
        #expect(store.observerCount == 0)
    }

    @Test func `a group that was read keeps neither itself nor the store alive`() {
        weak var observed: InMemoryStore?
        do {
            let store = InMemoryStore()
            observed = store
            let settings = Settings(store)
            let changes = track { _ = settings.launchCount }
            settings.launchCount = 1
            #expect(changes.value == 1)
        }
        #expect(observed == nil)
    }
}

/// Counts calls.
private final class ChangeCount: Sendable {
    private let count = Locked(0)

    var value: Int { count.withLock(\.self) }

    func increase() {
        count.withLock { $0 += 1 }
    }
}
