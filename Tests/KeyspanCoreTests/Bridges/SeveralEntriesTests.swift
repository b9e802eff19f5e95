import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Any two stored values, either of which may be absent, but not both.
struct Annotated: Hashable, Sendable, Defaults.Serializable {
    var main: PropertyListValue?
    var note: PropertyListValue?

    /// Stores one value under the key's own name, so that its content can be mistaken for something else.
    struct Bridge: Defaults.DirectBridge {
        func entries(of key: String) -> [String] { [key, key + ".note"] }

        func get(key: String, store: PropertyListTable) -> Annotated? {
            Annotated(main: store[key], note: store[key + ".note"])
        }

        func save(key: String, value: Annotated?, store: inout PropertyListEdit) {
            store[key] = value?.main
            store[key + ".note"] = value?.note
        }
    }

    static let bridge = Bridge()
}

/// Checks that the entries of a direct bridge are never mistaken for one another, whatever is in them.
@Suite struct SeveralEntriesTests {
    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let key = Defaults.Key<Annotated?>("pair")

    private static let contents: [PropertyListValue?] = [
        nil, 1, "text", "{ \"pair.note\" = 2; }", [], [:], ["pair": 1], ["pair.note": 2], ["pair": 1, "pair.note": 2],
        ["pair": ["pair": 1, "pair.note": 2]], ["pair": ["pair.note": 2], "pair.note": ["pair": 1]], ["": 0],
    ]

    private static let pairs = contents.flatMap { main in contents.map { Annotated(main: main, note: $0) } }
        .filter { $0 != Annotated() }

    @Test(arguments: pairs)
    func `what was written is read, in each way`(_ pair: Annotated) throws {
        try defaults.set(pair, for: key)
        #expect(defaults[key] == pair)
        #expect(try defaults.value(for: key) == pair)
        #expect(try defaults[key.throwing()] == pair)
        #expect(defaults.snapshot()[key] == pair)
        #expect(try defaults.commit { try $0.value(for: key) } == pair)
        #expect(try defaults.commit(key) { $0 } == pair)
        #expect(throws: Never.self) { try defaults.validate([key]) }
        defaults.reset(key)
        #expect(store.snapshot().isEmpty, "the value was taken for an unreadable one")
    }

    @Test(.seeded) func `observers see each value that follows another one`() {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let pairs = Self.pairs.shuffled(using: &generator)
        let heard = Recorder<[Annotated?]>()
        let observation = defaults.observe(key, options: []) { heard.record([$0.oldValue, $0.newValue]) }
        for pair in pairs { defaults[key] = pair }
        let olds: [Annotated?] = [nil] + pairs.dropLast()
        let expected: [[Annotated?]] = zip(olds, pairs).map { [$0, $1] }
        #expect(heard.values == expected)
        observation.invalidate()
    }

    @Test func `another value with the same parts is a conflict`() throws {
        let (lone, divided) = (Annotated(main: ["pair": 1, "pair.note": 2]), Annotated(main: 1, note: 2))
        defaults[key] = lone
        var seen: [Annotated?] = []
        defaults.modify(key) { pair in
            seen.append(pair)
            if seen.count == 1 { defaults[key] = divided }
            pair?.note = 3
        }
        #expect(seen == [lone, divided])
        #expect(defaults[key] == Annotated(main: 1, note: 3))
        let reports = reportedProblems {
            defaults[key] = lone
            _ = { (pair: inout Annotated?) in
                defaults[key] = divided
                pair?.note = 4
            }(&defaults[key])
        }
        #expect(reports.count == 1)
    }

    @Test func `a migration reads what was written`() throws {
        let lone = Annotated(main: ["pair": 1, "pair.note": 2])
        defaults[key] = lone
        let name = Defaults.Key<[Int]>("parts", default: [])
        let plan = Defaults.MigrationPlan(
            "plan",
            Defaults.Migration(to: 1, .transform(name, from: key) { $0.map { [$0.main == lone.main ? 1 : 0] } ?? [] })
        )
        try defaults.migrate(plan)
        #expect(defaults[name] == [1])
    }

    /// A direct bridge that accepts a dictionary under the key's own name only.
    private struct NamesBridge: Defaults.DirectBridge {
        let names: [String]

        func entries(of key: String) -> [String] { [key] + names }

        func get(key: String, store: PropertyListTable) -> PropertyListDictionary? { store[key]?.dictionaryValue }

        func save(key: String, value: PropertyListDictionary?, store: inout PropertyListEdit) {
            store[key] = value.map { .dictionary($0) }
        }
    }

    @Test(arguments: [[], ["names.other"]])
    func `a text that is written as a collection is the value of its own entry`(_ names: [String]) {
        let key = Defaults.Key<PropertyListDictionary?>("names", bridge: NamesBridge(names: names))
        let arguments = LaunchArguments(["program", "-names", "{ names = { a = b; }; }"])
        let defaults = Defaults(LaunchArgumentsStore(arguments))
        #expect(defaults[key] == ["names": ["a": "b"]])
    }

    @Test func `a text that is written as a collection is one in any entry, if someone typed it`() {
        let key = Defaults.Key<Annotated?>("pair", bridge: ParsedBridge())
        let arguments = LaunchArguments(["program", "-pair.note", "{ a = b; }"])
        let file = InMemoryStore(["pair": "{ c = d; }"])
        let store = LayeredStore([
            .init("arguments", LaunchArgumentsStore(arguments)), .init("file", file),
        ])
        #expect(Defaults(store)[key] == Annotated(main: "{ c = d; }", note: ["a": "b"]))
        #expect(Defaults(store).snapshot()[key] == Annotated(main: "{ c = d; }", note: ["a": "b"]))
    }

    /// A direct bridge whose second entry is a dictionary.
    private struct ParsedBridge: Defaults.DirectBridge {
        func entries(of key: String) -> [String] { Annotated.bridge.entries(of: key) }

        func get(key: String, store: PropertyListTable) -> Annotated? {
            store[key + ".note"]?.dictionaryValue == nil ? nil : Annotated.bridge.get(key: key, store: store)
        }

        func save(key: String, value: Annotated?, store: inout PropertyListEdit) {
            Annotated.bridge.save(key: key, value: value, store: &store)
        }
    }

    @Test(arguments: [([], "found the integer 5"), (["names.other"], "found a dictionary of 1 member")])
    func `an error shows what was found`(_ names: [String], _ found: String) throws {
        let key = Defaults.Key<PropertyListDictionary?>("names", bridge: NamesBridge(names: names))
        store.set(5, forKey: "names")
        let error = try #require(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error.description.contains(found), "\(error)")
    }
}
