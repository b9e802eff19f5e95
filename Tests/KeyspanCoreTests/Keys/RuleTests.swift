import KeyspanCore
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
        for value in good { #expect(rule.isSatisfied(by: value), "\(rule.requirement): \(value)") }
        for value in bad { #expect(!rule.isSatisfied(by: value), "\(rule.requirement): \(value)") }
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

    @Test func `names the bounds of a duration as the setting has them`() {
        let range = Defaults.Rule.range(Duration.seconds(1)...Duration.seconds(5_400))
        #expect(range.requirement == "between 1s and 1h30m")
        #expect(Defaults.Rule.range(Duration.milliseconds(250)...).requirement == "at least 250ms")
        #expect(Defaults.Rule.range(...Duration.seconds(60)).requirement == "at most 1m")
        #expect(Defaults.Rule.oneOf(Duration.seconds(1), .seconds(2)).requirement == "one of 1s, 2s")
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
