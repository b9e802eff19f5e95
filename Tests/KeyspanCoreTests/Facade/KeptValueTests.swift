import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Checks that a value its key cannot read is still there after something else was written in its place.
@Suite struct KeptValueTests {
    private let store = InMemoryStore(["account": "{\"name\":1}", "list": [1, "two"]], name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let account = Defaults.Key<User?>("account")
    private let list = Defaults.Key<[Int]>("list", default: [])
    private let window = Defaults.Key<Window?>("window")

    /// The ways in which a value can go.
    struct Replacement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replace: @Sendable (Defaults, Defaults.Key<User?>) throws -> Void
    }

    static let replacements = [
        Replacement(testDescription: "subscript") { $0[$1] = User(name: "Ada", age: 36) },
        Replacement(testDescription: "removal") { $0[$1] = nil },
        Replacement(testDescription: "strict write") { try $0.set(User(name: "Ada", age: 36), for: $1) },
        Replacement(testDescription: "batch") { defaults, key in defaults.update { $0[key] = User(name: "", age: 1) } },
        Replacement(testDescription: "reset") { $0.reset($1) },
        Replacement(testDescription: "reset in a batch") { defaults, key in defaults.update { $0.reset(key) } },
        Replacement(testDescription: "initialising") { _ = $0[$1, initialisingWith: User(name: "Eve", age: 2)] },
        Replacement(testDescription: "reset of a throwing key") { $0.reset($1.throwing()) },
    ]

    @Test(arguments: replacements)
    func `an unreadable value is kept, whatever takes its place`(_ replacement: Replacement) throws {
        _ = try reportedProblems { try replacement.replace(defaults, account) }
        #expect(store.value(forKey: "account") != "{\"name\":1}")
        let kept = try #require(defaults.keptValues().first)
        #expect(kept.key == "account")
        #expect(kept.value == "{\"name\":1}")
        #expect(defaults.keptValues(for: account) == [kept])
        #expect(defaults.keptValues(for: list).isEmpty)
    }

    @Test func `it is written in the batch that replaces it`() {
        #expect(recordedChanges(of: store) { defaults[account] = nil } == [["account", "keyspan.kept"]])
    }

    @Test func `a list of which an element was left out is kept whole`() {
        _ = reportedProblems { defaults[list].append(3) }
        #expect(defaults[list] == [1, 3])
        #expect(defaults.keptValues(for: list).map(\.value) == [[1, "two"]])
        defaults[list].append(4)
        #expect(defaults.keptValues(for: list).count == 1)
    }

    @Test func `what the library has of its own is restored into no store`() throws {
        let store = InMemoryStore(["keyspan.kept": "mine", "n": "bad"])
        let defaults = Defaults(store)
        _ = reportedProblems { defaults[Defaults.Key<Int>("n", default: 0)] = 1 }
        let before = store.snapshot()
        let foreign = try #require(defaults.keptValues().first { $0.key == "keyspan.kept" })
        let error = #expect(throws: StoreError.self) { try defaults.restore(foreign) }
        #expect(error?.code == .unknownEntries)
        #expect(store.snapshot() == before)
    }

    @Test func `readable values are not kept`() {
        let number = Defaults.Key<Int>("number", default: 0)
        let name = Defaults.Key<String>("name", default: "")
        for round in 0..<3 {
            defaults[number] = round
            defaults[name] = "\(round)"
            defaults.update { $0[account] = User(name: "\(round)", age: round) }
            if round == 0 { _ = defaults.keptValues().first.map { try? defaults.discard($0) } }
        }
        defaults.reset(number, name, account)
        #expect(defaults.keptValues().isEmpty)
        #expect(store.value(forKey: "keyspan.kept") == nil)
    }

    @Test func `restoring puts it back and keeps what was there instead`() throws {
        defaults[account] = User(name: "Ada", age: 36)
        let replaced = try #require(store.value(forKey: "account"))
        let kept = try #require(defaults.keptValues().first)
        try defaults.restore(kept)
        #expect(store.value(forKey: "account") == "{\"name\":1}")
        let other = try #require(defaults.keptValues().first)
        #expect(other.value == replaced)
        try defaults.restore(other)
        #expect(defaults[account] == User(name: "Ada", age: 36))
        try defaults.discard(try #require(defaults.keptValues().first))
        #expect(store.value(forKey: "keyspan.kept") == nil)
    }

    @Test func `what a restored value replaces is of the time of restoring`() throws {
        let kept: PropertyListValue = ["account": [["date": .date(.distantPast), "entries": ["account": 2]]]]
        try store.apply(PropertyListBatch(.set(kept, key: "keyspan.kept")))
        try defaults.restore(try #require(defaults.keptValues().first))
        #expect(try #require(defaults.keptValues().first).date > .distantPast)
    }

    @Test func `the last eight of a key are kept, and none twice in succession`() throws {
        for round in 0..<20 {
            for _ in 0..<2 {
                try store.apply(PropertyListBatch(.set(.integer(.init(round)), key: "account")))
                defaults[account] = nil
            }
        }
        #expect(defaults.keptValues(for: account).map(\.value) == (12..<20).map { .integer(.init($0)) })
    }

    @Test func `a value of which only some entries were there is restored without the others`() throws {
        try store.apply(PropertyListBatch(.set("wide", key: "window.width")))
        defaults[window] = Window(width: 1, height: 2)
        let kept = try #require(defaults.keptValues(for: window).first)
        #expect(kept.entries == ["window.width": "wide"] && kept.value == nil)
        try defaults.restore(kept)
        #expect(store.value(forKey: "window.width") == "wide" && store.value(forKey: "window.height") == nil)
        try defaults.restore(try #require(defaults.keptValues(for: window).first))
        #expect(defaults[window] == Window(width: 1, height: 2))
        try defaults.restore(try #require(defaults.keptValues(for: window).first))
        #expect(store.value(forKey: "window.width") == "wide" && store.value(forKey: "window.height") == nil)
    }

    @Test(.seeded) func `restoring brings back a value that was, and never parts of two`() throws {
        let names = ["window.width", "window.height"]
        for seed in SeededGenerator.seeds(50) {
            var generator = SeededGenerator(seed: seed)
            let store = InMemoryStore()
            let defaults = Defaults(store)
            var past: Set<[PropertyListValue?]> = []
            for number in 0..<60 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: defaults[window] = Window(width: Double(number), height: Double(number))
                case 1:
                    var batch = PropertyListBatch()
                    for name in names {
                        let value: PropertyListValue? = Bool.random(using: &generator) ? .string("\(number)") : nil
                        batch.set(value, forKey: name)
                    }
                    try store.apply(batch)
                case 2: defaults.reset(window)
                default:
                    guard let kept = defaults.keptValues(for: window).randomElement(using: &generator) else { continue }
                    try defaults.restore(kept)
                    let present = names.map { store.value(forKey: $0) }
                    try #require(past.contains(present), "seed \(seed): \(present) never was")
                }
                past.insert(names.map { store.value(forKey: $0) })
            }
        }
    }

    /// The form in which an earlier version stored a value with one entry: nothing says whether there were others.
    private static let earlier: PropertyListValue = [
        "window": [["date": .date(.distantPast), "entries": ["window.width": "wide"]]]
    ]

    @Test func `what an earlier version kept of several entries is restored by the key, and else refused`() throws {
        try store.apply(PropertyListBatch(.set(Self.earlier, key: "keyspan.kept")))
        defaults[window] = Window(width: 1, height: 2)
        let kept = try #require(defaults.keptValues(for: window).first)
        #expect(kept.absentEntries == nil)
        let table = store.snapshot()
        let error = try #require(throws: StoreError.self) { try defaults.restore(kept) }
        #expect(error.code == .unknownEntries && error.key == "window" && error.description.contains("restore(_:for:)"))
        #expect(throws: StoreError.self) { try defaults.restore(kept, for: account) }
        #expect(store.snapshot() == table)
        try defaults.restore(kept, for: window)
        #expect(store.value(forKey: "window.width") == "wide" && store.value(forKey: "window.height") == nil)
        let replaced = try #require(defaults.keptValues(for: window).first)
        #expect(replaced.entries == ["window.width": 1.0, "window.height": 2.0] && replaced.absentEntries == [])
        try defaults.restore(replaced)
        #expect(defaults[window] == Window(width: 1, height: 2))
    }

    @Test func `what says nothing of other entries is what an earlier version understands`() throws {
        defaults[account] = nil
        let list = try #require(store.value(forKey: "keyspan.kept")?["account"])
        #expect(list[0]?.dictionaryValue?.sortedKeys == ["date", "entries"])
        try store.apply(PropertyListBatch(.set("wide", key: "window.width")))
        defaults[window] = nil
        #expect(store.value(forKey: "keyspan.kept")?["window"]?[0]?["absent"] == ["window.height"])
    }

    @Test func `something else under the reserved name is kept as well`() throws {
        try store.apply(PropertyListBatch(.set("mine", key: "keyspan.kept")))
        defaults[account] = nil
        #expect(defaults.keptValues().map(\.entries) == [["account": "{\"name\":1}"], ["keyspan.kept": "mine"]])
    }

    private static let deep = (1..<PropertyListValue.maximumNesting).reduce(PropertyListValue.array(["end"])) {
        value,
        level in
        level.isMultiple(of: 2) ? [value, 1] : ["inner": value]
    }

    @Test func `something else among the kept values stays, whatever its nesting`() throws {
        // The reserved entry is around this one.
        let foreign: PropertyListValue = ["inner": try #require(Self.deep["inner"]?[0])]
        try store.apply(PropertyListBatch(.set(["account": foreign, "other": 7], key: "keyspan.kept")))
        defaults[account] = nil
        #expect(defaults.keptValues(for: account).map(\.value) == [foreign, "{\"name\":1}"])
        #expect(store.value(forKey: "keyspan.kept")?["other"] == 7)
    }

    @Test func `a value of the deepest nesting is kept in a flat list, and others as they are`() throws {
        try store.apply(PropertyListBatch(.set(Self.deep, key: "account")))
        defaults[account] = nil
        #expect(defaults.keptValues(for: account).map(\.value) == [Self.deep])
        let list = try #require(store.value(forKey: "keyspan.kept")?["account"]?[0]?["entries"]?.arrayValue)
        #expect(list.prefix(3) == [["dictionary", "account"], ["dictionary", "inner"], ["array", 2]])
        #expect(list.contains("end"))
        try store.apply(PropertyListBatch(.set([[1]], key: "account")))
        defaults[account] = nil
        #expect(store.value(forKey: "keyspan.kept")?["account"]?[1]?["entries"] == ["account": [[1]]])
    }

    static let damagedLists: [[PropertyListValue]] = [
        [], [1], [["array", 0]], [["dictionary", "account"]], [["dictionary", "account"], 1, 2],
        [["dictionary", 1], 1],
        [["dictionary", "account"], ["array"], 1], [["dictionary", "account"], ["array", -1]],
        [["dictionary", "account"], ["array", 2], 1],
        [["dictionary", "account"], ["array", .integer(.init(UInt64.max))]],
        [["dictionary", "account"], ["array", "2"], 1, 2], [["dictionary", "account"], ["set", 1], 1],
        [["dictionary", "account"], ["array": 1], 1], [["dictionary", "account"], []],
        [["dictionary", "account"]] + Array(repeating: ["array", 1], count: 100_000) + [1],
    ]

    @Test(arguments: damagedLists.indices)
    func `a damaged list is not a kept value, and stays`(index: Int) throws {
        let damaged: PropertyListValue = ["date": .date(.distantPast), "entries": .array(Self.damagedLists[index])]
        try store.apply(PropertyListBatch(.set(["account": [damaged]], key: "keyspan.kept")))
        #expect(defaults.keptValues().isEmpty)
        defaults[account] = nil
        #expect(defaults.keptValues().map(\.value) == ["{\"name\":1}"])
        #expect(store.value(forKey: "keyspan.kept")?["account"]?[0] == damaged)
    }

    @Test func `a failing store is reported, and nothing is changed`() throws {
        let scripted = ScriptedStore(["account": 1])
        scripted.failWrites(with: .sealed)
        let defaults = Defaults(scripted)
        #expect(throws: Defaults.WriteError.self) { try defaults.set(nil, for: account) }
        #expect(reportedProblems { defaults.reset(account) }.count == 1)
        #expect(scripted.value(forKey: "account") == 1)
        #expect(throws: StoreError.self) {
            scripted.failWrites(with: nil)
            defaults[account] = nil
            let kept = try #require(defaults.keptValues().first)
            scripted.failWrites(with: .sealed)
            try defaults.restore(kept)
        }
    }
}
