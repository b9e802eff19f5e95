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

    @Test(arguments: [0, 0.25])
    func `each of a key has a time of its own, in whole seconds as well`(fraction: Double) {
        var kept = KeptValues(nil)
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000 + fraction)
        for number in 0..<20 { kept.append(["n": PropertyListValue(number)], ofKey: "n", at: date) }
        // By a clock that was set back.
        kept.append(["n": "last"], ofKey: "n", at: date - 3600)
        let times = kept.all.map {
            ($0.date.timeIntervalSinceReferenceDate * (fraction == 0 ? 1 : 1000)).rounded(.down)
        }
        #expect(Set(times).count == 8 && times.dropLast() == times.dropLast().sorted())
        #expect(kept.all.last?.date == date - 3600)
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
        #expect(error?.code == .invalidKey)
        #expect(store.snapshot() == before)
    }

    private enum Look: String { case light }

    /// The names of a group that a prefix makes those of the library.
    private struct RecordKeys: KeyGroup {
        let kept = Key<Int>("kept", default: 0)
        let inside = Prefixed<AppKeys>("migrations.")
    }

    private static let moved = Defaults.Key<Int>("moved", default: 0)

    private static func plan(_ step: Defaults.Migration.Step) -> Defaults.MigrationPlan {
        Defaults.MigrationPlan("other", Defaults.Migration(to: 1, step))
    }

    /// The ways to write, reset and remove an entry by its name; each also changes the entry `other` if it can change two.
    static let writes: [@Sendable (Defaults, String) throws -> Void] = [
        { try $0.set(["x": 1], for: Defaults.Key<[String: Int]>($1, default: [:])) },
        { try $0.set(nil, for: Defaults.Key<String?>($1)) },
        { try $0.set(1, for: Defaults.Key<Int>($1, default: 0).throwing()) },
        { try $0.set([.light: 1], for: Defaults.Key<[Look: Int]>($1, default: [:])) },
        { $0[Defaults.Key<PropertyListValue?>($1)] = 1 },
        { $0[Defaults.Key<Int>($1, default: 0)] += 1 },
        { $0[Defaults.Key<[String]>($1, default: [])].append("a") },
        { $0.modify(Defaults.Key<Int>($1, default: 0)) { $0 += 1 } },
        { _ = try $0.commit(Defaults.Key<Int>($1, default: 0)) { $0 += 1 } },
        { _ = $0[Defaults.Key<Int?>($1), initialisingWith: 1] },
        { defaults, name in
            defaults.update {
                $0[Defaults.Key<Int>("other", default: 0)] = 2
                $0[Defaults.Key<Int>(name, default: 0)] = 1
            }
        },
        { defaults, name in try defaults.commit { try $0.set(1, for: Defaults.Key<Int>(name, default: 0)) } },
        { defaults, name in defaults.update { $0.reset(Defaults.Key<Int>(name, default: 0)) } },
        { $0.reset(Defaults.Key<Int>("other", default: 0), Defaults.Key<Int>($1, default: 0)) },
        { $0.reset(["other", $1]) },
        { $0.store.set(1, forKey: $1) },
        { $0.store.set(PropertyListValue.integer(1), forKey: $1) },
        { $0.store.removeObject(forKey: $1) },
        { $0[Defaults.Key<Rising?>("other-\($1)")] = Rising(low: 1, high: 2) },
        { try $0.migrate(plan(.remove($1))) },
        { try $0.migrate(plan(.rename($1, to: moved))) },
        { try $0.migrate(plan(.move($1, from: $0.store, to: moved))) },
        { defaults, name in try defaults.migrate(plan(.edit { $0[name] = 1 })) },
    ]

    static let names = ["keyspan", "keyspan.kept", "keyspan.migrations", "keyspan.account", "keyspan.kept.a"]

    private static let records: PropertyListTable = [
        "keyspan.kept": ["a": 1], "keyspan.migrations": ["app": ["version": 1]], "keyspan.account": "x",
        "keyspan.kept.a": "x", "keyspan": "x", "other": 1,
    ]

    @Test(arguments: writes.indices, names)
    func `no key can write, reset or remove what the library has of its own`(write: Int, name: String) throws {
        for store in [InMemoryStore(Self.records), LayeredStore(registeringBelow: InMemoryStore(Self.records))]
            as [any PropertyListStore]
        {
            var thrown: [String] = []
            let texts =
                reportedProblems {
                    do {
                        try Self.writes[write](Defaults(store), name)
                    } catch {
                        thrown = ["\(error)"]
                    }
                } + thrown
            let reason = "the library itself uses the entry \"\(name)\"; give the key another name"
            #expect(texts.contains { $0.contains(reason) }, "\(texts)")
            #expect(store.snapshot() == Self.records)
        }
    }

    @Test(arguments: names) func `no default is registered for it`(name: String) {
        let domain = RegistrationDomain()
        #expect(throws: StoreError.self) { try domain.register(["other": 1, name: 5]) }
        #expect(domain.snapshot().isEmpty)
    }

    @Test(arguments: names)
    func `no asynchronous write and no edit without types changes it`(name: String) async throws {
        let store = InMemoryStore(Self.records)
        let (defaults, key) = (Defaults(store), Defaults.Key<PropertyListValue?>(name))
        let single = await #expect(throws: Defaults.WriteError.self) { try await defaults.commit(key) { $0 = 2 } }
        let batch = await #expect(throws: Defaults.WriteError.self) { try await defaults.commit { $0[key] = 2 } }
        for case .store(let error)? in [single?.cause, batch?.cause] { #expect(error.code == .invalidKey) }
        #expect(single?.key == name && batch?.key == name)
        var seen = SettingsEdit.Entries()
        seen.read[name] = store.storedValue(forKey: name)
        seen.written = seen.read
        for content in [SettingsEdit.Content.none, .given(StoredValue(2))] {
            let edit = SettingsEdit([.init(of: key, to: content, insteadOf: seen)])
            let error = await #expect(throws: SettingsEdit.CommitError.self) {
                try await edit.commit(to: store) { _ in }
            }
            guard case .store(let error)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error.code == .invalidKey && error.key == name)
        }
        #expect(store.snapshot() == Self.records)
    }

    @Test func `a group whose prefix makes such names cannot write either`() {
        let store = InMemoryStore(Self.records)
        let settings = Defaults.Group<RecordKeys>(store, prefix: "keyspan.")
        let problems = reportedProblems {
            settings.kept = 2
            settings.modify(\.kept) { $0 += 1 }
            settings.inside.launchCount = 2
        }
        let refusals = problems.filter { $0.contains("the library itself uses the entry \"keyspan.") }
        #expect(refusals.count == 3, "\(problems)")
        #expect(store.snapshot() == Self.records)
    }

    @Test func `no key can observe it`() throws {
        let store = InMemoryStore(Self.records)
        let defaults = Defaults(store)
        let (kept, other) = (Defaults.Key<PropertyListValue?>("keyspan.kept"), Defaults.Key<Int>("other", default: 0))
        let heard = Recorder<String>()
        var observations: [any Defaults.Observation] = []
        let problems = reportedProblems {
            observations = [
                defaults.observe(kept, options: []) { _ in heard.record("kept") },
                defaults.observe(keys: kept, other, options: []) { heard.record("any") },
            ]
            _ = defaults.updates(kept, initial: false)
            _ = defaults.updates(kept, other, initial: false)
            _ = defaults.updates([kept, other], initial: false)
        }
        let reason = "the library itself uses the entry \"keyspan.kept\""
        #expect(problems.count == 5 && problems.allSatisfy { $0.contains(reason) }, "\(problems)")
        try store.apply(PropertyListBatch(.set(2, key: "keyspan.kept")))
        #expect(heard.values == [])
        defaults[other] = 2
        #expect(heard.values == ["any"])
        for observation in observations { observation.invalidate() }
    }

    @Test func `names that only look alike are those of any keys`() {
        for name in ["keyspans", "keyspan.keptt", "keyspan.other", "Keyspan.kept", "a.keyspan.kept"] {
            defaults[Defaults.Key<Int>(name, default: 0)] = 1
            #expect(store.value(forKey: name) == 1)
        }
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
