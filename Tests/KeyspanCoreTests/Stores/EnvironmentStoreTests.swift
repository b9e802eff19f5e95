import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite(.seeded) struct EnvironmentStoreTests {
    private static func key(_ name: String) -> Defaults.AnyKey { Defaults.Key<String>(name, default: "") }

    @Test(
        arguments: [
            ("port", "P_PORT"), ("launchCount", "P_LAUNCH_COUNT"), ("sha256Sum", "P_SHA256_SUM"), ("a1", "P_A1"),
            ("server.port", "P_SERVER__PORT"), ("server.maxCount", "P_SERVER__MAX_COUNT"), ("a.b.c", "P_A__B__C"),
            ("level_2Name", "P_LEVEL_2_NAME"), ("höhe", "P_HÖHE"), ("größe", nil),
            ("launch_count", nil), ("launch-count", nil), ("maxURLLength", nil), ("URL", nil), ("a b", nil), ("", nil),
            ("_a", nil), ("a..b", nil), ("a.", nil),
        ] as [(String, String?)]
    )
    func `a key has the variable of its words`(_ key: String, _ variable: String?) {
        #expect(EnvironmentStore(prefix: "P_", environment: [:]).variableName(forKey: key) == variable)
    }

    @Test(
        arguments: [
            ("launch_count", "P_LAUNCH_COUNT"), ("launch-count", "P_LAUNCH_COUNT"),
            ("maxURLLength", "P_MAX_URL_LENGTH"),
            ("URL", "P_URL"), ("httpAPIv2", "P_HTTP_AP_IV2"), ("a b", "P_A_B"), ("größe", "P_GRÖSSE"), ("_a", "P_A"),
        ]
    )
    func `a key that is given has the variable of its words whatever its spelling is`(_ key: String, _ variable: String)
    {
        let store = EnvironmentStore(prefix: "P_", keys: [Self.key(key)], environment: [variable: "x"])
        #expect(store.variableName(forKey: key) == variable)
        #expect(store.snapshot() == [key: "x"])
        #expect(store.value(forKey: key) == "x")
    }

    @Test func `variables are found by their prefix and the words of keys`() {
        let store = EnvironmentStore(
            prefix: "GREETER_",
            environment: [
                "GREETER_PORT": "8080", "GREETER_LAUNCH_COUNT": " 3 ", "GREETER_EMPTY": "", "GREETER_": "x",
                "GREETER_lower": "x", "GREETER_A___B": "x", "GREETER__A": "x", "PORT": "1", "OTHER_PORT": "2",
            ]
        )
        #expect(store.snapshot() == ["port": "8080", "launchCount": " 3 ", "empty": ""])
        #expect(store.value(forKey: "launchCount") == " 3 ")
        #expect(store.value(forKey: "launch_count") == nil)
    }

    @Test func `two underscores make dictionaries`() {
        let store = EnvironmentStore(
            prefix: "",
            environment: [
                "SERVER__PORT": "1", "SERVER__TLS__MIN_VERSION": "2", "LIST__0": "a", "WHOLE": "x", "WHOLE__A": "y",
            ]
        )
        #expect(
            store.snapshot() == [
                "server": ["port": "1", "tls": ["minVersion": "2"]], "server.port": "1",
                "server.tls": ["minVersion": "2"], "server.tls.minVersion": "2", "list": ["0": "a"], "list.0": "a",
                "whole": "x", "whole.a": "y",
            ]
        )
    }

    @Test func `a variable stands for all given keys that have it, and then for no other`() {
        let store = EnvironmentStore(
            prefix: "",
            keys: [Self.key("launch_count"), Self.key("launch-count")],
            environment: ["LAUNCH_COUNT": "3"]
        )
        #expect(store.snapshot() == ["launch_count": "3", "launch-count": "3"])
        #expect(store.variableName(forKey: "launchCount") == nil)
        #expect(
            EnvironmentStore(prefix: "", spelling: .snakeCase, environment: ["A_B": "1"]).snapshot() == ["a_b": "1"]
        )
        #expect(
            EnvironmentStore(prefix: "", spelling: .kebabCase, environment: ["A_B": "1"]).snapshot() == ["a-b": "1"]
        )
    }

    @Test func `a value that is not UTF-8 is data, so a key of a text reports it`() throws {
        let variables: TextDictionary = [
            "P_A": OutsideText([0x78, 0xFF]), "P_B": OutsideText([0x78, 0xFE]), "P_C": OutsideText("x\u{FFFD}"),
        ]
        let store = EnvironmentStore(prefix: "P_", variables: variables)
        #expect(
            store.snapshot() == ["a": .data(Data([0x78, 0xFF])), "b": .data(Data([0x78, 0xFE])), "c": "x\u{FFFD}"]
        )
        let defaults = Defaults(store)
        #expect(try defaults.value(for: Defaults.Key<Data?>("a")) == Data([0x78, 0xFF]))
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.value(for: Defaults.Key<String>("a", default: ""))
        }
        #expect(error?.description.contains("P_A") == true)
    }

    @Test func `the variables of the process are read byte for byte`() async {
        await #expect(processExitsWith: .success) {
            let text: [CChar] = [0x78, CChar(bitPattern: 0xFF), 0]
            setenv("P_A", text, 1)
            setenv("P_\u{E9}", "1", 1)
            setenv("P_e\u{301}", "2", 1)
            let store = EnvironmentStore(prefix: "P_")
            #expect(store.value(forKey: "a") == .data(Data([0x78, 0xFF])))
            #expect(OutsideText.variable("P_A")?.description == #""x\xff""#)
            #expect(OutsideText.environment["P_\u{E9}"] == OutsideText("1"))
            #expect(OutsideText.environment["P_e\u{301}"] == OutsideText("2"))
        }
    }

    @Test(
        arguments: [
            EnvironmentStore(prefix: "", environment: ["PORT": "1"]), LaunchArgumentsStore(["-port", "1"]),
        ] as [any PropertyListStore]
    )
    func `what is outside can be read and not written`(_ store: any PropertyListStore) {
        let revision = store.revision
        let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.remove(key: "port"))) }
        #expect(error?.code == .readOnly)
        #expect(error?.key == "port")
        #expect(store.snapshot() == ["port": "1"])
        #expect(store.holdsText(forKey: "port") && !store.holdsText(forKey: "host"))
        #expect(store.revision == revision && revision != nil)
        #expect(LaunchArgumentsStore([]).revision != revision)
    }

    @Test func `without a prefix, the variables of the process are read`() {
        #expect(!EnvironmentStore(prefix: "").snapshot().isEmpty, "the environment of the process has PATH or HOME")
    }

    /// Names of keys that are made of words and levels, in the spelling of the store.
    @Test(arguments: [KeySpelling.camelCase, .snakeCase, .kebabCase])
    func `a key in the spelling of the store is found by the variable that the store names`(
        _ spelling: KeySpelling
    ) throws {
        let unset = EnvironmentStore(prefix: "P_", spelling: spelling, environment: [:])
        for seed in SeededGenerator.seeds(100) {
            var generator = SeededGenerator(seed: seed)
            let levels = (0..<Int.random(in: 1...3, using: &generator)).map { _ in Self.level(spelling, &generator) }
            let key = levels.joined(separator: ".")
            let variable = try #require(unset.variableName(forKey: key), "seed \(seed): \(key)")
            let store = EnvironmentStore(prefix: "P_", spelling: spelling, environment: [variable: "x"])
            try #require(store.value(forKey: key) == "x", "seed \(seed): \(key), \(variable)")
        }
    }

    private static func level(_ spelling: KeySpelling, _ generator: inout SeededGenerator) -> String {
        let words = ["at", "bc", "b2", "max", "7", "0x", "url"]
        let chosen = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            words[Int.random(in: 0..<words.count, using: &generator)]
        }
        return switch spelling {
        case .camelCase:
            chosen.dropFirst().reduce(chosen[0]) { name, word in
                let isNumber = word.first?.isNumber == true
                return name + (isNumber ? "_" + word : word.prefix(1).uppercased() + word.dropFirst())
            }
        case .snakeCase: chosen.joined(separator: "_")
        case .kebabCase: chosen.joined(separator: "-")
        }
    }
}

@Suite struct TypedEnvironmentTests {
    private let defaults = Defaults(
        LayeredStore([
            .init(
                "environment",
                EnvironmentStore(
                    prefix: "P_",
                    environment: [
                        "P_PORT": "8080", "P_VERBOSE": "yes", "P_BAD": "12abc", "P_TOKEN": "(hidden)",
                        "P_PORTS": "(80, 443)",
                        "P_LIMITS__CPU": "2", "P_LIMITS__MEMORY": "x", "P_TAGS": "{a = 1;}", "P_RANGE": "1000",
                    ]
                )
            ),
            .init("arguments", LaunchArgumentsStore(["--debug", "--level", "5", "--count=many"])),
            .init("memory", InMemoryStore(), isWritable: true),
        ])
    )

    @Test func `ordinary keys read variables and flags as values of their types`() throws {
        #expect(defaults[Defaults.Key<Int>("port", default: 0)] == 8080)
        #expect(defaults[Defaults.Key<Bool>("verbose", default: false)])
        #expect(defaults[Defaults.Key<Bool>("debug", default: false)])
        #expect(try defaults.value(for: Defaults.Key<[Int]>("ports", default: [])) == [80, 443])
        #expect(try defaults.value(for: Defaults.Key<Set<String>>("ports", default: [])) == ["80", "443"])
        #expect(try defaults.value(for: Defaults.Key<[String: Int]>("tags", default: [:])) == ["a": 1])
        #expect(try defaults.value(for: Defaults.Key<Int>("limits.cpu", default: 0)) == 2)
    }

    @Test func `a text that a key of a text reads is never taken for a list`() throws {
        #expect(try defaults.value(for: Defaults.Key<String>("ports", default: "")) == "(80, 443)")
        #expect(try defaults.value(for: Defaults.Key<String?>("token")) == "(hidden)")
    }

    /// The key of a number, and what its error has to name.
    @Test(arguments: [
        ("bad", "environment variable P_BAD"), ("token", "environment variable P_TOKEN"),
        ("limits.memory", "environment variable P_LIMITS__MEMORY"), ("level", "arguments --level"),
        ("count", "arguments --count"),
    ])
    func `an error names the variable or the flag and not the value`(_ name: String, _ place: String) throws {
        let key = Defaults.Key<Int>(name, default: 7).secret()
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.description.contains("key \"\(name)\" of \(place): ") == true, "\(String(describing: error))")
        for value in ["12abc", "hidden", "many"] {
            #expect(error?.description.contains(value) == false)
        }
        let invalid = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([key]) }
        #expect(invalid?.description.contains(place) == true)
    }

    @Test func `a problem and a broken rule name the variable too`() {
        let problems = reportedProblems { _ = defaults[Defaults.Key<Int>("bad", default: 7)] }
        #expect(problems.map { $0.contains("environment variable P_BAD") } == [true])
        let range = Defaults.Key<Int>("range", default: 1).validated(by: .range(0...10))
        let invalid = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([range]) }
        #expect(invalid?.description.contains("environment variable P_RANGE") == true)
        #expect(invalid?.description.contains("found \"1000\"") == true)
    }

    @Test func `an element that does not convert is named with the variables of its dictionary`() {
        let limits = Defaults.Key<[String: Int]>("limits", default: [:])
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: limits) }
        #expect(error?.description.contains("variables P_LIMITS__CPU, P_LIMITS__MEMORY") == true)
        #expect(error?.cause.path.description.contains("memory") == true)
    }
}
