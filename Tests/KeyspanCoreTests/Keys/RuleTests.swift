import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct RuleTests {
    private let store = InMemoryStore(["port": 0, "name": "x", "list": "no list"], name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65535))
    private let name = Defaults.Key<String>("name", default: "").validated(by: .pattern("[a-z]{2,}"), .count(0...3))
    private let list = Defaults.Key<[Int]>("list", default: [])

    private func check<Value: Sendable>(
        _ rule: Defaults.Rule<Value>,
        holdsFor good: [Value] = [],
        not bad: [Value] = []
    ) {
        for value in good { #expect(rule.isSatisfied(by: value), "\(value)") }
        for value in bad { #expect(!rule.isSatisfied(by: value), "\(value)") }
    }

    @Test func `holds for the values it describes, and for no other`() {
        check(.range(1...3), holdsFor: [1, 3], not: [4])
        check(.range(0.5...), not: [0.25])
        check(.range(...5), holdsFor: [5])
        check(.range("b"..."d"), not: ["a"])
        check(.oneOf("light", "dark"), holdsFor: ["dark"], not: ["grey"])
        check(.oneOf("\u{E9}", "a"), holdsFor: ["\u{E9}"], not: ["e\u{301}"])
        check(.ifPresent(.oneOf("\u{E9}")), not: ["e\u{301}"])
        check(.oneOf(0.0, 1), holdsFor: [-0.0])
        check(.notEmpty, not: [""])
        check(.notEmpty, holdsFor: [[1]])
        check(.count(2...3), holdsFor: ["né"])
        check(.count(2...3), not: [[1]])
        check(.pattern("[a-z]+"), holdsFor: ["abc"], not: ["abc1"])
        check(.pattern("["), not: ["["])
        check(.ifPresent(.range(1...3)), holdsFor: [nil], not: [4])
        check(.init("even") { $0.isMultiple(of: 2) }, not: [3])
    }

    enum Level: String, Defaults.Serializable {
        case low = "1", high = "2"
    }

    enum Theme: CaseIterable, Codable {
        case light, dark
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 0)

    @Test(
        arguments: [
            (
                key(Duration.zero).validated(by: .range(.seconds(1)...Duration.seconds(5_400))),
                "between 1s and 1h30m"
            ),
            (key(Duration.zero).validated(by: .range(Duration.milliseconds(250)...)), "at least 250ms"),
            (key(Duration.zero).validated(by: .range(...Duration.seconds(60))), "at most 1m"),
            (key(Duration.zero).validated(by: .oneOf(.seconds(1), .seconds(2))), "one of 1s, 2s"),
            (
                key(date).validated(by: .range(date...date.addingTimeInterval(0.5))),
                "between 2001-01-01T00:00:00Z and 2001-01-01T00:00:00.5Z"
            ),
            (Defaults.Key<Date?>("key").validated(by: .ifPresent(.range(date...))), "at least 2001-01-01T00:00:00Z"),
            (Defaults.Key<Int?>("key").validated(by: .oneOf(1, 2, nil)), "one of 1, 2"),
            (Defaults.Key<Int?>("key").validated(by: .ifPresent(.oneOf(1, 2))), "one of 1, 2"),
            (key(Level.low).validated(by: .oneOf(.low, .high)), "one of 1, 2"),
            (Defaults.Key<Theme>.jsonCoded("key", default: .light).validated(by: .oneOf(.dark)), "one of dark"),
            (
                Defaults.Key<Theme>.defaulting(
                    Defaults.Key<Theme?>.jsonCoded(type: Theme.self, "key").validated(by: .oneOf(.dark)),
                    with: .light
                ),
                "one of dark"
            ),
            (
                Defaults.Key<Level?>.rawRepresentable(
                    represented: Defaults.Key<String?>("key").validated(by: .ifPresent(.oneOf("1")))
                ),
                "one of 1"
            ),
            (key(Float(1)).validated(by: .range(0.1...)), "at least 0.1"),
            (key(1.0).validated(by: .range(-.infinity...5)), "between -inf and 5.0"),
            (key([1]).validated(by: .oneOf([1], [2, 3])), "one of [1], [2,3]"),
            (key("").validated(by: .oneOf("", "a b", "c")), #"one of "", "a b", c"#),
            (key(5, bridge: HelpTests.ReversedBridge()).validated(by: .oneOf(12)), "one of 21"),
        ] as [(Defaults.AnyKey, String)]
    )
    func `a requirement names values as the key reads them`(key: Defaults.AnyKey, requirement: String) {
        #expect(Defaults(InMemoryStore()).describe([key]).rows.map(\.requirements) == [[requirement]])
    }

    private static func key<Value: Defaults.Serializable>(_ value: Value) -> Defaults.Key<Value> {
        Defaults.Key("key", default: value)
    }

    private static func key<Bridge: Defaults.Bridge & Sendable>(
        _ value: Bridge.Value,
        bridge: Bridge
    ) -> Defaults.Key<Bridge.Value> {
        Defaults.Key("key", default: value, bridge: bridge)
    }

    @Test func `a strict write is refused, a plain one reported, and the old value stays`() throws {
        let error = #expect(throws: Defaults.WriteError.self) { try defaults.set(70_000, for: port) }
        #expect(
            error?.description == """
                key "port" of the store: the value must be between 1 and 65535; \
                the old value stays until one is written that is.
                """
        )
        #expect(reportedProblems { defaults[port] = -1 }.count == 1)
        #expect(store.value(forKey: "port") == 0)
        try defaults.set(443, for: port)
        #expect(reportedProblems { defaults[name] = "abcd" }.first?.contains("of 0 to 3 elements") == true)
        #expect(reportedProblems { defaults[name] = "a1" }.first?.contains("matched by [a-z]{2,}") == true)
        defaults[name] = "abc"
        #expect(store.value(forKey: "name") == "abc")
        #expect(store.value(forKey: "port") == 443)
    }

    @Test func `validating finds everything that is wrong, and changes nothing`() throws {
        let before = store.snapshot()
        let error = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([port, name, list]) }
        #expect(error?.problems.map(\.key) == ["port", "name", "list"])
        #expect(error?.description.split(separator: "\n").count == 3)
        #expect(error?.problems.first?.cause == .rule(requirement: "between 1 and 65535"))
        #expect(store.snapshot() == before)
        defaults.reset(port, name, list)
        try defaults.validate([port, name, list])
        try defaults.validate([port.throwing()])
    }
}

/// Stored values that break a rule.
@Suite struct BrokenRuleTests {
    private let store = InMemoryStore(["port": 70_000, "names": ["a", 7], "secret": 4711], name: "the store")
    private var defaults: Defaults { Defaults(store) }
    private let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65535))

    private func set(_ value: PropertyListValue, _ key: String) throws {
        try store.apply(PropertyListBatch(.set(value, key: key)))
    }

    @Test func `a strict read throws the rule and what was found`() throws {
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: port) }
        #expect(
            error?.description == """
                key "port" of the store: found the integer 70000, but the stored value must be between 1 and 65535; \
                correct the value there, or remove it to return to the default of the key.
                """
        )
        let secret = Defaults.Key<Int>("secret", default: 0).validated(by: .range(1...2)).secret()
        let problems = reportedProblems { #expect(defaults[secret] == 0) }
        #expect(problems.count == 1 && !problems[0].contains("4711"), "\(problems)")
    }

    @Test func `a rule holds for what is left of a collection`() {
        let names = Defaults.Key<[String]>("names", default: ["x", "y"]).validated(by: .count(2...3))
        let problems = reportedProblems { #expect(defaults[names] == ["x", "y"]) }
        #expect(problems.count == 2 && problems[0].contains("\"names\"[1]"), "\(problems)")
    }

    @Test func `a change begins with the default, and keeps the value that it replaces`() throws {
        let changes: [(Defaults) throws -> Void] = [
            { [port] in $0[port] += 1 },
            { [port] in $0.modify(port) { $0 += 1 } },
            { [port] in $0.update { $0[port] += 1 } },
        ]
        for change in changes {
            try set(70_000, "port")
            _ = try reportedProblems { try change(defaults) }
            #expect(store.value(forKey: "port") == 81)
            let kept = try #require(defaults.keptValues(for: port).last)
            #expect(kept.value == 70_000)
            try defaults.discard(kept)
        }
        try set(70_000, "port")
        #expect(throws: Defaults.ReadError.self) { try defaults.modify(port.throwing()) { $0 += 1 } }
        #expect(store.value(forKey: "port") == 70_000)
    }

    @Test func `observers receive the default`() throws {
        let values = Recorder<Int>()
        defaults.reset(port)
        let observation = defaults.observe(port, options: []) { values.record($0.newValue) }
        for value in [443, 70_000, 8080] as [PropertyListValue] { _ = try reportedProblems { try set(value, "port") } }
        #expect(values.values == [443, 80, 8080])
        observation.invalidate()
    }

    @Test func `a rule is asked once for a value, whatever its type and however often it is read`() throws {
        try set("text", "text")
        let (numbers, texts) = (Recorder<Int>(), Recorder<String>())
        let number = Defaults.Key<Int>("port", default: 80).validated(
            by: Defaults.Rule("small") { number in
                numbers.record(number)
                return number < 10
            }
        )
        let text = Defaults.Key<String>("text", default: "").validated(
            by: Defaults.Rule("short") { text in
                texts.record(text)
                return text.count < 10
            }
        )
        _ = try reportedProblems {
            for value in [70_000, 5] as [PropertyListValue] {
                try set(value, "port")
                for _ in 1...5 {
                    #expect(defaults[number] == (value == 5 ? 5 : 80) && defaults[text] == "text")
                    #expect(defaults.snapshot()[text] == "text")
                }
            }
        }
        #expect(numbers.values == [70_000, 5] && texts.values == ["text"])
    }

    @Test func `rules may read keys, also one another's`() throws {
        try set(5, "low")
        try set(3, "high")
        let keys = Locked<(low: Defaults.Key<Int>, high: Defaults.Key<Int>)?>(nil)
        let defaults = defaults
        let low = Defaults.Key<Int>("low", default: 0).validated(
            by: Defaults.Rule("at most high") { low in keys.withLock(\.self).map { low <= defaults[$0.high] } ?? true }
        )
        let high = Defaults.Key<Int>("high", default: 9).validated(
            by: Defaults.Rule("at least low") { high in keys.withLock(\.self).map { defaults[$0.low] <= high } ?? true }
        )
        keys.withLock { $0 = (low, high) }
        _ = reportedProblems {
            // The value of `high` that the rule of `low` has read is not cached.
            #expect(defaults[low] == 0 && defaults[high] == 3)
        }
        try set(2, "low")
        #expect(defaults[low] == 2 && defaults[high] == 3)
        keys.withLock { $0 = nil }
    }

    @Test func `a requirement names values that no text stands for`() {
        let distant = Date(timeIntervalSinceReferenceDate: 1e300)
        let dates = Defaults.Key<Date>("date", default: .now).validated(
            by: .range(Date(timeIntervalSinceReferenceDate: 0)...distant)
        )
        let reals = Defaults.Key<Double>("real", default: 0).validated(by: .range(-.infinity...5))
        let requirements = Defaults(InMemoryStore()).describe([dates, reals]).rows.map(\.requirements)
        #expect(
            requirements == [
                ["between 2001-01-01T00:00:00Z and 1e+300 s from 2001-01-01T00:00:00Z"], ["between -inf and 5.0"],
            ]
        )
    }
}
