import Dispatch
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Changes of one value that depend on what it was.
@Suite struct ModifyTests {
    private static let count = Defaults.Key<Int>("count", default: 0)
    private static let throwingCount = count.throwing()
    private static let list = Defaults.Key<[Int]>("list", default: [])
    private static let window = Defaults.Key<Window>("window", default: Window(width: 0, height: 0))

    struct CountKeys: KeyGroup {
        let count = Defaults.Key<Int>("count", default: 0)
        let checked = Defaults.Key<Int>("count", default: 0).throwing()
    }

    /// A way to change a number.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Applies a change to the number and answers its result.
        let change: @Sendable (any PropertyListStore, (inout Int) -> Int) throws -> Int

        init(_ name: String, _ change: @escaping @Sendable (any PropertyListStore, (inout Int) -> Int) throws -> Int) {
            (testDescription, self.change) = (name, change)
        }

        /// Adds one and answers the sum; first calls what comes in between.
        func increment(_ store: any PropertyListStore, after other: () -> Void = {}) throws -> Int {
            try change(store) { number in
                other()
                number += 1
                return number
            }
        }

        static let all = [
            Way("Defaults") { try Defaults($0).commit(count, $1) },
            Way("throwing key") { try Defaults($0).modify(throwingCount, $1) },
            Way("commit of a throwing key") { try Defaults($0).commit(throwingCount, $1) },
            Way("group") { try Defaults.Group<CountKeys>($0).commit(\.count, $1) },
            Way("throwing key of a group") { try Defaults.Group<CountKeys>($0).modify(\.checked, $1) },
            Way("batch") { store, change in try Defaults(store).commit { change(&$0[count]) } },
            Way("batch of a group") { store, change in try Defaults.Group<CountKeys>(store).commit { change(&$0.count) }
            },
            Way("array") { store, change in
                try Defaults(store).commit(list) { list in
                    var number = list.count
                    defer { list = Array(repeating: 0, count: number) }
                    return change(&number)
                }
            },
            Way("several entries") { store, change in
                try Defaults(store).commit(window) { window in
                    var number = Int(window.width)
                    defer { window = Window(width: Double(number), height: Double(-number)) }
                    return change(&number)
                }
            },
        ]

        static func stores() -> [any PropertyListStore] {
            let layers = LayeredStore([
                .init("session", InMemoryStore()),
                .init("own", InMemoryStore(), isWritable: true),
                .init("registered", InMemoryStore(["count": 0])),
            ])
            return [InMemoryStore(), layers]
        }
    }

    @Test(arguments: Way.all)
    func `several threads lose no increment, and each gets its own result`(way: Way) throws {
        for store in Way.stores() {
            let results = Recorder<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                #expect(throws: Never.self) {
                    for _ in 0..<100 { results.record(try way.increment(store)) }
                }
            }
            #expect(results.values.sorted() == Array(1...400))
        }
    }

    @Test(arguments: Way.all)
    func `a change that comes in between is what the closure gets next`(way: Way) throws {
        for store in Way.stores() {
            var calls = 0
            let reports = try reportedProblems {
                let result = try way.increment(store) {
                    calls += 1
                    if calls == 1 { #expect(throws: Never.self) { try way.increment(store) } }
                }
                #expect(result == 2)
            }
            #expect(calls == 2)
            #expect(reports == [])
        }
    }

    @Test func `a value that cannot be written is reported, and the old one stays`() {
        let store = InMemoryStore(["count": 9], name: "the store")
        let digit = Defaults.Key<Int>("count", default: 0).validated(by: .range(0...9))
        let reports = reportedProblems {
            Defaults(store).modify(digit) { $0 += 1 }
            store.modify(digit) { $0 += 1 }
        }
        #expect(reports.count == 2)
        #expect(reports.first?.contains("must be between 0 and 9") == true)
        #expect(store.snapshot() == ["count": 9])
        for key in [digit, digit.throwing()] as [Defaults.TypedKey<Int>] {
            let error = #expect(throws: Defaults.WriteError.self) { try Defaults(store).commit(key) { $0 += 1 } }
            #expect(error?.key == "count")
        }
        #expect(store.snapshot() == ["count": 9])
    }

    @Test(arguments: Way.all)
    func `a result is that of a change that was applied, or an error`(way: Way) throws {
        let store = ScriptedStore(["count": 8080], name: "the database")
        store.failWrites(with: .sealed)
        let reports = reportedProblems {
            #expect(throws: Defaults.WriteError.self) { try way.increment(store) }
        }
        #expect(reports == [] && store.snapshot() == ["count": 8080])
        store.failWrites(with: nil)
        #expect(throws: Never.self) { try way.increment(store) }
    }

    @Test func `an asynchronous change is durable, and an error if it was not applied`() async throws {
        let store = ScriptedStore(name: "the database")
        let defaults = Defaults(store)
        let ticket = try await defaults.commit(Self.count) { number in
            number += 1
            return number
        }
        let next = try await Defaults.Group<CountKeys>(store).commit(\.checked) { number in
            number += 1
            return number
        }
        #expect((ticket, next) == (1, 2) && store.count(of: .synchronize) == 2)
        store.failWrites(with: .sealed)
        let error = await #expect(throws: Defaults.WriteError.self) {
            try await defaults.commit(Self.count) { $0 += 1 }
        }
        #expect(error?.key == "count" && store.value(forKey: "count") == 2)
        store.failWrites(with: nil)
        try store.apply(PropertyListBatch(.set("many", key: "count")))
        await #expect(throws: Defaults.ReadError.self) { try await defaults.commit(Self.throwingCount) { $0 += 1 } }
    }

    @Test func `asynchronous changes and other blocking work take no thread from tasks`() async throws {
        let store = ScriptedStore()
        store.hold(.write)
        // More than the pool has threads, on any machine that runs the tests.
        let count = 24
        let changes = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        if number.isMultiple(of: 2) { return try await Defaults(store).commit(Self.count) { $0 += 1 } }
                        await Defaults.blocking { Defaults(store).modify(Self.count) { $0 += 1 } }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await eventually("all changes wait", store.heldCount, is: count)
        store.release(.write)
        try await changes.value
        #expect(store.value(forKey: "count") == PropertyListValue(count))
    }

    @Test func `blocking work that does not end leaves room for other work`() async throws {
        let gate = Gate()
        // More than a store has threads; other tests need the rest.
        let count = 40
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { _ = await Defaults.blocking { gate.pass() } } }
            try await eventually("all work runs", gate.waitingCount, is: count)
            for _ in 0..<count { gate.open() }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [[], [SIGVTALRM]])
    func `a thread for blocking work leaves signals to others, but for its faults and samples`(
        blockedByCreator: [CInt]
    ) async {
        let blocked = await withCheckedContinuation { continuation in
            var (creator, before) = (sigset_t(), sigset_t())
            for signal in blockedByCreator { sigaddset(&creator, signal) }
            pthread_sigmask(SIG_SETMASK, &creator, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            BlockingThread.run {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                let signals = [SIGTERM, SIGHUP, SIGPROF, SIGVTALRM, SIGSEGV]
                continuation.resume(returning: signals.filter { sigismember(&mask, $0) == 1 })
            }
        }
        #expect(blocked == [SIGTERM, SIGHUP] + blockedByCreator)
    }

    @Test(arguments: [true, false])
    func `a conflict that nothing brings about is reported or thrown, not repeated for ever`(hasRevision: Bool) {
        let reports = reportedProblems {
            Defaults(contestedStore(hasRevision: hasRevision)).modify(Self.count) { $0 += 1 }
            Defaults(contestedStore(hasRevision: hasRevision)).modify(Self.window) { $0.width += 1 }
        }
        #expect(reports.count == 2)
        let errors = [
            #expect(throws: Defaults.WriteError.self) {
                try Defaults(contestedStore(hasRevision: hasRevision)).modify(Self.throwingCount) { $0 += 1 }
            },
            #expect(throws: Defaults.WriteError.self) {
                try Defaults(contestedStore(refusesAll: true, hasRevision: hasRevision)).commit { $0[Self.count] += 1 }
            },
        ]
        for error in errors {
            guard case .store(let error)? = error?.cause else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error.code == .conflict)
        }
    }

    @Test func `a closure that throws writes nothing`() {
        struct Interruption: Error {}
        let store = InMemoryStore(["count": 1])
        #expect(throws: Interruption.self) {
            try Defaults(store).modify(Self.count) {
                $0 += 1
                throw Interruption()
            }
        }
        #expect(throws: Interruption.self) {
            try Defaults(store).modify(Self.throwingCount) {
                $0 += 1
                throw Interruption()
            }
        }
        #expect(store.snapshot() == ["count": 1])
    }

    @Test func `a value that cannot be read is kept, or thrown by a throwing key`() throws {
        let store = InMemoryStore(["count": "many"], name: "the store")
        let defaults = Defaults(store)
        #expect(throws: Defaults.ReadError.self) { try defaults.modify(Self.throwingCount) { $0 += 1 } }
        #expect(store.snapshot() == ["count": "many"])
        let reports = reportedProblems {
            defaults.modify(Self.count) { $0 += 1 }
        }
        #expect(reports.count == 1)
        #expect(store.value(forKey: "count") == 1)
        #expect(defaults.keptValues().map(\.key) == ["count"])
    }
}

/// Makes a store that rejects each batch with expectations as a conflict, or every batch, for as long as anybody would try.
func contestedStore(
    refusesAll: Bool = false,
    hasRevision: Bool = true,
    conflicts: Recorder<Bool> = Recorder()
) -> ScriptedStore {
    let store = ScriptedStore(over: InMemoryStore(), revisions: hasRevision ? .ofBase : .none)
    store.onBatch { batch throws(StoreError) in
        guard refusesAll || !batch.expectations.isEmpty else { return }
        conflicts(true)
        let code: StoreError.Code = conflicts.count > 1_000 ? .init("impatience") : .conflict
        throw StoreError(code, store: "contested", key: "count", reason: "the script says so", remedy: "write another")
    }
    return store
}

@Suite struct InitialisingTests {
    private let key = Defaults.Key<Int?>("key")

    @Test func `the first value is recorded, and the later ones are not even made`() {
        let store = InMemoryStore()
        #expect(Defaults(store)[key, initialisingWith: 1] == 1)
        #expect(store.value(forKey: "key") == 1)
        var isMade = false
        func make() -> Int {
            isMade = true
            return 2
        }
        #expect(Defaults(store)[key, initialisingWith: make()] == 1)
        #expect(!isMade)
    }

    @Test func `of threads that ask at once all get the value of one`() async {
        for _ in 0..<200 {
            let store = InMemoryStore()
            let values = await withTaskGroup(of: Int.self) { group in
                for thread in 1...4 {
                    group.addTask { Defaults(store)[key, initialisingWith: thread] }
                }
                return await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(values.count == 1)
            #expect(values.first.map { PropertyListValue($0) } == store.value(forKey: "key"))
        }
    }

    @Test func `a store that refuses is reported, and the value is given all the same`() {
        let store = ScriptedStore()
        store.failWrites(with: .sealed)
        let reports = reportedProblems { #expect(Defaults(store)[key, initialisingWith: 1] == 1) }
        #expect(reports.count == 1)
        #expect(store.value(forKey: "key") == nil)
    }
}
