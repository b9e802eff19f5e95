@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct DescriptionTests {
    struct DescribedKeys: KeyGroup {
        let port = Key<UInt16>("port", default: 8080)
            .validated(by: .range(1...))
            .summary("Where to listen.")
        let host = Key<String?>("host")
            .summary("A name | an address,\nor *any*.")
        let token = Key<String>("token", default: "factory-token").secret()
        let started = Key<Double>("started") { 5 }
        let mirrors = Prefixed<MirrorKeys>("mirror.")
    }

    struct MirrorKeys: KeyGroup {
        let names = Key<[String: [Int]]>("names", default: [:])
        let mode = Key<Fruit?>("mode")
        let weight = Key<Double>("weight", default: .infinity)
            .validated(by: .range(0...))
    }

    private let store = InMemoryStore(name: "settings.json")
    private var settings: Defaults.Group<DescribedKeys> { Defaults.Group(store) }

    private func fillStore() throws {
        var batch = PropertyListBatch()
        batch.set(443, forKey: "port")
        batch.set("hunter2", forKey: "token")
        batch.set(["a": [1, 2]], forKey: "mirror.names")
        batch.set("plum", forKey: "mirror.mode")
        batch.set("a`b|c", forKey: "host")
        try store.apply(batch)
    }

    @Test func `the text has aligned columns, the defaults of absent values, and no secrets`() {
        #expect(
            settings.describe().description == """
                Name           Type             Default   Value     Source   Rules         Summary
                port           UInt16           8080      8080      default  at least 1    Where to listen.
                host           String?          none      none      default                A name | an address, or *any*.
                token          String           secret    secret    default
                started        Double           computed  computed  default
                mirror.names   [String: [Int]]  {}        {}        default
                mirror.mode    Fruit?           none      none      default
                mirror.weight  Double           inf       inf       default  at least 0.0

                """
        )
    }

    @Test func `Markdown is escaped, and a value that cannot be read says why`() throws {
        try fillStore()
        let reason = #"found the string "plum", which cannot be read: it is not a value of the type Fruit"#
        #expect(
            settings.describe().markdown == """
                | Name | Type | Default | Value | Source | Rules | Summary |
                | --- | --- | --- | --- | --- | --- | --- |
                | `port` | `UInt16` | `8080` | `443` | settings.json | at least 1 | Where to listen. |
                | `host` | `String?` | `none` | `` "a`b\\|c" `` | settings.json |  | A name \\| an address,<br>or \\*any\\*. |
                | `token` | `String` | `secret` | `secret` | settings.json |  |  |
                | `started` | `Double` | `computed` | `computed` | default |  |  |
                | `mirror.names` | `[String: [Int]]` | `{}` | `{"a":[1,2]}` | settings.json |  |  |
                | `mirror.mode` | `Fruit?` | `none` | `unusable: \(reason)` | settings.json |  |  |
                | `mirror.weight` | `Double` | `inf` | `inf` | default | at least 0.0 |  |

                """
        )
    }

    @Test func `rows tell where a value is from`() throws {
        try fillStore()
        let rows = settings.describe().rows
        #expect(rows.filter { $0.provenance == nil }.map(\.name) == ["started", "mirror.weight"])
        #expect(Set(rows.compactMap(\.provenance?.description)) == ["settings.json"])
        #expect(rows.map(\.isSecret) == [false, false, true, false, false, false, false])
        #expect(rows[0].value == .value(443))
        #expect(rows[2].value == .secret)
        #expect(rows[3].value == .computed)
    }

    @Test func `a secret is nowhere, readable or not`() throws {
        let key = Defaults.Key<Point>("point", default: Point(x: 17, y: 17)).secret()
        let defaults = Defaults(store)
        for value in [["x": 23.0, "y": 23.0], ["x": "23"], "23"] as [PropertyListValue?] + [nil] {
            var batch = PropertyListBatch()
            batch.set(value, forKey: "point")
            try store.apply(batch)
            let description = defaults.describe([key])
            for text in [description.description, description.markdown, String(describing: description.entrySchemas)] {
                #expect(!text.contains("17") && !text.contains("23"))
            }
        }
    }

    @Test func `a store with layers says which of them has the value`() throws {
        let layered = LayeredStore([
            .init("high", InMemoryStore(["high": 2], name: "overrides")),
            .init("low", InMemoryStore(name: "the base"), isWritable: true),
        ])
        try layered.apply(PropertyListBatch(.set(1, key: "low")))
        let keys = ["high", "low", "none"].map { Defaults.Key<Int>($0, default: 0) }
        let rows = Defaults(layered).describe(keys).rows
        #expect(rows.map(\.provenance?.description) == ["high: overrides", "low: the base", nil])
    }

    @Test func `a default that cannot be stored is said to be so`() {
        let key = Defaults.Key<Point>("point", default: Point(x: .nan, y: 0))
        guard case .unreadable? = Defaults(store).describe([key]).rows.first?.defaultValue else {
            Issue.record("a default without a stored form is shown")
            return
        }
    }

    @Test(arguments: [
        (Defaults.Key<Int>("key", default: 0) as Defaults.AnyKey, "Int"),
        (Defaults.Key<String?>("key"), "String?"),
        (Defaults.Key<[String]>("key", default: []), "[String]"),
        (Defaults.Key<[String: [Int]]?>("key"), "[String: [Int]]?"),
        (Defaults.Key<Set<Int>>("key", default: []), "Set<Int>"),
        (Defaults.Key<Range<Int>>("key", default: 0..<1), "Range<Int>"),
        (Defaults.Key<Fruit>("key", default: .apple), "Fruit"),
    ])
    func `types have the names that Swift code writes`(key: Defaults.AnyKey, name: String) {
        #expect(Defaults(store).describe([key]).rows.map(\.type) == [name])
    }

    // MARK: - Cases

    struct Features: OptionSet, CaseIterable, Defaults.Serializable {
        let rawValue: Int
        static let (a, b) = (Features(rawValue: 1), Features(rawValue: 2))
        static let allCases: [Features] = [.a, .b]
    }

    struct Target: RawRepresentable, CaseIterable, Defaults.Serializable {
        var rawValue: String
        static let allCases = [Target(rawValue: "stdout"), Target(rawValue: "stderr")]
    }

    enum Mode: CaseIterable, Codable, Defaults.Serializable {
        case off, level(Int)
        static let allCases: [Mode] = [.off]
    }

    enum Switch: CaseIterable, Codable, Defaults.Serializable {
        case off, on(Bool)
        static let allCases: [Switch] = [.off]
    }

    enum Channel: String, CaseIterable, Defaults.Serializable {
        case stable, beta, secret
        static let allCases: [Channel] = [.stable, .beta]
    }

    @Test(
        arguments: [
            Defaults.Key<Features>("key", default: [.a, .b]),
            Defaults.Key<Target>("key", default: Target(rawValue: "/x")),
            Defaults.Key<Mode>("key", default: .level(3)), Defaults.Key<Mode>("key", default: .off),
            Defaults.Key<Switch?>("key"), Defaults.Key<Channel>("key", default: .beta), Defaults.Key<[Channel]?>("key"),
        ] as [Defaults.AnyKey]
    )
    func `cases are listed only if they are all values of the type`(key: Defaults.AnyKey) {
        let description = Defaults(store).describe([key])
        #expect(description.entrySchemas["key"]?["enum"] == nil)
        #expect(description.rows.first.map { !$0.words.contains("one of") && !$0.words.contains("among") } == true)
        for value in ["nothing", ["nothing"]] as [PropertyListValue] {
            do {
                try Defaults(InMemoryStore(["key": value])).validate([key])
            } catch {
                #expect(!"\(error)".contains("one of"))
            }
        }
    }

    enum Theme: CaseIterable, Codable, Hashable {
        case light, dark
    }

    enum Size: Int, CaseIterable, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
        case small = 1, large
    }

    enum Weight: Int, CaseIterable, Codable, Defaults.Serializable {
        case thin = 100, bold = 700
    }

    /// Stores cases by texts of its own.
    struct SizeBridge: Defaults.Bridge {
        func serialize(_ value: Size?) -> String? { value.map { "S\($0.rawValue)" } }
        func deserialize(_ object: String?) -> Size? { object.flatMap { Int($0.dropFirst()) }.flatMap(Size.init) }
    }

    enum OwnSize: CaseIterable, Defaults.Serializable {
        case small, large
        static let bridge = OwnSizeBridge()
    }

    struct OwnSizeBridge: Defaults.Bridge {
        func serialize(_ value: OwnSize?) -> String? { value.map { $0 == .small ? "S" : "L" } }
        func deserialize(_ object: String?) -> OwnSize? { ["S": .small, "L": .large][object] }
    }

    @Test(
        arguments: [
            (Defaults.Key<Theme?>.jsonCoded(type: Theme.self, "key"), "one of light, dark"),
            (Defaults.Key<Theme>.jsonCoded("key", default: .light), "one of light, dark"),
            (Defaults.Key<Theme>.jsonCoded("key", default: .light, as: .data), "one of light, dark"),
            (
                Defaults.Key<Size?>.rawRepresentable(type: Size.self, represented: Defaults.Key<Int?>("key")),
                "one of 1, 2"
            ),
            (Defaults.Key<Size>("key", default: .small, bridge: SizeBridge()), "one of S1, S2"),
            (Defaults.Key<Size>("key", default: .small), "one of small, large"),
            (Defaults.Key<Weight?>("key"), "one of thin, bold"),
            (Defaults.Key<OwnSize>("key", default: .large), "one of S, L"),
            (
                Defaults.Key<Size>("key", default: .small).validated(by: .oneOf(.small)),
                "one of small"
            ),
        ] as [(Defaults.AnyKey, String)]
    )
    func `each case that is listed is read`(key: Defaults.AnyKey, words: String) throws {
        let description = Defaults(store).describe([key])
        #expect(description.rows.first?.words == words)
        guard case .array(let forms)? = description.entrySchemas["key"]?["enum"] else {
            Issue.record("the cases are not listed")
            return
        }
        for form in forms { try Defaults(InMemoryStore(["key": form])).validate([key]) }
        for text in words.dropFirst("one of ".count).split(separator: ", ") {
            let store = EnvironmentStore(prefix: "", keys: [key], environment: ["KEY": String(text)])
            try Defaults(store).validate([key])
        }
    }

    @Test func `a key for JSON reads the cases by their names`() throws {
        let store = InMemoryStore(["theme": "dark"])
        let key = Defaults.Key<Theme?>.jsonCoded(type: Theme.self, "theme")
        #expect(try Defaults(store).value(for: key) == .dark)
        #expect(try Defaults(store).value(for: Defaults.Key<Theme>.jsonCoded("theme", default: .light)) == .dark)
        store.set("blue", forKey: "theme")
        let error = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: key) }
        #expect(error?.description.contains("it is not one of light, dark") == true)
    }

    @Test func `a list has no words of cases that its elements do not read`() {
        let keys: [Defaults.AnyKey] = [Defaults.Key<[OwnSize]?>("key"), Defaults.Key<[Size]?>("key")]
        let words = Defaults(store).describe(keys).rows.map(\.words)
        #expect(
            words == ["a list of values of the type OwnSize", "a list of values among small, large, as in small,large"]
        )
    }

    @Test func `an error lists the names of a dictionary that it reads`() throws {
        let store = InMemoryStore(["key": ["middle": 1]])
        let key = Defaults.Key<[Size: Int]>("key", default: [:])
        let error = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: key) }
        #expect(error?.description.contains("its name is not one of small, large") == true)
        store.set(["small": 1, "2": 3], forKey: "key")
        #expect(try Defaults(store).value(for: key) == [.small: 1, .large: 3])
    }

    // MARK: - Values for people

    @Test func `snapshots and changes are described by their values`() {
        let store = InMemoryStore(["port": 80, "name": "a", "keyspan.note": [1.5, true]])
        #expect("\(store.snapshot())" == #"["keyspan.note": [1.5, true], "name": "a", "port": 80]"#)
        #expect("\(Defaults(store).snapshot())" == "\(store.snapshot())")
        #expect("\(InMemoryStore().snapshot())" == "[:]" && "\(StoredValue("a"))" == #""a""#)
        let texts = Recorder<String>()
        let observation = store.observe(.all, initial: false) { texts.record("\($0)") }
        Defaults(store).update {
            $0[Defaults.Key<Int>("port", default: 0)] = 81
            $0[Defaults.Key<String?>("name")] = nil
        }
        observation.cancel()
        #expect(texts.values == [#"["name": "a" → nil, "port": 80 → 81]"#])
    }

    @Test func `no secret is in the description of a group's snapshot, or of a kept value`() throws {
        struct AccountKeys: KeyGroup {
            let token = Key<String?>("token").secret()
            let user = Key<String>("user", default: "nobody")
        }
        let store = InMemoryStore(["token": ["hunter2"], "user": "ann", "other": 1])
        let group = Defaults.Group<AccountKeys>(store)
        #expect("\(group.snapshot())" == #"["token": "(hidden secret)", "user": "ann"]"#)
        try group.set("new", for: \.token)
        let kept = try #require(Defaults(store).keptValues().first)
        #expect(kept.value == ["hunter2"])
        let texts = ["\(kept)", String(reflecting: kept), "\([kept])"]
        #expect(texts.allSatisfy { !$0.contains("hunter2") } && "\(kept)".contains("\"token\", an array, replaced at"))
    }
}
