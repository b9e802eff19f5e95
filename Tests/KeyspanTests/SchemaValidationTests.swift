#if os(Linux) || os(macOS)
import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Stored values satisfy the schema of their keys, by an independent validator: Python's `jsonschema`.
///
/// `ValueLawTests` do this for the values of all types.
@Suite(.heavy, .seeded) struct SchemaValidationTests {
    typealias Key = Defaults.Key

    enum Level: Int, Codable, CaseIterable, Defaults.Serializable, Defaults.PreferRawRepresentable {
        case low = 1
        case high = 9
    }

    struct Features: OptionSet, CaseIterable, Defaults.Serializable {
        let rawValue: Int
        static let allCases = [Features(rawValue: 1), Features(rawValue: 2)]
    }

    struct Target: RawRepresentable, CaseIterable, Defaults.Serializable {
        var rawValue: String
        static let allCases = [Target(rawValue: "stdout")]
    }

    enum Mode: CaseIterable, Codable, Defaults.Serializable {
        case off, level(Int)
        static let allCases: [Mode] = [.off]
    }

    struct Frog: Hashable, Defaults.ArraySerializable {
        var name: String

        static let bridge = FrogBridge()
        static let arrayBridge = FrogsBridge()

        struct FrogBridge: Defaults.Bridge {
            func serialize(_ value: Frog?) -> String? { value?.name }
            func deserialize(_ object: String?) -> Frog? { object.map { Frog(name: $0) } }
        }

        struct FrogsBridge: Defaults.Bridge {
            func serialize(_ value: [Frog]?) -> [String: Int]? {
                value.map { Dictionary(uniqueKeysWithValues: $0.enumerated().map { ($0.element.name, $0.offset) }) }
            }

            func deserialize(_ object: [String: Int]?) -> [Frog]? {
                object?.sorted { $0.value < $1.value }.map { Frog(name: $0.key) }
            }
        }
    }

    struct Interval: Defaults.Convertible {
        var seconds: [Int]

        func convertedObject() -> [Int] { seconds }
        static func instantiate(from object: [Int]) -> Interval? { Interval(seconds: object) }
    }

    /// An integer as a text, backwards.
    struct TextBridge: Defaults.Bridge {
        func serialize(_ value: Int?) -> String? { value.map { String(String($0).reversed()) } }
        func deserialize(_ object: String?) -> Int? { object.flatMap { Int(String($0.reversed())) } }
    }

    enum Weekday: CaseIterable, Codable {
        case monday, sunday
    }

    /// An integer in another unit.
    struct UnitBridge: Defaults.Bridge {
        func serialize(_ value: Int?) -> Int? { value.map { -1000 * $0 } }
        func deserialize(_ object: Int?) -> Int? { object.map { $0 / -1000 } }
    }

    /// A key with values that it can write, and stored values that it cannot read.
    struct Subject: Sendable {
        let name: String
        let key: Defaults.AnyKey
        let stored: [PropertyListTable]
        let refused: [PropertyListValue]

        init<Value>(_ key: Key<Value>, _ values: [Value] = [], refused: [PropertyListValue] = []) {
            name = "\(Value.self)"
            self.key = key
            stored = values.map { value in
                let store = InMemoryStore()
                #expect(throws: Never.self) { try Defaults(store).set(value, for: key) }
                return store.snapshot()
            }
            self.refused = refused
        }
    }

    static let scalars = [
        Subject(Key<Bool?>("key"), refused: [1, "true"]),
        Subject(Key<Int?>("key"), refused: [0.5, "1", true]),
        Subject(Key<Int8?>("key"), refused: [128, -129]),
        Subject(Key<UInt64?>("key"), refused: [-1]),
        Subject(Key<Double?>("key"), refused: ["1", ["$real": "one"], [:]]),
        Subject(Key<Float?>("key"), refused: ["1"]),
        Subject(Key<String?>("key"), refused: [1]),
        Subject(Key<Date?>("key"), refused: ["2001-01-01", 0]),
        Subject(Key<Duration?>("key"), refused: [5, "5", "1m1h", "PT", "P1Y", "s", "", "5s "]),
        Subject(Key<Defaults.ByteCount?>("key"), refused: [-1, 1.5, "1.5", "KiB", "1XB", "1  B", ""]),
        Subject(Key<Data?>("key"), refused: ["AQID"]),
        Subject(Key<Colour?>("key"), refused: ["blue", 1]),
        Subject(Key<Level?>("key"), refused: [2]),
        Subject(Key<UUID?>("key"), refused: ["a", "6F1A0A3C"]),
        Subject(Key<Decimal?>("key"), refused: ["", "1,5", "nan", true]),
        Subject(Key<Features>("key", default: [Features(rawValue: 3)]), [[], Features(rawValue: 3)], refused: ["1"]),
        Subject(Key<Target>("key", default: Target(rawValue: "/x")), [Target(rawValue: "/x")], refused: [1]),
        Subject(Key<Mode>("key", default: .level(3)), [.off, .level(3)]),
    ]

    static let collections = [
        Subject(Key<[[Bool]]?>("key"), refused: [[true], [[1]]]),
        Subject(Key<Set<Double>?>("key"), refused: [["1"]]),
        Subject(Key<Range<Int>?>("key"), refused: [[1], [1, 2, 3], [0.5, 1]]),
        Subject(Key<[String: String]?>("key"), refused: [["a": 1], [1], ["$dictionary": ["a": 1]]]),
        Subject(Key<[String: [String: String]]?>("key"), refused: [["a": "b"]]),
        Subject(Key<[String: Double]?>("key"), refused: [["a": "1"]]),
        Subject(Key<[Int: String]?>("key"), refused: [["7": 1]]),
        Subject(Key<[Int: [Int]]?>("key"), refused: [["7": "1"]]),
        Subject(Key<[Int: [String: Data]]?>("key"), refused: [["7": ["a": 1]]]),
        Subject(Key<[Int: Size]?>("key"), refused: [[1]]),
        Subject(Key<[Frog]?>("key"), refused: [["b"]]),
        Subject(Key<Set<Frog>?>("key"), refused: ["b"]),
    ]

    static let bridges = [
        Subject(Key<Size>.jsonCoded("key", default: Size(), as: .data), [Size()], refused: ["a"]),
        Subject(Key<[Size]?>("key"), refused: ["a"]),
        Subject(Key<Interval?>("key"), [Interval(seconds: [1])], refused: [["1"]]),
        Subject(Key<Int>("key", default: 1, bridge: HalvesBridge()), [5]),
        Subject(Key<Int>.coercing("key", default: 5), [1, 2]),
        Subject(Key<Int>.coercing("key", default: 5).validated(by: .oneOf(1, 5)), [1]),
        Subject(Key<Weekday>.jsonCoded("key", default: .monday), [.sunday], refused: ["tuesday"]),
        Subject(Key<Int>("key", default: 1, bridge: TextBridge()).validated(by: .range(1...5)), [1]),
        Subject(.rawRepresentable(represented: Key<String?>("key")) as Key<Colour?>, [.red]),
        Subject(Key<Int>("$dictionary", default: 1), [1], refused: ["1"]),
        Subject(Key<Int>("$date", default: 1), [1], refused: ["1"]),
    ]

    private static func key<Value: Defaults.Serializable & Sendable>(_ value: Value) -> Key<Value> {
        Key("key", default: value)
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 0.25)
    private static let red = Key<String?>("key").validated(by: .ifPresent(.oneOf("red")))

    static let rules = [
        Subject(
            key(1.0).validated(by: .range(-.infinity...5), .range((-.infinity)...)),
            [1, -.infinity],
            refused: [6.0]
        ),
        Subject(key(1.0).validated(by: .oneOf(0, 1, .infinity)), [-0.0, .infinity], refused: [0.5]),
        Subject(key(0.1 as Float).validated(by: .range(0.1...0.7), .oneOf(0.1, 0.7)), [0.1, 0.7], refused: [0.5]),
        Subject(key(date).validated(by: .oneOf(date)), [date], refused: [5]),
        Subject(key(Level.low).validated(by: .oneOf(.low)), [.low], refused: [9, "high"]),
        Subject(
            Key<Int>("key", default: 12, bridge: TextBridge()).validated(by: .range(10...20), .oneOf(12, 15)),
            [12, 15],
            refused: [12]
        ),
        Subject(Key<Int>("key", default: 1, bridge: UnitBridge()).validated(by: .range(1...2)), [1, 2]),
        Subject(.rawRepresentable(represented: red) as Key<Colour?>, [.red], refused: ["green"]),
        Subject(key("hunter2").validated(by: .oneOf("hunter2", "b")).secret(), ["hunter2", "b"]),
    ]

    /// Patterns, texts that they match, and of ASCII such as they do not.
    static let patterns: [(pattern: String, matched: [String], refused: [String])] = [
        ("[a-z]+", ["abc"], ["abc1", ""]), ("^[a-z]+$", ["abc"], ["1"]), ("a|b{2,3}?c*", ["a", "bb", "bbbcc"], ["bc"]),
        (".{3}", ["abc", "e\u{301}bc", "\u{1F600}\u{1F600}\u{1F600}"], ["ab", "abcd"]),
        (#"\d+"#, ["12", "\u{663}"], ["a"]), (#"\w+(-\w+)*"#, ["ab-c", "\u{E9}"], ["-"]),
        (#"[^a]"#, ["b", "\r\n"], ["a"]), (#"(?<year>\d{4})-(?:0[1-9]|1[0-2])"#, ["2026-11"], ["2026-13"]),
        (#"\$\{[A-Z_]+\}"#, ["${A_B}"], ["$A"]), (#"[\w.+-]+@[\w-]+\.[a-z]{2,}"#, ["a.b@c.de"], ["a@b"]),
        (#"[]-a]"#, [], []), (#"a-b/c"#, ["a-b/c"], ["ab/c"]),
        // What ECMA 262 does not know, or means something else by.
        ("(?i)abc", ["ABC"], []), ("a++", ["aaa"], []), ("(?>a|ab)c", ["ac"], []), ("[[:alpha:]]+", ["ab"], []),
        (#"\p{L}+"#, ["ab"], []), (#"\Qa.b\E"#, ["a.b"], []), (#"[a-z&&[^b]]"#, ["a"], []), (#"\h"#, [" "], []),
        (#"\bab\b"#, ["ab"], []), ("(?#remark)a", ["a"], []), (#"\u{61}"#, ["a"], []), ("e\u{301}*", ["e\u{301}"], []),
        ("a{2", [], []), ("a{1,}", ["aa"], [""]), (#"(a)\1"#, ["aa"], []), (#"\x61"#, ["a"], []), ("(?=a)a", ["a"], []),
    ]

    static let patternSubjects = patterns.map { pattern, matched, refused in
        Subject(
            Key<String?>("key").validated(by: .ifPresent(.pattern(pattern))),
            matched.map { Optional($0) },
            refused: refused.map { .string($0) }
        )
    }

    @Test func `what stores write and accept satisfies the schema, and nothing else does`() throws {
        let written = [Self.scalars, Self.collections, Self.bridges, Self.rules, Self.patternSubjects].joined()
        var cases = written.flatMap { subject in
            let schema = Defaults(InMemoryStore()).describe([subject.key]).jsonSchema
            let refused = subject.refused.map { [subject.key.name: $0] as PropertyListTable }
            return [(subject.stored + [[:]], true), (refused, false)].flatMap { tables, isValid in
                tables.map {
                    let document = String(decoding: JSONText.encode($0), as: UTF8.self)
                    return SchemaValidator.Case(
                        name: subject.name,
                        document: document,
                        schema: schema,
                        isValid: isValid
                    )
                }
            }
        }
        let files = try FileSchema()
        cases += try files.handwrittenCases() + files.disputedCases() + files.openCases() + files.randomCases()
        guard let failures = try SchemaValidator.failures(of: cases) else {
            try Test.cancel("Python's jsonschema is not installed")
        }
        #expect(failures == [], "\(failures.first ?? "")")
    }

    @Test func `the schema of a secret does not name its values`() {
        let keys: [Defaults.AnyKey] = [
            Key<String>("a", default: "hunter2").validated(by: .oneOf("hunter2", "b")).secret(),
            Key<String>("b", default: "hunter2").secret().validated(by: .oneOf("hunter2")),
            Key<String?>("c").validated(by: .ifPresent(.oneOf("hunter2"))).secret().throwing(),
        ]
        let store = InMemoryStore(["a": "other", "b": "other", "c": "other"])
        let description = Defaults(store).describe(keys)
        for text in [description.description, description.markdown, description.jsonSchema] {
            #expect(!text.contains("hunter2"))
        }
        let error = #expect(throws: Defaults.ValidationError.self) { try Defaults(store).validate(keys) }
        #expect(error?.problems.count == 3)
        #expect(error?.description.contains("hunter2") == false)
        #expect(description.description.contains("one of 2 values that are secret"))
    }
}
#endif
