@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Checks that a write concerns the readers of its own key, and none of others.
@Suite struct KeyStripeTests {
    /// The number of lookups that a body makes in a store.
    private static func lookups(in store: ScriptedStore, during body: () throws -> Void) rethrows -> Int {
        let before = store.count(of: .read)
        try body()
        return store.count(of: .read) - before
    }

    /// Names that are, or are not, in the stripe of a key.
    static func names(_ count: Int, inStripeOf key: String, _ isIn: Bool = true) -> [String] {
        Array(
            (0...).lazy.map { "other \($0)" }.filter { (KeyStripe(of: $0) == KeyStripe(of: key)) == isIn }.prefix(count)
        )
    }

    @Test func `the stripe of a key depends on its text alone, and all stripes are used evenly`() {
        var counts: [KeyStripe: Int] = [:]
        for number in 0..<24_800 {
            let key = "com.example.settings.window.\(number)"
            counts[KeyStripe(of: key), default: 0] += 1
            guard KeyStripe(of: key) != KeyStripe(of: String(decoding: Array(key.utf8), as: UTF8.self)) else {
                continue
            }
            Issue.record("\(key) is in two stripes")
        }
        #expect(counts.count == 248)
        #expect(counts.values.allSatisfy { (50...150).contains($0) })
        #expect(counts[.all] == nil)
        let short = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { String(UnicodeScalar($0)) }
        #expect(Set(short.map { KeyStripe(of: $0) }).count > 18)
    }

    @Test(arguments: [false, true])
    func `a write to another key costs a reader no lookup`(isLayered: Bool) throws {
        let counting = ScriptedStore(["key": "1"])
        let layers: [LayeredStore.Layer] = [
            .init("above", InMemoryStore()), .init("values", counting, isWritable: true),
        ]
        let store: any PropertyListStore = isLayered ? LayeredStore(layers) : counting
        let defaults = Defaults(store)
        let text = Defaults.Key<String>("key", default: "")
        let number = Defaults.Key<Int>.integer(coercing: "key")
        let absent = Defaults.Key<Int>(Self.names(1, inStripeOf: "key")[0], default: 7)
        func read() throws {
            #expect(defaults[text] == "1")
            #expect(defaults[number] == 1)
            #expect(defaults[absent] == 7)
            #expect(try defaults.value(for: text) == "1")
            #expect(try defaults.storedValue(for: number) == 1)
            #expect(try defaults.value(for: absent) == 7)
            #expect(try defaults.storedValue(for: absent) == nil)
            #expect(try defaults[number.throwing()] == 1)
        }
        func lookups() throws -> Int { try Self.lookups(in: counting, during: read) }
        // A throwing key made in place has a cache of its own, which is empty.
        #expect(try lookups() > 1)
        for name in Self.names(300, inStripeOf: "key", false) {
            try store.apply(PropertyListBatch(.set(1, key: name)))
        }
        #expect(try lookups() == 1)
        let sibling = Self.names(2, inStripeOf: "key")[1]
        try store.apply(PropertyListBatch(.set(1, key: sibling)))
        #expect(try lookups() > 1)
        try store.apply(PropertyListBatch(.set("2", key: "key")))
        #expect(defaults[text] == "2")
        #expect(defaults[number] == 2)
        #expect(try defaults.storedValue(for: number) == 2)
    }

    @Test func `a strict read finds what a plain read has cached, unless that was no value`() throws {
        let store = ScriptedStore(["good": 1, "bad": "one", "list": [1, 2], "mixed": [1, "two"]])
        let defaults = Defaults(store)
        let (good, bad) = (Defaults.Key<Int>("good", default: 7), Defaults.Key<Int>("bad", default: 7))
        let list = Defaults.Key<[Int]>("list", default: [])
        let mixed = Defaults.Key<[Int]>("mixed", default: [])
        let problems = reportedProblems {
            #expect((defaults[good], defaults[bad]) == (1, 7))
            #expect((defaults[list], defaults[mixed]) == ([1, 2], [1]))
        }
        func readStrictly() throws {
            #expect(try defaults.value(for: good) == 1)
            #expect(try defaults.value(for: list) == [1, 2])
        }
        #expect(try Self.lookups(in: store, during: readStrictly) == 0)
        for _ in 0..<2 {
            #expect(throws: Defaults.ReadError.self) { try defaults.value(for: bad) }
            #expect(throws: Defaults.ReadError.self) { try defaults.value(for: mixed) }
        }
        // A strict read that succeeds serves plain ones.
        try store.apply(PropertyListBatch(.set(2, key: "good")))
        #expect(try defaults.value(for: good) == 2)
        #expect(problems.count == 2)
        #expect(Self.lookups(in: store) { _ = defaults[good] } == 0)
    }

    @Test func `a key of several entries notices a change of each`() throws {
        let key = Defaults.Key<Int>("sum", default: 0, bridge: SumBridge())
        let store = InMemoryStore(["sum.0": "1"])
        let defaults = Defaults(store)
        #expect(defaults[key] == 1)
        for part in 1..<20 {
            try store.apply(PropertyListBatch(.set("1", key: "sum.\(part)")))
            #expect(defaults[key] == part + 1)
        }
    }

    /// Reads the sum of twenty entries.
    struct SumBridge: Defaults.DirectBridge {
        func entries(of key: String) -> [String] { (0..<20).map { "\(key).\($0)" } }

        func get(key: String, store: PropertyListTable) throws(ValueDecodingError) -> Int? {
            entries(of: key).compactMap { store[$0]?.stringValue.flatMap { Int($0) } }.reduce(0, +)
        }

        func save(key: String, value: Int?, store: inout PropertyListEdit) throws(ValueEncodingError) {
            store["\(key).0"] = value.map { .string("\($0)") }
        }
    }

    @Test func `a store with one number for all keys is read correctly`() throws {
        let store = ScriptedStore(over: InMemoryStore(), revisions: .shared)
        let defaults = Defaults(store)
        let keys = (0..<20).map { Defaults.Key<Int>("key \($0)", default: 0) }
        for round in 1...5 {
            for (number, key) in keys.enumerated() {
                defaults[key] = round * number
                #expect(keys[...number].map { defaults[$0] } == (0...number).map { $0 * round })
            }
            let snapshot = defaults.snapshot()
            #expect(keys.map { snapshot[$0] } == keys.indices.map { $0 * round })
            defaults[keys[1]] = -1
            #expect(snapshot[keys[1]] == round)
        }
    }
}
