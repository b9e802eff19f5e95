@_spi(StoreAuthors) import KeyspanCore
import Testing

/// Checks that reads of a snapshot use what was decoded, and never a value of another state.
@Suite struct SnapshotCacheTests {
    @Test func `an unchanged value is decoded once for all snapshots and the store`() {
        let bridge = CountingBridge()
        let key = Defaults.Key<String>("key", default: "", bridge: bridge)
        let other = Defaults.Key<Int>("other", default: 0)
        let defaults = Defaults(InMemoryStore(["key": "one"]))
        let decodings = bridge.decodings {
            for number in 1...3 {
                let snapshot = defaults.snapshot()
                #expect(snapshot[key] == "one")
                // From here on the snapshot is not the present state.
                defaults[other] = number
                #expect(snapshot[key] == "one")
                #expect(defaults[key] == "one")
                #expect((try? snapshot.value(for: key)) == "one")
                #expect(snapshot[other] == number - 1)
            }
        }
        #expect(decodings == 1)
        let first = defaults.snapshot()
        defaults[key] = "two"
        let readingOldAndNew = bridge.decodings {
            for _ in 0..<3 { #expect((first[key], defaults.snapshot()[key]) == ("one", "two")) }
        }
        // The old value is cached already, and then the new one takes its place.
        #expect(readingOldAndNew <= 4)
        // Reads of the store itself keep their cache whatever snapshots read.
        let readingNew = bridge.decodings { for _ in 0..<3 { #expect(defaults[key] == "two") } }
        #expect(readingNew == 0)
    }

    @Test func `a snapshot without a value reads the default, though the store has one by now`() throws {
        let defaults = Defaults(InMemoryStore())
        let (number, text) = (Defaults.Key<Int>("number", default: 7), Defaults.Key<String>("text", default: "none"))
        #expect((defaults[number], defaults[text]) == (7, "none"))
        let snapshot = defaults.snapshot()
        #expect((snapshot[number], snapshot[text]) == (7, "none"))
        #expect(try snapshot.storedValue(for: number) == nil)
        (defaults[number], defaults[text]) = (1, "some")
        #expect((defaults[number], defaults[text]) == (1, "some"))
        #expect((snapshot[number], snapshot[text]) == (7, "none"))
        #expect(try snapshot.storedValue(for: text) == nil)
        #expect(try snapshot.value(for: number) == 7)
    }

    /// The revision of the whole store changes before that of a stripe: otherwise a reader could take the value of a later batch
    /// for that of its snapshot.
    @Test(arguments: [false, true])
    func `a snapshot is of one state while others write and read`(isLayered: Bool) async throws {
        let memory = InMemoryStore()
        let store: any PropertyListStore = isLayered ? LayeredStore(registeringBelow: memory) : memory
        let defaults = Defaults(store)
        let numbers = (0..<4).map { Defaults.Key<Int>("number \($0)", default: 0) }
        let texts = (0..<4).map { Defaults.Key<String>("text \($0)", default: "0") }
        let total = 3_000
        let isTorn = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for number in 1...total {
                    var batch = PropertyListBatch()
                    for key in numbers { batch.set(.init(number), forKey: key.name) }
                    for key in texts { batch.set(.init("\(number)"), forKey: key.name) }
                    try memory.apply(batch)
                }
                return false
            }
            group.addTask {
                (0..<total).contains { _ in
                    let snapshot = defaults.snapshot()
                    let seen = Set(numbers.map { snapshot[$0] } + texts.map { Int(snapshot[$0]) ?? -1 })
                    return seen.count != 1
                }
            }
            group.addTask {
                // Fills the caches that the snapshots use.
                for _ in 0..<total {
                    for (number, text) in zip(numbers, texts) { _ = (defaults[number], defaults[text]) }
                }
                return false
            }
            return try await group.contains(true)
        }
        #expect(!isTorn)
    }

    /// A store that lets something else happen between two steps of a read, as other threads do.
    private final class InterruptedStore: PropertyListStore {
        let base = InMemoryStore(["number": 1, "text": "1", "other": 1])
        private let interruptions = Locked<
            (afterRevision: (@Sendable () -> Void)?, beforeValue: (@Sendable () -> Void)?)
        >((nil, nil))

        var name: String { base.name }

        /// Lets something happen after the next look at the revision of all keys.
        func interruptRevision(_ action: @escaping @Sendable () -> Void) {
            interruptions.withLock { $0.afterRevision = action }
        }

        /// Lets something happen before the next value is looked up.
        func interruptValue(_ action: @escaping @Sendable () -> Void) {
            interruptions.withLock { $0.beforeValue = action }
        }

        func revision(of stripe: KeyStripe) -> StoreRevision? {
            let revision = base.revision(of: stripe)
            guard stripe == .all else { return revision }
            interruptions.withLock { interruptions in
                defer { interruptions.afterRevision = nil }
                return interruptions.afterRevision
            }?()
            return revision
        }

        func storedValue(forKey key: String) -> StoredValue? {
            interruptions.withLock { interruptions in
                defer { interruptions.beforeValue = nil }
                return interruptions.beforeValue
            }?()
            return base.storedValue(forKey: key)
        }

        func snapshot() -> PropertyListTable { base.snapshot() }
        func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(batch) }
        func synchronize() { base.synchronize() }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation {
            base.observe(keys, initial: initial, receive)
        }
    }

    /// A plain read that another writer interrupts keeps the new value under the number before it.
    @Test(arguments: [false, true])
    func `a snapshot does not give a value that a read of the store finds later`(isStrict: Bool) throws {
        let (number, text) = (Defaults.Key<Int>("number", default: 0), Defaults.Key<String>("text", default: ""))
        func check<Value: Equatable & Sendable>(_ key: Defaults.Key<Value>, is first: Value, then new: Value) throws {
            let store = InterruptedStore()
            let defaults = Defaults(store)
            _ = defaults[key]
            var batch = PropertyListBatch(.set(2, key: "other"))
            batch.set(2, forKey: "number")
            batch.set("2", forKey: "text")
            try store.apply(PropertyListBatch(.set(3, key: "other")))
            try store.apply(PropertyListBatch(.remove(key: key.name)))
            try store.apply(PropertyListBatch(.set(key.name == "number" ? 1 : "1", key: key.name)))
            let snapshot = defaults.snapshot()
            store.interruptRevision { [batch] in
                store.interruptValue { #expect(throws: Never.self) { try store.base.apply(batch) } }
                #expect(defaults[key] == new)
            }
            #expect(try isStrict ? snapshot.value(for: key) == first : snapshot[key] == first)
            #expect(snapshot[key] == first && defaults[key] == new)
        }
        try check(number, is: 1, then: 2)
        try check(text, is: "1", then: "2")
    }
}
