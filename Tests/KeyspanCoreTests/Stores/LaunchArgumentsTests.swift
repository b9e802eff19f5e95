import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct LaunchArgumentsTests {
    @Test(
        arguments: [
            ([], [:]),
            (["program"], [:]),
            (["program", "-port", "8080"], ["port": "8080"]),
            (["-port", "8080", "-verbose", "YES"], ["port": "8080", "verbose": "YES"]),
            (["-a", "1", "file", "-b", "2"], ["a": "1", "b": "2"]),
            (["file", "other", "-a"], [:]),
            (["-a", "-b", "1"], ["b": "1"]),
            (["-", "x", "-a", "1"], ["a": "1"]),
            (["-a", "1", "-a", "2"], ["a": "2"]),
            (["-offset", "-5", "-ratio", "-1.5e3"], ["offset": "-5", "ratio": "-1.5e3"]),
            (["-a", "  spaced \n"], ["a": "spaced"]),
            (["-a", ""], ["a": ""]),
            (["-a", " "], ["a": ""]),
            (["-size.width", "1"], ["size.width": "1"]),
            (["-a", "ü 🦄"], ["a": "ü 🦄"]),
            (["-list", "(a, b)", "-a", "1"], ["list": ["a", "b"], "a": "1"]),
        ] as [([String], PropertyListTable)]
    )
    func `arguments are read as pairs`(_ arguments: [String], _ values: PropertyListTable) {
        #expect(LaunchArguments(arguments).values == values)
    }

    @Test(
        arguments: [
            ("(a, \"b c\")", ["a", "b c"]),
            (" ( 1 , ( ) ) ", ["1", []]),
            ("{cpu = 2; \"a b\" = (x);}", ["cpu": "2", "a b": ["x"]]),
            ("<0f BD>", .data(Data([0x0F, 0xBD]))),
            ("\"a b\"", "a b"),
            ("(a", "(a"),
            ("(a) b", "(a) b"),
            ("{a = 1; a = 2;}", "{a = 1; a = 2;}"),
            ("<b>bold</b>", "<b>bold</b>"),
            ("<plist><array/></plist>", "<plist><array/></plist>"),
            ("\"", "\""),
            ("[1]", "[1]"),
            ("a (b)", "a (b)"),
        ] as [(String, PropertyListValue)]
    )
    func `a value is a property list if it is written as one, and else text`(
        _ text: String,
        _ value: PropertyListValue
    ) {
        #expect(LaunchArguments(["-a", text]).values == ["a": value])
    }

    @Test func `a property list that no store can hold is text`() {
        for (levels, isText) in [
            (PropertyListValue.maximumNesting, false), (PropertyListValue.maximumNesting + 1, true),
        ] {
            let text = String(repeating: "(", count: levels) + String(repeating: ")", count: levels)
            #expect((LaunchArguments(["-a", text]).values["a"] == .string(text)) == isText)
        }
    }
}

@Suite struct LaunchArgumentsStoreTests {
    private let store = LaunchArgumentsStore(["-port", "8080"])

    @Test func `an observer receives the present values once`() {
        let heard = Recorder<PropertyListChange>()
        _ = store.observe(.named(["port", "absent"]), initial: true, heard.record)
        _ = store.observe(.all, initial: false, heard.record)
        let changes = heard.values
        #expect(changes.map(\.isInitial) == [true])
        #expect(changes.first?["port"]?.new == "8080")
        #expect(changes.first?["absent"] == .init(key: "absent", old: nil, new: nil))
    }

    @Test func `a layered store knows which of its values are text`() throws {
        let memory = InMemoryStore(["port": "stored", "host": "stored"])
        let below = LayeredStore([.init("memory", memory), .init("arguments", store)])
        #expect(!below.holdsText(forKey: "port"))
        let above = LayeredStore([.init("arguments", store), .init("memory", memory)])
        #expect(above.holdsText(forKey: "port"))
        #expect(!above.holdsText(forKey: "host"))
        #expect(!above.holdsText(forKey: "absent"))
        #expect(LayeredStore([.init("inner", above)]).holdsText(forKey: "port"))
        try memory.apply(PropertyListBatch(.remove(key: "port")))
        #expect(below.holdsText(forKey: "port"))
    }
}

@Suite(.heavy) struct FlagTests {
    @Test(
        arguments: [
            (["--port=8080"], ["port": "8080"]),
            (["--port=8080", "--port=9090"], ["port": "9090"]),
            (["--port="], ["port": ""]),
            (["--query=a=b"], ["query": "a=b"]),
            (["--motto= (a, b) "], ["motto": " (a, b) "]),
            (["--verbose"], ["verbose": true]),
            (["--verbose", "file"], ["verbose": true]),
            (["--port", "8080"], ["port": true]),
            (["--no-color"], ["color": false]),
            (["--no-color", "--color"], ["color": true]),
            (["--no-color=1"], ["noColor": "1"]),
            (["--no-dry-run"], ["dryRun": false]),
            (["--no"], ["no": true]),
            (["--no-"], [:]),
            (["--noColor"], ["noColor": true]),
            (["--launch-count=3"], ["launchCount": "3"]),
            (["--launchCount=3"], ["launchCount": "3"]),
            (["--launch_count=3"], ["launch_count": "3"]),
            (["--maxURLLength=3"], ["maxURLLength": "3"]),
            (["--max-URL-length=3"], ["maxURLLength": "3"]),
            (["--level-2-name=x"], ["level_2Name": "x"]),
            (["--a--b=x", "--c-=y"], ["a--b": "x", "c-": "y"]),
            (["---a"], ["-a": true]),
            (["--=x"], [:]),
            (["--a=1", "--", "--b=2", "-c", "3"], ["a": "1"]),
            (["-a", "--b=2"], ["b": "2"]),
            (["-a", "1", "--b", "-c", "3"], ["a": "1", "b": true, "c": "3"]),
            (["--server.port=1"], ["server.port": "1", "server": ["port": "1"]]),
            (
                ["--server.max-count=1", "--no-server.tls"],
                ["server.maxCount": "1", "server.tls": false, "server": ["maxCount": "1", "tls": false]]
            ),
            (
                ["--a.b.c=1"],
                ["a.b.c": "1", "a.b": ["c": "1"], "a": ["b": ["c": "1"]]]
            ),
            (["--a=1", "--a.b=2"], ["a": "1", "a.b": "2"]),
            (["--a.b=1", "--a.b.c=2"], ["a.b": "1", "a.b.c": "2", "a": ["b": "1"]]),
            (["--a..b=1", "--.c=1"], ["a..b": "1", ".c": "1"]),
        ] as [([String], PropertyListTable)]
    )
    func `arguments with two hyphens are flags and pairs`(_ arguments: [String], _ values: PropertyListTable) {
        #expect(LaunchArguments(arguments).values == values)
    }

    @Test(arguments: [
        (KeySpelling.camelCase, "launchCount"), (.snakeCase, "launch_count"), (.kebabCase, "launch-count"),
    ])
    func `words are joined as the program spells its keys`(_ spelling: KeySpelling, _ key: String) {
        #expect(LaunchArguments(["--launch-count=3"], spelling: spelling).values == [key: "3"])
    }

    @Test func `keys that are given are found whatever their spelling is`() {
        let keys = ["maxURLLength", "launch_count", "noColor", "server.idle_time"].map {
            Defaults.Key<String>($0, default: "")
        }
        let arguments = [
            "--max-url-length=3", "--launch-count=4", "--no-color", "--server.idle-time=5", "--other-key=6",
        ]
        #expect(
            LaunchArguments(arguments, keys: keys).values == [
                "maxURLLength": "3", "launch_count": "4", "noColor": true, "server.idle_time": "5",
                "server": ["idle_time": "5"], "otherKey": "6",
            ]
        )
        let both = ["aB", "a_b"].map { Defaults.Key<String>($0, default: "") }
        #expect(LaunchArguments(["--a-b=1"], keys: both).values == ["aB": "1", "a_b": "1"])
    }

    @Test func `each value knows its argument`() {
        let arguments = LaunchArguments([
            "-port", "1", "--host=a", "--no-color", "--server.a=1", "--server.b=2", "--server.b=3",
        ])
        #expect(
            arguments.names == [
                "port": ["-port"], "host": ["--host"], "color": ["--no-color"], "server.a": ["--server.a"],
                "server.b": ["--server.b"], "server": ["--server.a", "--server.b"],
            ]
        )
    }

    @Test func `an argument that is not UTF-8 is data, and none with such a name is read`() {
        let arguments = [
            [0x2D, 0x61], [0x78, 0xFF], Array("--b=".utf8) + [0xFE], Array("--c".utf8) + [0xFF] + Array("=1".utf8),
            [0x2D, 0xFF], [0x2D, 0x35], Array("--d=1".utf8),
        ].map { OutsideText($0 as [UInt8]) }
        let values = LaunchArguments(arguments).values
        #expect(values == ["a": .data(Data([0x78, 0xFF])), "b": .data(Data([0xFE])), "d": "1"])
    }

    @Test func `the arguments of the process are read byte for byte`() {
        let arguments = CommandLine.arguments
        #expect(OutsideText.arguments.map(\.repaired) == arguments)
        #expect(LaunchArguments(arguments).values == LaunchArguments(OutsideText.arguments).values)
    }

    @Test func `thousands of members of one dictionary are all read, and named in the order of their arguments`() {
        let names = (0..<20_000).map { "--a.b.k\($0)" }
        let arguments = LaunchArguments((names + names).map { $0 + "=1" })
        #expect(arguments.values["a"]?["b"]?.dictionaryValue?.count == names.count)
        #expect(arguments.values["a.b"]?.dictionaryValue?.count == names.count)
        #expect(arguments.names["a"] == names)
    }

    @Test func `a name with more levels than a value can have is a key and no dictionary`() {
        let name = String(repeating: "a.", count: PropertyListValue.maximumNesting) + "a"
        #expect(LaunchArguments(["--\(name)=1"]).values == [name: "1"])
    }
}

@Suite struct TypedArgumentsTests {
    private let memory = InMemoryStore(["level": "2"])
    private let defaults: Defaults

    init() {
        let arguments = LaunchArguments([
            "-port", "8080", "-verbose", "YES", "-ratio", "1.5", "-host", "8080", "-level", "1", "-home", "/a", "-bad",
            "12abc",
            "-ports", "(80, 443)", "-servers", "(a, \"b c\")", "-limits", "{cpu = 2; memory = 16;}",
        ])
        defaults = Defaults(
            LayeredStore([
                .init("arguments", LaunchArgumentsStore(arguments)), .init("memory", memory, isWritable: true),
                .init("registered", RegistrationDomain()),
            ])
        )
    }

    @Test func `ordinary keys read arguments as values of their types`() throws {
        #expect(defaults[Defaults.Key<Int>("port", default: 0)] == 8080)
        #expect(defaults[Defaults.Key<Bool>("verbose", default: false)])
        #expect(defaults[Defaults.Key<Double?>("ratio")] == 1.5)
        #expect(defaults[Defaults.Key<String>("host", default: "")] == "8080")
        #expect(defaults[Defaults.Key<LogLevel>("level", default: .low)] == .high)
        #expect(defaults[Defaults.Key<[Int]>("ports", default: [])] == [80, 443])
        #expect(defaults[Defaults.Key<URL?>("home")] == URL(filePath: "/a", directoryHint: .notDirectory))
        #expect(try defaults.value(for: Defaults.Key<UInt16>("port", default: 0)) == 8080)
    }

    @Test func `lists and dictionaries are read in the types of their elements`() throws {
        try defaults.register(["servers": ["registered"]])
        #expect(try defaults.value(for: Defaults.Key<[String]>("servers", default: [])) == ["a", "b c"])
        #expect(try defaults.value(for: Defaults.Key<[String]>("ports", default: [])) == ["80", "443"])
        #expect(try defaults.value(for: Defaults.Key<[Int]>("ports", default: [])) == [80, 443])
        #expect(try defaults.value(for: Defaults.Key<Set<UInt16>>("ports", default: [])) == [80, 443])
        let limits = Defaults.Key<[String: Int]>("limits", default: [:])
        #expect(try defaults.value(for: limits) == ["cpu": 2, "memory": 16])
        #expect(throws: Defaults.ReadError.self) {
            try defaults.value(for: Defaults.Key<[Int]>("servers", default: []))
        }
    }

    @Test func `an argument that does not convert is a problem with the rule`() {
        let key = Defaults.Key<Int>("bad", default: 7)
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.cause == .unreadable("12abc", reason: Int.coercionRule))
    }

    @Test func `text of another layer stays text`() {
        #expect(throws: Defaults.ReadError.self) {
            try Defaults(memory).value(for: Defaults.Key<Int>("level", default: 0))
        }
    }

    @Test func `a write below an argument keeps nothing, because the argument stays`() throws {
        try defaults.set(1, for: Defaults.Key<Int>("port", default: 0))
        try defaults.set(2, for: Defaults.Key<Int>("bad", default: 0))
        #expect(memory.snapshot() == ["level": "2", "port": 1, "bad": 2])
    }
}

private enum LogLevel: Int, Defaults.Serializable {
    case low, high
}
