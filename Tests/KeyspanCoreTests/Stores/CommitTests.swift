@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Commits and synchronization that wait for a disk.
@Suite struct CommitTests {
    enum Call: CaseIterable {
        case commit, commitToLayers, synchronize
    }

    @Test(arguments: Call.allCases)
    func `calls that wait for a disk leave a pool of one thread free`(_ call: Call) async throws {
        let disk = ScriptedStore()
        disk.hold(.synchronize)
        let store: any PropertyListStore =
            call == .commitToLayers
            ? LayeredStore([.init("top", InMemoryStore()), .init("disk", disk, isWritable: true)]) : disk
        // Fewer than ``BlockingWork`` has threads.
        let count = 12
        try await withThrowingTaskGroup { group in
            let pool = OneThreadExecutor()
            for number in 0..<count {
                group.addTask(executorPreference: pool) {
                    if call == .synchronize { return try await store.synchronize() }
                    try await store.commit(PropertyListBatch(.set(.init(number), key: "key \(number)")))
                }
            }
            // The first call that blocked the thread would hold up all others, and a failure lets it go on.
            try await eventually("all calls wait for the disk", disk.heldCount, is: count)
            disk.release(.synchronize)
            try await group.waitForAll()
        }
        #expect(store.snapshot().count == (call == .synchronize ? 0 : count))
    }

    private let failure = StoreError(.tooLarge, store: "scripted store", reason: "full", remedy: "free some space")

    @Test func `an error of the write leaves nothing behind, one of the disk leaves the batch in memory`() async throws
    {
        let store = ScriptedStore()
        store.failWrites(with: failure)
        let refused = await #expect(throws: StoreError.self) {
            try await store.commit(PropertyListBatch(.set(1, key: "a")))
        }
        #expect(refused?.code == .tooLarge)
        #expect(store.value(forKey: "a") == nil)

        store.failWrites(with: nil)
        store.failSynchronize(with: failure)
        let unsaved = await #expect(throws: StoreError.self) {
            try await store.commit(PropertyListBatch(.set(1, key: "a")))
        }
        #expect(unsaved?.code == .notDurable)
        #expect((unsaved?.underlying as? StoreError)?.code == .tooLarge)
        #expect(store.value(forKey: "a") == 1)
    }

    @Test func `a store of layers commits to the layer that it writes and synchronizes the others`() async throws {
        let (upper, lower) = (ScriptedStore(name: "upper"), ScriptedStore(name: "lower"))
        let store = LayeredStore([.init("upper", upper), .init("lower", lower, isWritable: true)])
        try await store.commit(PropertyListBatch(.set(1, key: "a")))
        #expect(lower.value(forKey: "a") == 1 && upper.value(forKey: "a") == nil)
        #expect(upper.count(of: .synchronize) == 1 && lower.count(of: .synchronize) == 1)

        upper.failSynchronize(with: failure)
        let unsaved = await #expect(throws: StoreError.self) {
            try await store.commit(PropertyListBatch(.set(2, key: "a")))
        }
        #expect(unsaved?.code == .notDurable)
        #expect(store.value(forKey: "a") == 2)

        lower.failWrites(with: failure)
        let refused = await #expect(throws: StoreError.self) {
            try await store.commit(PropertyListBatch(.set(3, key: "a")))
        }
        #expect(refused?.code == .tooLarge)
        #expect(store.value(forKey: "a") == 2)
        let readOnly = await #expect(throws: StoreError.self) {
            try await LayeredStore([.init("upper", upper)]).commit(PropertyListBatch(.set(1, key: "a")))
        }
        #expect(readOnly?.code == .readOnly)
    }

    @Test func `a batch is quiet if it was made or is applied in a quiet closure, whichever thread commits it`()
        async throws
    {
        let store = InMemoryStore()
        let marks = Recorder<Bool>()
        let observation = store.observe(.all, initial: false) { marks.record($0.isQuiet) }
        defer { observation.cancel() }
        let quiet = Locked(PropertyListBatch())
        Defaults.withoutPropagation { quiet.withLock { $0 = PropertyListBatch(.set(1, key: "a")) } }
        try await store.commit(quiet.withLock(\.self))
        let batches = (2...3).map { PropertyListBatch(.set(.init($0), key: "a")) }
        try await store.commit(batches[0])
        try Defaults.withoutPropagation { try store.apply(batches[1]) }
        #expect(marks.values == [true, false, true])
    }

    @Test func `a batch without writes is refused if its expectation is not met`() async throws {
        var batch = PropertyListBatch()
        batch.expect("expected", forKey: "a")
        let layered = LayeredStore([.init("memory", InMemoryStore(), isWritable: true)])
        for store in [InMemoryStore(), layered] as [any PropertyListStore] {
            let error = await #expect(throws: StoreError.self) { try await store.commit(batch) }
            #expect(error?.code == .conflict)
        }
    }

    @Test func `a read-only store refuses a batch without writes, whether it is applied or committed`() async throws {
        var batch = PropertyListBatch()
        batch.expect(1, forKey: "a")
        let stores: [any PropertyListStore] = [
            RegistrationDomain(), LaunchArgumentsStore([]), EnvironmentStore(prefix: "", environment: [:]),
        ]
        for store in stores {
            let applied = #expect(throws: StoreError.self) { try store.apply(batch) }
            let committed = await #expect(throws: StoreError.self) { try await store.commit(batch) }
            #expect(applied?.code == .readOnly && committed?.code == .readOnly)
            try await store.commit(PropertyListBatch())
        }
    }

    @Test func `tasks that wait for a store whose disk does not answer hold up no other store`() async throws {
        let (stuck, healthy) = (ScriptedStore(name: "stuck"), ScriptedStore(name: "healthy"))
        stuck.hold(.synchronize)
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await stuck.synchronize() } }
            try await eventually("the disk is asked", stuck.heldCount) { $0 > 0 }
            let isDone = Recorder<Void>()
            group.addTask {
                try await healthy.commit(PropertyListBatch(.set(1, key: "a")))
                isDone.record(())
            }
            try await eventually("the other store commits", isDone.count, is: 1)
            stuck.release(.synchronize)
            try await group.waitForAll()
        }
        #expect(stuck.count(of: .synchronize) == 100)
    }

    /// `notDurable` of a commit says that the batch was applied, which is not so if the write itself has failed.
    @Test func `a write that was not durable is not applied`() async throws {
        let store = ScriptedStore()
        store.failWrites(with: StoreError(.notDurable, store: store.name, reason: "full", remedy: "free some space"))
        for store in [store, LayeredStore([.init("scripted", store, isWritable: true)])] as [any PropertyListStore] {
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(PropertyListBatch(.set(1, key: "a")))
            }
            #expect(error?.code == .notApplied)
            let key = Defaults.Key<Int>("a", default: 0)
            let thrown = #expect(throws: Defaults.WriteError.self) { try Defaults(store).commit { $0[key] = 1 } }
            guard case .store(let cause) = thrown?.cause else {
                Issue.record("\(String(describing: thrown))")
                continue
            }
            #expect(cause.code == .notApplied)
        }
    }

    @Test func `a wrapper that names only its written store keeps values that the key cannot read`() {
        let key = Defaults.Key<Int>("n", default: 0)
        let file = InMemoryStore(["n": "unreadable"])
        let upper = InMemoryStore(["n": 5])
        let layers = LayeredStore([.init("upper", upper), .init("file", file, isWritable: true)])
        let store = ScriptedStore(over: layers)
        Defaults(store).update { $0[key] = 1 }
        #expect(file.value(forKey: "n") == 1)
        #expect(Defaults(file).keptValues().map(\.entries) == [["n": "unreadable"]])
    }
}
