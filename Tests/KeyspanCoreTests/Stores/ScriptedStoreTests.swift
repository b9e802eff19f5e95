@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The faults of the store that other tests use in the place of failing ones.
@Suite struct ScriptedStoreTests {
    private static let failure = StoreError(.tooLarge, store: "store", reason: "full", remedy: "free some space")

    /// A script, and what a write and a synchronization then do.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var writeFails = false
        var isApplied = true
        var synchronizeFails = false
        let script: @Sendable (ScriptedStore) -> Void
    }

    static let faults = [
        Fault(testDescription: "none") { _ in },
        Fault(testDescription: "refused write", writeFails: true, isApplied: false) { $0.failWrites(with: failure) },
        Fault(testDescription: "unknown outcome", writeFails: true) {
            $0.failWrites(with: failure, afterApplying: true)
        },
        Fault(testDescription: "refused batch", writeFails: true, isApplied: false) { store in
            store.onBatch { batch throws(StoreError) in
                if batch.operations == [.set(2, key: "a")] { throw failure }
            }
        },
        Fault(testDescription: "failed durability", synchronizeFails: true) { $0.failSynchronize(with: failure) },
    ]

    @Test(arguments: faults)
    func `a call does what the script says, until the script ends`(_ fault: Fault) throws {
        let store = ScriptedStore(["a": 1])
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false, changes.record)
        defer { observation.cancel() }
        fault.script(store)
        let write = Result { () throws(StoreError) in try store.apply(PropertyListBatch(.set(2, key: "a"))) }
        let synchronization = Result { () throws(StoreError) in try store.synchronize() }
        #expect(write.failure?.code == (fault.writeFails ? .tooLarge : nil))
        #expect(synchronization.failure?.code == (fault.synchronizeFails ? .tooLarge : nil))
        #expect(store.value(forKey: "a") == (fault.isApplied ? 2 : 1))
        #expect(changes.count == (fault.isApplied ? 1 : 0))
        #expect(store.count(of: .write) == (fault.writeFails ? 0 : 1))
        #expect(store.count(of: .synchronize) == (fault.synchronizeFails ? 0 : 1))
        store.failWrites(with: nil)
        store.onBatch(nil)
        store.failSynchronize(with: nil)
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        try store.synchronize()
        #expect(store.snapshot() == ["a": 3])
    }

    @Test(arguments: ScriptedStore.Call.allCases)
    func `a held call waits until it is released, and no other one does`(_ call: ScriptedStore.Call) async throws {
        let store = ScriptedStore()
        let events = Recorder<String>()
        store.before(call) { events.record("before") }
        store.after(call) { events.record("after") }
        store.hold(call)
        let thread = TestThread { call.perform(on: store) }
        try await eventually("the call waits", store.heldCount, is: 1)
        for other in ScriptedStore.Call.allCases where other != call {
            other.perform(on: store)
            #expect(store.count(of: other) == 1)
        }
        #expect(store.count(of: call) == 0 && events.values == [])
        store.release(call)
        try await TestThread.run { thread.join() }
        call.perform(on: store)
        #expect(store.count(of: call) == 2 && store.heldCount == 0)
        #expect(events.values == ["before", "after", "before", "after"])
    }

    @Test(arguments: ScriptedStore.Call.allCases)
    func `an action before the next call is not repeated`(_ call: ScriptedStore.Call) {
        let store = ScriptedStore()
        let events = Recorder<Int>()
        store.beforeNext(call) { events.record(store.count(of: call)) }
        call.perform(on: store)
        call.perform(on: store)
        #expect(events.values == [0])
        store.before(call, nil)
    }

    @Test func `its states have the numbers of the store below, one for all keys, or none`() throws {
        let base = InMemoryStore()
        let stores = [ScriptedStore.Revisions.ofBase, .shared, .none].map { ScriptedStore(over: base, revisions: $0) }
        let other = KeyStripe(of: KeyStripeTests.names(1, inStripeOf: "a", false)[0])
        let before = stores.map { [$0.revision(of: KeyStripe(of: "a")), $0.revision(of: other)] }
        try base.apply(PropertyListBatch(.set(1, key: "a")))
        let isChanged = zip(stores, before).map { store, old in
            [store.revision(of: KeyStripe(of: "a")) != old[0], store.revision(of: other) != old[1]]
        }
        #expect(isChanged == [[true, false], [true, true], [false, false]])
        #expect(stores.map { $0.revision == nil } == [false, false, true])
    }
}

extension ScriptedStore.Call {
    /// Makes the call; its result is the matter of other tests.
    fileprivate func perform(on store: ScriptedStore) {
        switch self {
        case .read: _ = store.value(forKey: "a")
        case .snapshot: _ = store.snapshot()
        case .write: try? store.apply(PropertyListBatch(.set(1, key: "a")))
        case .observe: store.observe(.all, initial: false) { _ in }.cancel()
        case .synchronize: try? store.synchronize()
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
