import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct HelpTests {
    typealias Key = Defaults.Key

    enum Mode: String, CaseIterable, Defaults.Serializable {
        case fast, safe
    }

    struct ServerKeys: KeyGroup {
        let port = Key<UInt16>("port", default: 8080).validated(by: .range(1...)).summary("Where to listen.")
        let verbose = Key<Bool>("verbose", default: false)
        let mode = Key<Mode>("mode", default: .fast).summary("How to answer")
        let token = Key<String>("token", default: "hunter2").validated(by: .oneOf("hunter2", "b")).secret()
        let tls = Prefixed<TLSKeys>("tls.")
    }

    struct TLSKeys: KeyGroup {
        let hosts = Key<[String]>("hosts", default: ["localhost"])
            .summary(
                "The names for which the server has a certificate, in the order in which they are offered to a client."
            )
        let minVersion = Key<String>("minVersion", default: "TLS 1.2")
    }

    private func store(keys: [Defaults.AnyKey] = ServerKeys.allKeys) -> LayeredStore {
        LayeredStore([
            .init("arguments", LaunchArgumentsStore(["--port=1"], keys: keys)),
            .init("environment", EnvironmentStore(prefix: "P_", keys: keys, environment: ["P_TOKEN": "hidden"])),
            .init("settings", InMemoryStore(["token": "hidden"], name: "/etc/settings.json"), isWritable: true),
        ])
    }

    @Test func `the text has the names, the rules and the defaults of keys in columns, and no secrets`() {
        #expect(
            Defaults.Group<ServerKeys>(store()).help(width: 72) == """
                Settings:
                  port                   Where to listen. An integer from 0 to 65535;
                    --port=…             must be at least 1. Default: 8080.
                    P_PORT
                  verbose                True or false. Default: false.
                    --[no-]verbose
                    P_VERBOSE
                  mode                   How to answer. One of fast, safe. Default:
                    --mode=…             fast.
                    P_MODE
                  token                  Text; must be one of 2 values that are secret.
                    --token=…            Secret.
                    P_TOKEN

                Settings of tls:
                  tls.hosts              The names for which the server has a
                    --tls.hosts=…        certificate, in the order in which they are
                    P_TLS__HOSTS         offered to a client. A list of texts, as in
                                         a,b. Default: ["localhost"].
                  tls.minVersion         Text. Default: "TLS 1.2".
                    --tls.min-version=…
                    P_TLS__MIN_VERSION

                Each setting has its value from the first of these sources that has one:
                  arguments
                  environment  variables P_…
                  settings     /etc/settings.json

                """
        )
    }

    @Test(arguments: [40, 50, 72, 80, 200])
    func `no line is wider than asked for, unless a name or a word is`(_ width: Int) {
        let text = Defaults.Group<ServerKeys>(store()).help(width: width)
        for line in text.split(separator: "\n") {
            #expect(line.count <= width || line.split(separator: " ").contains { $0.count > width / 2 }, "\(line)")
            #expect(line.last?.isWhitespace == false)
        }
        #expect(
            Defaults.Group<ServerKeys>(store()).help(width: 1) == Defaults.Group<ServerKeys>(store()).help(width: 40)
        )
    }

    @Test func `names that are too long for their column have lines of their own`() {
        let key = Key<Int>("aVeryLongNameOfAKeyThatLeavesNoSpace", default: 1).summary("Short.")
        #expect(
            Defaults(InMemoryStore(name: "memory")).help([key], width: 40) == """
                Settings:
                  aVeryLongNameOfAKeyThatLeavesNoSpace
                                    Short. An integer.
                                    Default: 1.

                Each setting has its value from the
                first of these sources that has one:
                  memory

                """
        )
    }

    @Test func `an error has the same example for a dictionary as the help text`() {
        let limits = Key<[Mode: Int]>("limits", default: [:])
        let store = EnvironmentStore(prefix: "P_", keys: [limits], environment: ["P_LIMITS": "fast:1"])
        let error = #expect(throws: Defaults.ValidationError.self) { try Defaults(store).validate([limits]) }
        let message = error?.description ?? ""
        #expect(
            message.contains("expected a dictionary of integers such as fast=2,safe=4 but found \"fast:1\""),
            "\(message)"
        )
    }

    @Test(arguments: [
        (Key<Int?>("key") as Defaults.AnyKey, "An integer."),
        (Key<Int8?>("key"), "An integer from -128 to 127."),
        (Key<UInt?>("key"), "An integer of at least 0."),
        (Key<Double>("key") { 5 }, "A number. The default is computed."),
        (Key<Duration>("key", default: .seconds(90)), "A duration such as 1h30m. Default: 1m30s."),
        (Key<Defaults.ByteCount>("key", default: .kibibytes(64)), "A number of bytes such as 64KiB. Default: 64KiB."),
        (Key<String>("key", default: ""), #"Text. Default: ""."#),
        (Key<Set<UInt8>>("key", default: []), "A set of integers, as in 80,90. Default: []."),
        (Key<Data>("key", default: Data([15, 189])), "Data in hexadecimal digits, as in '<0fbd>'. Default: <0fbd>."),
        (Key<[String: [Double]]?>("key"), #"A dictionary of lists of numbers, as in '{"name":[0.5,2]}'."#),
        (Key<[Mode]?>("key"), "A list of values among fast, safe, as in fast,safe."),
        (Key<Set<Mode>?>("key").secret(), "A set of texts. Secret."),
        (Key<[String: Int]?>("key"), "A dictionary of integers, as in cpu=2,memory=4."),
        (Key<[String: String]?>("key"), "A dictionary of texts, as in name=a,other=b."),
        (Key<[Mode: Int]>("key", default: [:]), "A dictionary of integers, as in fast=2,safe=4. Default: {}."),
        (Key<[Int: String]?>("key"), "A dictionary of texts, as in 1=a,2=b."),
        (Key<Range<Int>?>("key"), "A range of integers, as in 80,90, with the lower bound first."),
        (Key<Defaults.Percentage?>("key"), "A percentage such as 80%."),
        (Key<[Defaults.Percentage]?>("key"), "A list of percentages, as in 80%,100%."),
        (Key<Defaults.HostAndPort?>("key"), "A host and port such as 127.0.0.1:8080."),
        (Key<Defaults.IPAddress?>("key"), "An IP address such as 192.0.2.1."),
        (Key<Data?>("key"), "Data in hexadecimal digits, as in '<0fbd>'."),
        (Key<ErrorMessageTests.Version?>("key"), "Text such as 1.4."),
        (
            Key<ErrorMessageTests.Server>("key", default: .init(host: "a", port: 1, mode: .fast)),
            #"A structure with the members host, mode, port, as JSON text. Default: {"host":"a","mode":"fast","port":1}."#
        ),
        (Key<ErrorMessageTests.Server?>("key"), "A value of the type Server, as JSON text."),
        (Key<Mode?>("key").secret(), "Text. Secret."),
        // The bridge of the key reads other texts than the type.
        (Key<Int>("key", default: 12, bridge: ReversedBridge()), "A value of the type Int. Default: 21."),
        (Key<[Level]?>("key"), "A list of texts."),
        (Key<[Double: String]?>("key"), "A dictionary of texts."),
        (Key<[Character: Int]>("key", default: ["a": 1]), #"A dictionary of integers. Default: {"a":1}."#),
        // A source could take the text for a collection, and a line of the help text cannot have several spaces.
        (Key<String>("key", default: "{}"), #"Text. Default: "{}"."#),
        (Key<String>("key", default: "a  b/"), #"Text. Default: "a \u0020b/"."#),
        (Key<[String]>("key", default: ["/var"]), #"A list of texts, as in a,b. Default: ["/var"]."#),
        (Key<String>("key", default: "\0"), "Text. The default has no form as text."),
        (
            Key<[String: String]>("key", default: ["$data": "aGk="]),
            "A dictionary of texts, as in name=a,other=b. The default has no form as text."
        ),
        (Key<Range<Duration>?>("key"), "A range of durations, as in 1h30m,2h, with the lower bound first."),
        (Key<Float>("key", default: 0.1), "A number. Default: 0.1."),
        (Key<Double>("key", default: .infinity), "A number. The default has no form as text."),
        (
            Key<Duration?>("key").validated(by: .ifPresent(.range(.seconds(1)...Duration.seconds(60)))),
            "A duration; must be between 1s and 1m."
        ),
        (Key<Date?>("key"), "A date such as 2026-11-21T10:50:00Z."),
        (Key<UUID?>("key"), "A UUID."),
        (Key<Point?>("key"), "A value of the type Point."),
    ])
    func `a type is described in words`(key: Defaults.AnyKey, text: String) {
        let help = Defaults(InMemoryStore()).help([key], width: 200)
        #expect(help.split(separator: "\n")[1] == "  key  \(text)")
    }

    enum Level: String, Defaults.Serializable {
        case low, high
    }

    struct ReversedBridge: Defaults.Bridge {
        func serialize(_ value: Int?) -> String? { value.map { String(String($0).reversed()) } }
        func deserialize(_ object: String?) -> Int? { object.flatMap { Int(String($0.reversed())) } }
    }

    enum Weight: Int, CaseIterable, Codable, Defaults.Serializable {
        case thin = 100, bold = 700
    }

    private static let server = ErrorMessageTests.Server(host: "a b", port: 1, mode: .fast)
    private static let date = Date(timeIntervalSinceReferenceDate: 0.25)

    @Test(
        arguments: [
            Key<Bool>("key", default: true), Key<Int>("key", default: -3), Key<Float>("key", default: 0.1),
            Key<Double>("key", default: 1e300), Key<String>("key", default: "two words"),
            Key<Data>("key", default: Data([15, 189])), Key<Date>("key", default: date),
            Key<[Date]>("key", default: [date]), Key<Duration>("key", default: .milliseconds(1500)),
            Key<Decimal>("key", default: 1), Key<[String: Int]>("key", default: ["cpu": 2]),
            Key<[String: [String]]>("key", default: ["a b": ["c, d", "\""]]),
            Key<[Int: Double]>("key", default: [7: 1.5]), Key<Set<Mode>>("key", default: [.safe]),
            Key<Range<Int>>("key", default: 3..<5), Key<Mode>("key", default: .safe),
            Key<Weight>("key", default: .bold), Key<[Weight: Int]>("key", default: [.bold: 1]),
            Key<ErrorMessageTests.Server>("key", default: server),
            Key<[ErrorMessageTests.Server]>("key", default: [server]),
            Key<ErrorMessageTests.Server>.jsonCoded("key", default: server),
            Key<ErrorMessageTests.Server>.jsonCoded("key", default: server, as: .data),
            Key<Weight>.jsonCoded("key", default: .bold), Key<Int>("key", default: 12, bridge: ReversedBridge()),
            Key<Defaults.Percentage?>("key", default: Defaults.Percentage("12.5%")),
            Key<[Defaults.ByteCount]>("key", default: [.kibibytes(64)]),
        ] as [Defaults.AnyKey]
    )
    func `a default can be typed where the help text says it`(key: Defaults.AnyKey) throws {
        let help = Defaults(InMemoryStore()).help([key], width: 1000)
        let line = try #require(help.split(separator: "\n").first { $0.contains("Default: ") })
        var text = try #require(String(line).components(separatedBy: "Default: ").last).dropLast()
        if text.hasPrefix("\"") { text = text.dropFirst().dropLast() }
        let stores: [any PropertyListStore] = [
            EnvironmentStore(prefix: "", keys: [key], environment: ["KEY": String(text)]),
            LaunchArgumentsStore(["--key=" + text], keys: [key]),
        ]
        for store in stores {
            try Defaults(store).validate([key])
            guard case .value(let stored)? = Defaults(store).describe([key]).rows.first?.defaultValue else {
                Issue.record("the key has no default")
                continue
            }
            let typed = try #require(store.storedValue(forKey: "key"))
            #expect(key.readableForm(of: typed) == key.readableForm(of: StoredValue(stored)), "\(text)")
        }
    }

    @Test func `a variable that may name a file says so, and a key without a variable has none`() {
        let keys: [Defaults.AnyKey] = [
            Key<String?>("a_b"), Key<Bool?>("noColor"), Key<Bool?>("color"),
        ]
        let environment = EnvironmentStore(
            names: VariableNames(prefix: "P_", keys: [keys[0]], spelling: .camelCase),
            environment: [:],
            fileSuffix: "_FILE",
            name: "environment"
        )
        let arguments = LaunchArgumentsStore([], keys: keys)
        let text = Defaults(LayeredStore([.init("a", arguments), .init("e", environment)])).help(keys, width: 80)
        let names = text.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasPrefix("     ") }
            .map { $0.split(separator: " ")[0] }
        #expect(text.contains("_FILE at its end"))
        #expect(names == ["--a-b=…", "P_A_B[_FILE]", "--[no-]no-color", "P_NO_COLOR", "--color", "P_COLOR"])
    }

    @Test func `a variable in two sources is shown once, in the form that has more`() {
        let key: Defaults.AnyKey = Key<String?>("token")
        let names = VariableNames(prefix: "P_", keys: [key], spelling: .camelCase)
        let first = EnvironmentStore(names: names, environment: [:], name: "other variables")
        let second = EnvironmentStore(names: names, environment: [:], fileSuffix: "_FILE", name: "environment")
        let text = Defaults(LayeredStore([.init("a", first), .init("b", second)])).help([key], width: 200)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("    P_TOKEN") } == ["    P_TOKEN[_FILE]"])
    }

    @Test func `a long default is not shown`() {
        let help = Defaults(InMemoryStore()).help([Defaults.Key<Data>("data", default: Data(count: 500))], width: 200)
        #expect(help.contains("The default has 1002 bytes as text.") && !help.contains("0000"), "\(help)")
    }
}
