@_spi(StoreAuthors) import KeyspanCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct HelpTests {
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
                                         '(a, b)'. Default: ["localhost"].
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
        let key = Defaults.Key<Int>("aVeryLongNameOfAKeyThatLeavesNoSpace", default: 1).summary("Short.")
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

    @Test(arguments: [
        (Defaults.Key<Int?>("key") as Defaults.AnyKey, "An integer."),
        (Defaults.Key<Int8?>("key"), "An integer from -128 to 127."),
        (Defaults.Key<UInt?>("key"), "An integer of at least 0."),
        (Defaults.Key<Double>("key") { 5 }, "A number. The default is computed."),
        (Defaults.Key<Duration>("key", default: .seconds(90)), "A duration such as 1h30m. Default: 1m30s."),
        (
            Defaults.Key<Defaults.ByteCount>("key", default: .kibibytes(64)),
            "A number of bytes such as 64KiB. Default: 64KiB."
        ),
        (Defaults.Key<String>("key", default: ""), #"Text. Default: ""."#),
        (Defaults.Key<Set<UInt8>>("key", default: []), "A set of integers, as in '(a, b)'. Default: []."),
        (Defaults.Key<[String: [Double]]?>("key"), "A dictionary of lists of numbers, as in '{name = a;}'."),
        (Defaults.Key<[Mode]?>("key"), "A list of texts, as in '(a, b)'."),
        (Defaults.Key<Mode?>("key").secret(), "Text. Secret."),
        (Defaults.Key<Date?>("key"), "A date such as 2026-11-21T10:50:00Z."),
        (Defaults.Key<UUID?>("key"), "A UUID."),
        (Defaults.Key<Point?>("key"), "A value of the type Point."),
    ])
    func `a type is described in words`(key: Defaults.AnyKey, text: String) {
        let help = Defaults(InMemoryStore()).help([key], width: 200)
        #expect(help.split(separator: "\n")[1] == "  key  \(text)")
    }

    @Test func `a variable that may name a file says so, and a key without a variable has none`() {
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<String?>("a_b"), Defaults.Key<Bool?>("noColor"), Defaults.Key<Bool?>("color"),
        ]
        let environment = EnvironmentStore(
            names: VariableNames(prefix: "P_", keys: [keys[0]], spelling: .camelCase),
            environment: [:],
            fileSuffix: "_FILE",
            name: "environment"
        )
        let arguments = LaunchArgumentsStore([], keys: keys)
        let text = Defaults(LayeredStore([.init("a", arguments), .init("e", environment)])).help(keys, width: 80)
        let names = text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.split(separator: " ")[0] }
        #expect(names == ["--a-b=…", "P_A_B[_FILE]", "--[no-]no-color", "P_NO_COLOR", "--color", "P_COLOR"])
    }
}
