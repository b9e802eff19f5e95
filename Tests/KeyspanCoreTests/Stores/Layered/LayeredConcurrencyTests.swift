@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The values that readers and observers see while layers change.
@Suite struct LayeredConcurrencyTests {
    private static let rounds = 2_000
    private static let merged: PropertyListValue = ["high": 1, "low": 1, "moved": 1]

    private func layers(
        _ upper: any PropertyListStore,
        _ lower: any PropertyListStore,
        _ dictionaries: LayeredStore.Dictionaries = .whole
    ) -> LayeredStore {
        LayeredStore([.init("upper", upper, isWritable: true), .init("lower", lower)], dictionaries: dictionaries)
    }

    @Test(arguments: [ObservedKeys.all, .named(["key", "other"])], [LayeredStore.Dictionaries.whole, .merged])
    func `with writers on two layers, each change begins where the last one ended, and the last is the final state`(
        _ keys: ObservedKeys,
        _ dictionaries: LayeredStore.Dictionaries
    ) async throws {
        let stores = [("upper", InMemoryStore()), ("lower", InMemoryStore())]
        let store = layers(stores[0].1, stores[1].1, dictionaries)
        let heard = Recorder<PropertyListChange.Entry>()
        let observation = store.observe(keys, initial: false) { change in change["key"].map(heard.record) }
        defer { observation.cancel() }
        try await withThrowingTaskGroup { group in
            for (name, layer) in stores {
                group.addTask {
                    for number in 0..<Self.rounds {
                        let value: PropertyListValue = [name: .init(number), "common": .init(number / 2)]
                        try layer.apply(
                            PropertyListBatch(number % 5 == 4 ? .remove(key: "key") : .set(value, key: "key"))
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        // A change that another thread was delivering when the writers ended may come a little later.
        try await eventually("the last change is the final state", heard.last?.new, is: store.value(forKey: "key"))
        let entries = heard.values
        #expect(entries.first?.old == nil)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.new == $1.old })
        #expect(entries.allSatisfy { $0.old != $0.new })
    }

    /// While a reader is between the layers, the value moves from the lower one to the upper one.
    @Test(arguments: [false, true])
    func `no reader misses a value that moves between layers`(bySnapshot: Bool) {
        let (upper, lower) = (ScriptedStore(), InMemoryStore(["key": 1]))
        let store = layers(upper, lower)
        upper.interruptNextCall { [base = upper.base] in
            base.set(1, forKey: "key")
            lower.removeObject(forKey: "key")
        }
        #expect((bySnapshot ? store.snapshot()["key"] : store.value(forKey: "key")) == 1)
        #expect(lower.snapshot().isEmpty)
    }

    @Test(arguments: [false, true])
    func `no reader misses a member that moves between layers`(bySnapshot: Bool) {
        let (upper, lower) = (ScriptedStore(["key": ["high": 1]]), InMemoryStore(["key": ["moved": 1, "low": 1]]))
        let store = layers(upper, lower, .merged)
        upper.interruptNextCall { [base = upper.base] in
            base.set(["high": 1, "moved": 1], forKey: "key")
            lower.set(["low": 1], forKey: "key")
        }
        #expect((bySnapshot ? store.snapshot()["key"] : store.value(forKey: "key")) == Self.merged)
        #expect(lower.value(forKey: "key") == ["low": 1])
    }

    @Test func `a read value was the value at some instant`() {
        let (upper, lower) = (ScriptedStore(), InMemoryStore(["key": "first"]))
        let store = layers(upper, lower)
        upper.interruptNextCall { [base = upper.base] in
            base.set("hides it", forKey: "key")
            lower.set("second", forKey: "key")
        }
        #expect(store.value(forKey: "key") == "hides it")
    }

    @Test func `a batch that expects no value notices one that comes just before it is applied`() {
        let upper = ScriptedStore()
        let store = layers(upper, InMemoryStore(["key": "registered"]))
        var batch = PropertyListBatch(.set("ours", key: "key"))
        batch.expect("registered", forKey: "key")
        upper.interruptNextCall { [base = upper.base] in base.set("theirs", forKey: "key") }
        let error = #expect(throws: StoreError.self) { try store.apply(batch) }
        #expect(error?.code == .conflict)
        #expect(store.value(forKey: "key") == "theirs")
    }

    @Test(arguments: [true, false])
    func `a change made during a registration arrives after the present values`(_ initial: Bool) {
        let (upper, lower) = (InMemoryStore(["a": 1]), ScriptedStore(["b": 1]))
        let store = layers(upper, lower)
        let heard = Recorder<PropertyListChange>()
        lower.interruptNextCall {
            upper.set(2, forKey: "b")
            upper.set(2, forKey: "a")
        }
        let observation = store.observe(.all, initial: initial, heard.record)
        defer { observation.cancel() }
        var changes = heard.values
        #expect(changes.map(\.isInitial) == (initial ? [true, false, false] : [false, false]))
        if initial {
            #expect(Set(changes.removeFirst().entries.map(\.new)) == [1])
        }
        #expect(changes.map(\.entries) == [[.init(key: "b", old: 1, new: 2)], [.init(key: "a", old: 1, new: 2)]])
    }

    @Test func `a key's cache never goes back to an older value of a layer`() async throws {
        let (upper, lower) = (InMemoryStore(), InMemoryStore())
        let store = layers(upper, lower)
        let key = Defaults.Key<Int>("number", default: 0)
        let ends = Recorder<Void>()
        let wentBack = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                defer { ends.record(()) }
                for number in 1...Self.rounds {
                    try upper.apply(PropertyListBatch(.set(.init(number), key: "unrelated")))
                    try lower.apply(PropertyListBatch(.set(.init(number), key: "number")))
                }
                return false
            }
            for _ in 0..<2 {
                group.addTask {
                    var last = 0
                    while ends.count == 0 {
                        let number = Defaults(store)[key]
                        if number < last { return true }
                        last = number
                    }
                    return Defaults(store)[key] != Self.rounds
                }
            }
            return try await group.contains(true)
        }
        #expect(!wentBack)
    }

    @Test func `increments of many threads are all counted, in a member of a merged dictionary`() async throws {
        let defaults = Defaults(
            LayeredStore(
                [
                    .init("upper", InMemoryStore(["counts": ["fixed": 1]])),
                    .init("lower", InMemoryStore(), isWritable: true),
                ],
                dictionaries: .merged
            )
        )
        let counts = Defaults.Key<[String: Int]>("counts", default: [:])
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        try defaults.commit { batch in batch[counts]["own", default: 0] += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(defaults[counts] == ["fixed": 1, "own": 1_000])
    }
}
