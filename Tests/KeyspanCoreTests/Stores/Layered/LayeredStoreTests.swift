@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy) struct LayeredStoreTests {
    private let top = InMemoryStore(["a": 1], name: "top")
    private let middle = InMemoryStore(["a": 2, "b": 2], name: "middle")
    private let bottom = InMemoryStore(["a": 3, "b": 3, "c": 3], name: "bottom")

    private func store(writing writable: String?) -> LayeredStore {
        LayeredStore([top, middle, bottom].map { .init($0.name, $0, isWritable: $0.name == writable) })
    }

    @Test(arguments: LayerArrangement.ofLevel, StoreConformance.all + StoreConformance.depth)
    func `a layered store keeps the promises of a store`(
        _ arrangement: LayerArrangement,
        _ check: StoreConformance
    ) async throws {
        try await check.verify(scale: .ofLevel, makeStore: { arrangement.makeStore() }, patience: .seconds(60))
    }

    @Test(arguments: [(0, 0), (0, 3), (3, 0), (2, 100), (100, 2), (50, 50)])
    func `a snapshot has what reads find, whichever layer is larger`(_ upper: Int, _ lower: Int) {
        let numbers = { (count: Int, value: PropertyListValue) in
            PropertyListTable(Dictionary(uniqueKeysWithValues: (0..<count).map { ("key \($0)", value) }))
        }
        let store = LayeredStore([
            .init("upper", InMemoryStore(numbers(upper, "upper"))),
            .init("lower", InMemoryStore(numbers(lower, "lower"))),
        ])
        let snapshot = store.snapshot()
        #expect(snapshot.count == max(upper, lower))
        for index in 0..<max(upper, lower) {
            #expect(snapshot["key \(index)"] == (index < upper ? "upper" : "lower"))
        }
    }

    @Test func `a write goes to the first writable layer and no other`() throws {
        let store = LayeredStore([
            .init("top", top), .init("middle", middle, isWritable: true), .init("bottom", bottom, isWritable: true),
        ])
        var batch = PropertyListBatch()
        batch.set(9, forKey: "a")
        batch.remove("b")
        batch.remove("c")
        try store.apply(batch)
        #expect(middle.snapshot() == ["a": 9])
        #expect(top.snapshot() == ["a": 1])
        #expect(bottom.snapshot() == ["a": 3, "b": 3, "c": 3])
        #expect(store.snapshot() == ["a": 1, "b": 3, "c": 3])
    }

    @Test func `removing all removes what is in the writable layer`() throws {
        let store = store(writing: "middle")
        var batch = PropertyListBatch()
        batch.removeAll()
        try store.apply(batch)
        #expect(middle.snapshot().isEmpty)
        #expect(store.snapshot() == ["a": 1, "b": 3, "c": 3])
    }

    @Test(arguments: [PropertyListBatch.Operation.set(1, key: "k"), .remove(key: "k"), .removeAll])
    func `without a writable layer every write is refused`(_ operation: PropertyListBatch.Operation) {
        let store = store(writing: nil)
        let before = store.revision
        let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(operation)) }
        #expect(error?.code == .readOnly)
        #expect(error?.store == store.name)
        #expect(error?.key == (operation == .removeAll ? nil : "k"))
        #expect(store.revision == before)
        #expect(store.snapshot() == ["a": 1, "b": 2, "c": 3])
    }

    /// The key, what is expected of it, and whether that holds in the layers above.
    @Test(
        arguments: [
            ("a", 1, true), ("a", 2, false), ("a", 3, false), ("a", nil, false),
            ("b", 2, true), ("b", 3, false), ("b", nil, false),
            ("c", 3, true), ("c", nil, false), ("d", nil, true), ("d", 1, false),
        ] as [(String, PropertyListValue?, Bool)]
    )
    func `a batch expects what readers see`(_ key: String, _ value: PropertyListValue?, _ holds: Bool) throws {
        let store = store(writing: "middle")
        var batch = PropertyListBatch()
        batch.expect(value, forKey: key)
        batch.set("written", forKey: key)
        if holds {
            try store.apply(batch)
            #expect(middle.value(forKey: key) == "written")
        } else {
            let error = #expect(throws: StoreError.self) { try store.apply(batch) }
            #expect(error?.code == .conflict)
            #expect(error?.key == key)
            #expect(middle.snapshot() == ["a": 2, "b": 2])
        }
    }

    @Test func `the revision differs whenever a value of any layer does`() throws {
        let store = store(writing: "top")
        var seen: Set<StoreRevision> = [try #require(store.revision)]
        for layer in [top, middle, bottom, top] {
            try layer.apply(PropertyListBatch(.set(.init(seen.count), key: "new \(seen.count)")))
            #expect(seen.insert(try #require(store.revision)).inserted)
        }
        #expect(LayeredStore([]).revision != LayeredStore([]).revision)
        #expect(LayeredStore([.init("plain", unnumberedStore())]).revision == nil)
    }

    @Test func `a store without layers is empty and cannot be written`() async throws {
        let store = LayeredStore([])
        #expect(store.value(forKey: "a") == nil)
        #expect(!store.holdsText(forKey: "a"))
        #expect(store.snapshot().isEmpty)
        #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.set(1, key: "a"))) }
        try await store.synchronize()
        let changes = Recorder<PropertyListChange>()
        _ = store.observe(.named(["a"]), initial: true, changes.record)
        #expect(changes.values.map(\.isInitial) == [true])
        #expect(changes.last?["a"] == .init(key: "a", old: nil, new: nil))
    }

    @Test func `every layer is synchronized, and the first error is thrown`() throws {
        let layers = (0..<3).map { ScriptedStore(name: "layer \($0)") }
        let store = LayeredStore(layers.map { .init($0.name, $0) })
        try store.synchronize()
        #expect(layers.map { $0.count(of: .synchronize) } == [1, 1, 1])
        for layer in layers.prefix(2) {
            layer.failSynchronize(with: StoreError(.notDurable, store: layer.name, reason: "no", remedy: "none"))
        }
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.store == "layer 0")
        #expect(layers.map { $0.count(of: .synchronize) } == [1, 1, 2])
    }
}
