import Dispatch
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@Suite struct AsynchronousCommitTests {
    /// A store in memory whose `synchronize()` blocks its thread until it is released, as a slow disk would.
    private final class SlowStore: ForwardingStore {
        let base = InMemoryStore(name: "slow store")
        private let gate = DispatchSemaphore(value: 0)
        private let began: @Sendable () -> Void

        init(began: @escaping @Sendable () -> Void) {
            self.began = began
        }

        func synchronize() throws(StoreError) {
            began()
            gate.wait()
        }

        func release(_ count: Int) {
            for _ in 0..<count { gate.signal() }
        }
    }

    private let failure = StoreError(.tooLarge, store: "scripted store", reason: "full", remedy: "free some space")

    @Test func `a commit is applied, and durable before it returns`() async throws {
        let store = ScriptedStore()
        try await store.commit(PropertyListBatch(.set(1, key: "a")))
        #expect(store.value(forKey: "a") == 1)
        #expect(store.synchronizeCount == 1)
        try await store.synchronize()
        #expect(store.synchronizeCount == 2)
    }

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

    /// More commits wait for the disk than the cooperative pool has threads, and other tasks go on.
    @Test func `no thread of the cooperative pool waits for the disk`() async throws {
        let (begun, continuation) = AsyncStream<Void>.makeStream()
        let store = SlowStore { continuation.yield() }
        let count = 16
        try await withThrowingTaskGroup { group in
            for index in 0..<count {
                group.addTask { try await store.commit(PropertyListBatch(.set(.init(index), key: "\(index)"))) }
            }
            for await _ in begun.prefix(count) {}
            #expect(store.snapshot().count == count)
            store.release(count)
            try await group.waitForAll()
        }
    }

    @Test func `a store of layers commits to the layer that it writes and synchronizes the others`() async throws {
        let (upper, lower) = (ScriptedStore(name: "upper"), ScriptedStore(name: "lower"))
        let store = LayeredStore([.init("upper", upper), .init("lower", lower, isWritable: true)])
        try await store.commit(PropertyListBatch(.set(1, key: "a")))
        #expect(lower.value(forKey: "a") == 1 && upper.value(forKey: "a") == nil)
        #expect(upper.synchronizeCount == 1 && lower.synchronizeCount == 1)

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

    @Test func `a quiet batch stays quiet on the thread that commits it`() async throws {
        let store = ScriptedStore()
        let marks = Locked<[Bool]>([])
        let observation = store.observe(.all, initial: false) { change in marks.withLock { $0.append(change.isQuiet) } }
        defer { observation.cancel() }
        let batch = Locked(PropertyListBatch())
        Defaults.withoutPropagation { batch.withLock { $0 = PropertyListBatch(.set(1, key: "a")) } }
        try await store.commit(batch.withLock { $0 })
        try await store.commit(PropertyListBatch(.set(2, key: "a")))
        #expect(marks.withLock { $0 } == [true, false])
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

    /// `notDurable` of a commit says that the batch was applied, which is not so if the write itself has failed.
    @Test func `a write that was not durable is not applied`() async throws {
        let store = ScriptedStore()
        store.failWrites(with: StoreError(.notDurable, store: store.name, reason: "full", remedy: "free some space"))
        for store in [store, LayeredStore([.init("scripted", store, isWritable: true)])] as [any PropertyListStore] {
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(PropertyListBatch(.set(1, key: "a")))
            }
            #expect(error?.code == .notApplied)
        }
    }

    @Test func `applying a batch in a quiet closure is quiet, wherever the batch was made`() throws {
        let store = InMemoryStore()
        let marks = Locked<[Bool]>([])
        let observation = store.observe(.all, initial: false) { change in marks.withLock { $0.append(change.isQuiet) } }
        defer { observation.cancel() }
        let batch = PropertyListBatch(.set(1, key: "a"))
        try Defaults.withoutPropagation { try store.apply(batch) }
        #expect(marks.withLock { $0 } == [true])
    }

    /// A store that names its written store and says nothing of layers.
    private final class Wrapper: PropertyListStore {
        let base: LayeredStore
        init(_ base: LayeredStore) { self.base = base }
        var name: String { base.name }
        var writtenStore: any PropertyListStore { base.writtenStore }
        func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }
        func snapshot() -> PropertyListTable { base.snapshot() }
        func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(batch) }
        func synchronize() throws(StoreError) { try base.synchronize() }
        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation { base.observe(keys, initial: initial, receive) }
    }

    @Test func `a wrapper that names only its written store keeps values that the key cannot read`() {
        let key = Defaults.Key<Int>("n", default: 0)
        let file = InMemoryStore(["n": "unreadable"])
        let upper = InMemoryStore(["n": 5])
        let store = Wrapper(LayeredStore([.init("upper", upper), .init("file", file, isWritable: true)]))
        Defaults(store).update { $0[key] = 1 }
        #expect(file.value(forKey: "n") == 1)
        #expect(Defaults(file).keptValues().map(\.entries) == [["n": "unreadable"]])
    }
}
