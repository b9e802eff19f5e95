import Dispatch
import Keyspan
import KeyspanTestSupport
import Observation
import Testing

@testable import KeyspanTesting

extension Defaults.Keys {
    fileprivate static let visits = Key<Int>("visits", default: 0)
    fileprivate static let path = Key<[String]>("path", default: [])
}

/// Checks that tests with the trait share nothing, though they use the same keys at the same time.
@Suite(.isolatedDefaults)
struct IsolationTests {
    init() throws {
        // Code outside of the isolation uses the store of the process, which other tests choose.
        try StandardStoreTests.bootstrapped.get()
    }

    @Test(arguments: 0..<20)
    func `each case begins without values and keeps its own`(_ number: Int) async {
        #expect(Defaults[.visits] == 0)
        #expect(Defaults[.path] == [])
        for step in 1...50 {
            Defaults[.visits] = number * 100 + step
            Defaults[.path].append("\(number)")
            await Task.yield()
            #expect(Defaults[.visits] == number * 100 + step)
            #expect(Defaults[.path] == Array(repeating: "\(number)", count: step))
        }
    }

    @Test func `tasks of the test have its store, detached ones do not`() async {
        Defaults[.visits] = 7
        async let child = Defaults[.visits]
        #expect(await child == 7)
        #expect(await Task { Defaults[.visits] }.value == 7)
        let name = Defaults.standard.store.name
        #expect(await Task.detached { Defaults.standard.store.name }.value != name)
    }

    @Test(.isolatedDefaults { $0[.visits] = 5 })
    func `a test can begin with values`() {
        #expect(Defaults[.visits] == 5)
        Defaults.reset(.visits)
        #expect(Defaults[.visits] == 0)
    }

    @Test(arguments: 0..<4)
    func `defaults are registered for one case`(_ number: Int) throws {
        #expect(!Defaults.standard.hasValue(for: .visits))
        try Defaults.standard.register(["visits": PropertyListValue(number)])
        #expect(Defaults[.visits] == number)
        #expect(Defaults.standard.hasValue(for: .visits))
        try Defaults.standard.register(.visits, .path)
        #expect(Defaults.standard.store.snapshot() == ["visits": 0, "path": []])
    }

    @Test func `an operation has the innermost store, and its own again after that`() async throws {
        Defaults[.visits] = 1
        let inner = InMemoryStore(["visits": 2])
        Defaults.withStandardStore(inner) {
            #expect(Defaults[.visits] == 2)
            Defaults[.visits] += 1
        }
        await Defaults.withStandardStore(inner) {
            await Task.yield()
            #expect(Defaults[.visits] == 3)
        }
        #expect(Defaults[.visits] == 1)
        #expect(Defaults[.visits, suite: inner] == 3)
    }

    @Test func `access to the store of an operation keeps it; a group, and what runs elsewhere or later, has another`()
        async
    {
        struct Page {
            @Default(.visits) var visits
        }
        let inner = InMemoryStore(["visits": 2], name: "inner")
        let page = Page()
        let (group, defaults, task, closure) = Defaults.withStandardStore(inner) {
            #expect(page.visits == 2)
            return (
                Defaults.Group<VisitKeys>(), Defaults.standard, Task { Defaults[.visits] }, { Defaults[.visits] }
            )
        }
        #expect(group.visits == 0)
        #expect(defaults[.visits] == 2)
        #expect(await task.value == 2)
        #expect(closure() == 0)
        #expect(page.visits == 0)
    }

    /// A group in a constant, which the first test that uses it makes.
    private enum App {
        static let settings = Defaults.Group<VisitKeys>()
        static let nested = settings.page
    }

    private struct VisitKeys: KeyGroup {
        let visits = Key<Int>("visits", default: 0)
        let account = Key<Int>("account", default: 0).throwing()
        let page = Prefixed<PageKeys>("page.")
    }

    private struct PageKeys: KeyGroup {
        let width = Key<Int>("width", default: 0)
    }

    /// A way to write a number through a group on the standard store, with the name of the entry.
    private struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var name = "visits"
        let write: @Sendable (Int) async throws -> Void
    }

    private static let writes = [
        Write(testDescription: "a property") { App.settings.visits = $0 },
        Write(testDescription: "a subscript") { App.settings[\.visits] = $0 },
        Write(testDescription: "in place") { App.settings.visits += $0 },
        Write(testDescription: "a nested group", name: "page.width") { App.settings.page.width = $0 },
        Write(testDescription: "a constant nested group", name: "page.width") { App.nested.width = $0 },
        Write(testDescription: "set") { try App.settings.set($0, for: \.visits) },
        Write(testDescription: "a key that throws", name: "account") { try App.settings.set($0, for: \.account) },
        Write(testDescription: "modify") { number in App.settings.modify(\.visits) { $0 += number } },
        Write(testDescription: "commit") { number in _ = try App.settings.commit(\.visits) { $0 += number } },
        Write(testDescription: "commit and wait") { number in
            try await App.settings.commit(\.visits) { $0 += number }
        },
        Write(testDescription: "a batch", name: "page.width") { number in
            App.settings.update { $0.page.width += number }
        },
        Write(testDescription: "a committed batch", name: "page.width") { number in
            try App.settings.commit { $0.page.width += number }
        },
    ]

    @Test(arguments: writes)
    private func `a group in a constant has the store of the operation`(_ write: Write) async throws {
        let (name, settings) = (write.name, App.settings)
        for number in 1...2 {
            let dryRun = InMemoryStore()
            try await Defaults.withStandardStore(dryRun) {
                try await write.write(number)
                #expect(settings.store === dryRun)
                let values = [settings.visits, App.nested.width, try settings.account, settings.snapshot().visits]
                #expect(values.contains(number))
                #expect(settings.hasValue(for: \.visits) == (name == "visits"))
                #expect(try settings.value(for: \.page.width) == (name == "page.width" ? number : 0))
                #expect(try settings.storedValue(for: \.account) == (name == "account" ? number : nil))
            }
            #expect(dryRun.snapshot() == PropertyListTable([name: PropertyListValue(number)]))
        }
        #expect(Defaults.standard.snapshot().table.isEmpty)
        try await write.write(7)
        #expect(Defaults.standard.store.value(forKey: name) == 7)
        settings.resetAll()
        #expect(Defaults.standard.snapshot().table.isEmpty)
    }

    @Test(.bounded) func `an observation of a group stays with the store that the operation had`() async {
        let (store, values) = (InMemoryStore(), Recorder<Int>())
        let (observation, updates, signals, changes) = Defaults.withStandardStore(store) {
            (
                App.settings.observe(\.visits, options: []) { values($0.newValue) },
                App.settings.updates(\.visits),
                App.settings.updates(initial: false),
                App.settings.changes()
            )
        }
        App.settings.visits = 1
        store.set(2, forKey: "visits")
        #expect(values.values == [2])
        #expect(await updates.prefix(2).reduce(into: []) { $0.append($1) } == [0, 2])
        #expect(await signals.first { _ in true } != nil)
        #expect(changes.initial.visits == 0)
        #expect(await changes.first { _ in true }?.new.visits == 2)
        observation.invalidate()
    }

    @Test func `reads through a group in a constant are tracked in the store of the operation`() {
        func changes(to store: any PropertyListStore, of read: () -> Void) -> Int {
            let changes = Recorder<Bool>()
            withObservationTracking(read, onChange: { changes(true) })
            App.settings.visits = 1
            store.set(1, forKey: "page.width")
            return changes.count
        }
        for store in [InMemoryStore(), InMemoryStore()] {
            #expect(changes(to: store) { Defaults.withStandardStore(store) { _ = App.settings.page.width } } == 1)
            #expect(changes(to: store) { Defaults.withStandardStore(store) { _ = App.settings.visits } } == 0)
            App.settings.resetAll()
        }
        #expect(changes(to: InMemoryStore()) { _ = Defaults.Group<VisitKeys>().visits } == 1)
    }

    private static let keptVisits = Default(.visits, options: .cached)
    private static let followedVisits = Default(.visits, options: [.cached, .observed])

    @Test(arguments: [false, true])
    func `a property that keeps its value keeps one for each store`(_ isObserved: Bool) async {
        let property = isObserved ? Self.followedVisits : Self.keptVisits
        let strangers = await withTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await Defaults.withStandardStore(InMemoryStore(["visits": PropertyListValue(number)])) {
                        var strangers = property.wrappedValue == number ? 0 : 1
                        await Task.yield()
                        if property.wrappedValue != number { strangers = 1 }
                        return strangers
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(strangers == 0)
    }

    @Test func `a kept value follows, or not, the store that it was read from`() {
        let (one, other) = (InMemoryStore(["visits": 1]), InMemoryStore(["visits": 2]))
        let (kept, followed) = (Default(.visits, options: .cached), Default(.visits, options: [.cached, .observed]))
        func expect(in store: InMemoryStore, _ expected: (kept: Int, followed: Int)) {
            Defaults.withStandardStore(store) {
                #expect(kept.wrappedValue == expected.kept)
                #expect(followed.wrappedValue == expected.followed)
            }
        }
        expect(in: one, (1, 1))
        expect(in: other, (2, 2))
        one.set(10, forKey: "visits")
        other.set(20, forKey: "visits")
        expect(in: one, (1, 10))
        expect(in: other, (2, 20))
        // Setting it in one store makes the property forget what it kept of that one.
        Defaults.withStandardStore(one) { kept.wrappedValue = 11 }
        expect(in: one, (11, 11))
        expect(in: other, (2, 20))
        Defaults.withStandardStore(other) { kept.projectedValue.modify { $0 += 1 } }
        expect(in: one, (11, 11))
        expect(in: other, (21, 21))
        Defaults.withStandardStore(other) { kept.reset() }
        expect(in: other, (0, 0))
        expect(in: one, (11, 11))
    }

    @Test func `a property holds no store, and forgets the values of those that are gone`() {
        let property = Default(.visits, options: [.cached, .observed])
        weak var gone: InMemoryStore?
        do {
            let store = InMemoryStore(["visits": 1])
            gone = store
            Defaults.withStandardStore(store) { #expect(property.wrappedValue == 1) }
        }
        #expect(gone == nil)
        for number in 2..<50 {
            // The next store may be where the one before it was.
            Defaults.withStandardStore(InMemoryStore(["visits": PropertyListValue(number)])) {
                #expect(property.wrappedValue == number)
            }
        }
    }

    @Test(.bounded) func `a stream over two stores has the values of the store that it was made for`() async {
        let suite = InMemoryStore(["other": 5])
        let other = Defaults.Key<Int>("other", default: 0, suite: suite)
        let stream = Defaults.withStandardStore(InMemoryStore(["visits": 3])) { Defaults.updates(.visits, other) }
        let first = await Task.detached { await stream.first { _ in true } }.value
        #expect(first.map { $0 == (3, 5) } == true)
    }

    @Test func `a closure of a dispatch queue has the store of the process, unless it is given another`() async {
        Defaults[.visits] = 4
        let store = Defaults.standard.store
        let (plain, given) = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let given = Defaults.withStandardStore(store) { Defaults[.visits] }
                continuation.resume(returning: (Defaults.standard.store === store, given))
            }
        }
        #expect(!plain)
        #expect(given == 4)
    }

    @Test func `a handler has the standard store of the operation that makes the change, whichever thread calls it`() {
        let shared = InMemoryStore()
        let count = Defaults.Key<Int>("count", default: 0, suite: shared)
        let (names, isReleased) = (Recorder<String>(), Recorder<Bool>())
        let observation = Defaults.observe(count, options: []) { change in
            names.record(Defaults.standard.store.name)
            guard change.newValue == 1 else { return }
            eventually("the test releases the handler") { isReleased.count == 1 }
        }
        let thread = TestThread { Defaults.withStandardStore(InMemoryStore(name: "one")) { Defaults[count] = 1 } }
        eventually("the handler is called") { names.count == 1 }
        Defaults.withStandardStore(InMemoryStore(name: "two")) { Defaults[count] = 2 }
        isReleased(true)
        thread.join()
        #expect(names.values == ["one", "two"])
        observation.invalidate()
    }

    #if os(macOS) || os(Linux) || os(FreeBSD)
    @Test func `a detached task of an isolated test that uses the store of the process is reported once`() async {
        await #expect(processExitsWith: .success) {
            let problems = Recorder<Defaults.Problem>()
            Defaults.onProblem { problems.record($0) }
            try Defaults.bootstrap(InMemoryStore(name: "the real store"))
            for name in ["first", "second"] {
                try await IsolatedDefaultsTrait { $0[.visits] = 3 }.isolate(name) {
                    Defaults[.visits] += 1
                    #expect(Defaults[.visits] == 4)
                    await Task.detached {
                        for _ in 1...3 { Defaults[.visits] += 1 }
                    }.value
                }
            }
            // Nothing is isolated anymore.
            Defaults[.visits] += 1
            #expect(Defaults[.visits] == 7)
            #expect(problems.values.allSatisfy { $0.severity == .warning })
            let texts = problems.values.map(\.description)
            #expect(texts.count == 2 && texts.allSatisfy { $0.hasPrefix("the real store: ") }, "\(texts)")
            #expect(texts.first?.contains(#"("first")"#) == true && texts.last?.contains(#"("second")"#) == true)
        }
    }

    @Test func `a value that a key cannot store ends a test before it begins`() async {
        let digit = Defaults.Key<Int>("digit", default: 0).validated(by: .range(0...9))
        await #expect(throws: Defaults.WriteError.self) {
            try await IsolatedDefaultsTrait { $0[digit] = 10 }.isolate("digits") { Issue.record("it has begun") }
        }
    }
    #endif
}
