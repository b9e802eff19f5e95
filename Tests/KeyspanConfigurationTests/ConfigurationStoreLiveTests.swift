import Configuration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanConfiguration

/// Stores that follow a provider, and providers that refuse values.
@Suite(.bounded)
struct ConfigurationStoreLiveTests {
    private static let writes = TestLevel.current.pick(2_000, thorough: 50_000)

    private let port = Defaults.Key<Int>("port", default: 80)
    private let host = Defaults.Key<String>("host", default: "localhost")

    private func value(_ integer: Int) -> ConfigValue { ConfigValue(.int(integer), isSecret: false) }

    @Test func `changes of a provider reach keys and observers`() async throws {
        let provider = MutableInMemoryProvider(initialValues: ["port": value(1)])
        let store = ConfigurationStore(provider, keys: [port])
        let defaults = Defaults(store)
        #expect(defaults[port] == 1)
        let received = Recorder<Int>()
        let observation = defaults.observe(port, options: []) { received.record($0.newValue) }
        provider.setValue(value(2), forKey: "port")
        try await eventually("the observer has the new port", received.last, is: 2)
        #expect(defaults[port] == 2)
        provider.setValue(nil, forKey: "port")
        try await eventually("the observer has the default", received.last, is: 80)
        #expect(defaults[port] == 80 && !defaults.hasValue(for: port))
        observation.invalidate()
    }

    @Test func `a version is one change`() async throws {
        let provider = ScriptedProvider(["port": value(1), "host": "a"])
        let store = ConfigurationStore(provider, keys: [port, host])
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false) { changes.record($0) }
        try await provider.awaitWatch()
        provider.change { $0.values = ["port": value(2), "host": "b"] }
        try await eventually("the version has arrived", changes.count, is: 1)
        let change = try #require(changes.last)
        #expect(change.entries.count == 2)
        #expect(change["port"]?.storedOld == StoredValue(1) && change["port"]?.storedNew == StoredValue(2))
        #expect(change["host"]?.storedNew == StoredValue("b", isText: true))
        #expect(store.snapshot() == ["port": 2, "host": "b"])
        #expect(store.storedValue(forKey: "host")?.isText == true && store.storedValue(forKey: "port")?.isText == false)
        #expect(store.provenance(forKey: "port")?.description == "scripted key THE_port")
        observation.cancel()
    }

    @Test func `versions and refused values are activity, and a refused value makes the contents stale`() async throws {
        let (provider, problems) = (ScriptedProvider(["port": value(1)]), Problems())
        let store = problems.collect { ConfigurationStore(provider, keys: [port]) }
        let names = Recorder<String>()
        let observation = store.observeActivity { activity in
            names.record(Mirror(reflecting: activity).children.first?.label ?? "\(activity)")
        }
        defer { observation.cancel() }
        // The first version of the watch is the one that was read already.
        let made = store.contentsStatus.lastGood
        try await eventually("the watch has begun", store.contentsStatus.lastGood) { $0 != made }
        let opened = store.contentsStatus
        #expect(opened.staleSince == nil)
        provider.change { $0.values = ["port": self.value(2)] }
        try await eventually("the version is activity", names.values, is: ["reloaded"])
        #expect(try #require(store.contentsStatus.lastGood) > #require(opened.lastGood))
        provider.change { $0.values = ["port": "eighty"] }
        try await eventually("the refusal is activity", names.values, is: ["reloaded", "rejected"])
        #expect(store.contentsStatus.staleSince != nil && Defaults(store)[port] == 2)
        #expect(problems.refusedKeys == ["port"] && !problems.descriptions.contains { $0.contains("eighty") })
        provider.change { $0.values = ["port": self.value(3)] }
        try await eventually("the next version is activity", names.values, is: ["reloaded", "rejected", "reloaded"])
        #expect(store.contentsStatus.staleSince == nil && Defaults(store)[port] == 3)
    }

    @Test func `a change before the watch begins is not lost`() async throws {
        for number in 0..<TestLevel.current.pick(50, thorough: 1_000) {
            let provider = MutableInMemoryProvider(initialValues: [:])
            let defaults = Defaults(ConfigurationStore(provider, keys: [port]))
            provider.setValue(value(number), forKey: "port")
            try await eventually("the change has arrived", defaults[port], is: number)
        }
    }

    @Test func `a store beside a fast writer ends with the last value`() async throws {
        let provider = MutableInMemoryProvider(initialValues: [:])
        let defaults = Defaults(ConfigurationStore(provider, keys: [port]))
        let writer = TestThread {
            for number in 1...Self.writes {
                provider.setValue(ConfigValue(.int(number), isSecret: false), forKey: "port")
            }
        }
        var last = 0
        for await number in defaults.updates(port, initial: false) {
            #expect(number > last)
            last = number
            if number == Self.writes { break }
        }
        writer.join()
        #expect(defaults[port] == Self.writes)
    }

    @Test func `a store that does not watch keeps its values`() async throws {
        let provider = ScriptedProvider(["port": value(1)])
        let store = ConfigurationStore(provider, keys: [port], isWatching: false)
        provider.change { $0.values["port"] = value(2) }
        #expect(provider.watchCount == 0 && Defaults(store)[port] == 1)
    }

    @Test func `a store that is released lets its provider go`() async throws {
        weak var provider: ScriptedProvider?
        weak var store: ConfigurationStore?
        do {
            let made = ScriptedProvider(["port": value(1)])
            let opened = ConfigurationStore(made, keys: [port])
            (provider, store) = (made, opened)
            try await made.awaitWatch()
            #expect(Defaults(opened)[port] == 1)
        }
        #expect(store == nil)
        try await eventually("the provider is released") { provider == nil }
    }

    @Test(arguments: [false, true])
    func `the end of a watch is reported, and the values stay`(endsWithError: Bool) async throws {
        let problems = Problems()
        let provider = ScriptedProvider(["port": value(1)], endsWithError: endsWithError)
        let store = problems.collect { ConfigurationStore(provider, keys: [port]) }
        try await provider.awaitWatch()
        provider.end()
        try await eventually("the end is reported", problems.count, is: 1)
        let problem = try #require(problems.last)
        guard case .storeNotice("scripted", let notice as ConfigurationNotice) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(problem.severity == .warning && (store.contentsStatus.staleSince != nil) == endsWithError)
        #expect(problem.fields == ["problem": "storeNotice", "store": "scripted", "kind": "watchEnded"])
        #expect(notice.kind == .watchEnded && (notice.underlying is ScriptedProvider.End) == endsWithError)
        #expect(notice.description.contains("reports no more changes"))
        #expect(Defaults(store)[port] == 1)
    }

    // MARK: - Refused values

    @Test func `a refused value leaves the one before, is reported once, and holds up no other`() async throws {
        let problems = Problems()
        let provider = ScriptedProvider(["port": value(1), "host": "a"])
        let store = problems.collect { ConfigurationStore(provider, keys: [port, host]) }
        let defaults = Defaults(store)
        try await provider.awaitWatch()
        for host in ["b", "c"] {
            provider.change {
                $0.refused = ["port"]
                $0.values["host"] = ConfigValue(.string(host), isSecret: false)
            }
            try await eventually("the other value has arrived", defaults[self.host], is: host)
            #expect(defaults[port] == 1)
        }
        #expect(problems.refusedKeys == ["port"])
        provider.change {
            $0.refused = []
            $0.values["port"] = value(2)
        }
        try await eventually("the good value has arrived", defaults[port], is: 2)
        provider.change { $0.refused = ["port"] }
        try await eventually("the refusal is reported", problems.refusedKeys, is: ["port", "port"])
        #expect(defaults[port] == 2)
    }

    @Test func `a value that is refused at the start is absent`() throws {
        let problems = Problems()
        let provider = ScriptedProvider(["port": value(1), "host": "a"])
        provider.change { $0.refused = ["port"] }
        let store = problems.collect { ConfigurationStore(provider, keys: [port, host]) }
        #expect(store.snapshot() == ["host": "a"])
        #expect(store.contentsStatus.lastGood == nil && store.contentsStatus.staleSince != nil)
        #expect(problems.refusedKeys == ["port"])
        let description = try #require(problems.descriptions.first)
        #expect(description.contains("key \"port\" of scripted") && description.contains("an integer (Refusal)"))
        #expect(!description.contains("hunter2"))
    }

    // MARK: - Values that keys cannot use

    /// The row of providers in the table of the article on following changes.
    @Test(arguments: ["one", ConfigValue(.int(70_000), isSecret: false), ConfigValue(.bool(true), isSecret: false)])
    func `a value that its key cannot use never takes effect`(_ bad: ConfigValue) async throws {
        let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65_535))
        let problems = Problems()
        let provider = ScriptedProvider(["port": bad, "host": "a"])
        let store = problems.collect { ConfigurationStore(provider, keys: [port, host]) }
        let defaults = Defaults(store)
        problems.collect { for _ in 1...2 { #expect(defaults[port] == 80 && defaults[host] == "a") } }
        #expect(problems.count == 1 && problems.descriptions[0].contains("key \"port\""), "\(problems.descriptions)")
        try await provider.awaitWatch()
        provider.change { $0.values["port"] = self.value(1) }
        try await eventually("the good value has arrived", defaults[port], is: 1)
        for host in ["b", "c"] {
            provider.change { $0.values = ["port": bad, "host": ConfigValue(.string(host), isSecret: false)] }
            try await eventually("the other value has arrived", defaults[self.host], is: host)
            #expect(defaults[port] == 1)
        }
        let text = try #require(problems.descriptions.last)
        #expect(
            problems.refusedKeys.filter { $0 == "port" }.count >= 1 && problems.count == 2,
            "\(problems.descriptions)"
        )
        #expect(text.contains("key \"port\" of scripted") && text.contains("correct the value there"), "\(text)")
        provider.change { $0.values["port"] = self.value(2) }
        try await eventually("the corrected value has arrived", defaults[port], is: 2)
    }

    @Test func `the entries of a key are those of one version, also if the provider refuses one`() async throws {
        let key = Defaults.Key<Window>("window", default: Window(width: 1, height: 1))
        let provider = ScriptedProvider(["window.width": value(3), "window.height": value(4)])
        let store = Problems().collect { ConfigurationStore(provider, keys: [key, port]) }
        try await provider.awaitWatch()
        provider.change {
            $0.values = ["window.width": self.value(5), "window.height": self.value(6), "port": self.value(1)]
            $0.refused = ["window.height"]
        }
        try await eventually("the version has arrived", Defaults(store)[port], is: 1)
        #expect(Defaults(store)[key] == Window(width: 3, height: 4))
    }

    @Test(arguments: [true, false])
    func `every key of an entry is asked whether it can use the value`(isTextFirst: Bool) async throws {
        let (text, delay) = (Defaults.Key<String?>("delay"), Defaults.Key<Duration?>("delay"))
        let provider = ScriptedProvider(["delay": "5s"])
        let problems = Problems()
        // The last key can use none of the values, so it holds back none.
        let keys: [Defaults.AnyKey] =
            (isTextFirst ? [text, delay] : [delay, text]) + [port, Defaults.Key<String?>("port")]
        let store = problems.collect { ConfigurationStore(provider, keys: keys) }
        try await provider.awaitWatch()
        for version in 1...2 {
            provider.change { $0.values = ["delay": "soon", "port": self.value(version)] }
            try await eventually("the version has arrived", Defaults(store)[port], is: version)
            #expect(Defaults(store)[text] == "5s" && Defaults(store)[delay] == .seconds(5))
        }
        #expect(problems.refusedKeys == ["delay"])
    }

    /// The first key could use 0 or 5 beside the value that the second one needs, or could not.
    @Test(arguments: [0, 5])
    func `a key with an entry of another key that keeps its value keeps all of its entries`(first: Int) async throws {
        let (below, above) = (Defaults.Key<Rising?>("a-b"), Defaults.Key<Rising?>("b-c"))
        let provider = ScriptedProvider(["a": value(1), "b": value(2), "c": value(3)])
        let problems = Problems()
        let store = problems.collect { ConfigurationStore(provider, keys: [below, above, port]) }
        let defaults = Defaults(store)
        try await provider.awaitWatch()
        let versions = [(first, 6, 4), (0, 2, 1), (5, 6, 7)]
        let expected = [(1, 2, 3), (0, 2, 3), (5, 6, 7)]
        for (number, (version, values)) in zip(versions, expected).enumerated() {
            provider.change {
                $0.values = [
                    "a": self.value(version.0), "b": self.value(version.1), "c": self.value(version.2),
                    "port": self.value(number),
                ]
            }
            try await eventually("the version has arrived", defaults[port], is: number)
            #expect(defaults[below] == Rising(low: values.0, high: values.1), "version \(number)")
            #expect(defaults[above] == Rising(low: values.1, high: values.2), "version \(number)")
        }
        #expect(problems.refusedKeys == ["b-c"] && store.contentsStatus.staleSince == nil)
    }

    // MARK: - Secrets

    @Test func `no error shows a secret`() throws {
        let problems = Problems()
        let pin = Defaults.Key<Int?>("pin").secret()
        let delay = Defaults.Key<Duration?>("delay").secret()
        let provider = ScriptedProvider([
            "pin": ConfigValue(.string("hunter2"), isSecret: false),
            "delay": ConfigValue(.string("hunter2"), isSecret: true),
        ])
        provider.change { $0.refused = ["pin"] }
        let store = problems.collect { ConfigurationStore(provider, keys: [pin, delay], isWatching: false) }
        problems.collect { #expect(Defaults(store)[pin] == nil && Defaults(store)[delay] == nil) }
        var texts = problems.descriptions + ["\(store)", String(reflecting: store)]
        texts.append(problems.values.map { String(reflecting: $0) }.joined())
        texts.append("\(Defaults(store).describe([pin, delay]))")
        #expect(problems.values.count == 2)
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test func `a secret of the provider whose key is none is reported once, and not shown`() async throws {
        let problems = Problems()
        let delay = Defaults.Key<Duration?>("delay")
        let provider = ScriptedProvider(["delay": ConfigValue(.string("5s"), isSecret: true)])
        let store = problems.collect { ConfigurationStore(provider, keys: [delay]) }
        #expect(Defaults(store)[delay] == .seconds(5))
        try await provider.awaitWatch()
        provider.change { $0.values["delay"] = ConfigValue(.string("hunter2"), isSecret: true) }
        try await eventually("the refusal is reported", problems.refusedKeys, is: ["delay"])
        #expect(Defaults(store)[delay] == .seconds(5))
        provider.change { $0.values["delay"] = ConfigValue(.string("6s"), isSecret: true) }
        try await eventually("the good value has arrived", Defaults(store)[delay], is: .seconds(6))
        let notices = problems.descriptions.filter { $0.contains("mark the key with secret()") }
        #expect(notices.count == 1 && problems.values.count == 2)
        #expect(!problems.descriptions.contains { $0.contains("hunter2") })
    }

    @Test func `an older version that a provider delivers last is not taken`() async throws {
        let provider = ScriptedProvider(["port": value(1)])
        let store = ConfigurationStore(provider, keys: [port])
        try await provider.awaitWatch()
        // Of two writers, the first one may deliver last.
        let old = provider.snapshot()
        provider.change { $0.values = ["port": self.value(2)] }
        try await eventually("the version has arrived", Defaults(store)[port], is: 2)
        let (versions, read) = (store.revision(of: .all), store.contentsStatus.lastGood)
        provider.deliver(old)
        try await eventually("the older version is read", store.contentsStatus.lastGood) { $0 != read }
        #expect(Defaults(store)[port] == 2 && store.revision(of: .all) == versions)

        let other = ScriptedProvider(["port": value(2)])
        try await ConfigReader(provider: other).watch(port) { ports in
            var iterator = ports.makeAsyncIterator()
            #expect(try await iterator.next() == 2)
            try await other.awaitWatch()
            let lookups = other.lookups.count
            other.deliver(old)
            let change = Task {
                try await eventually("the reader has looked again", other.lookups.count) { $0 > lookups }
                other.change { $0.values = ["port": self.value(3)] }
            }
            #expect(try await iterator.next() == 3)
            try await change.value
        }
    }

    @Test func `a value that may be secret to a provider behind a reader is in no error`() throws {
        let provider = EnvironmentVariablesProvider(
            environmentVariables: ["DELAY": "hunter2", "PARTS": "hunter2,1"],
            secretsSpecifier: .all
        )
        let reader = ConfigReader(provider: provider)
        let (delay, parts) = (
            Defaults.Key<Duration>("delay", default: .zero), Defaults.Key<[Int]>("parts", default: [])
        )
        let problems = Problems()
        let errors = try problems.collect {
            let store = ConfigurationStore(reader, keys: [delay, parts], isWatching: false)
            #expect(Defaults(store)[delay] == .zero && Defaults(store)[parts] == [])
            #expect(reader[delay] == .zero && reader[parts] == [])
            return try [
                #require(throws: ConfigurationReadError.self) { try reader.value(for: delay) },
                #require(throws: ConfigurationReadError.self) { try reader[parts.throwing()] },
            ]
        }
        // The provider itself refuses the parts.
        #expect(problems.refusedKeys.sorted() == ["delay", "parts", "parts"] && problems.values.count == 4)
        for text in problems.descriptions + errors.map(\.description) { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test func `a type that a provider refuses is not absent because another one is`() throws {
        struct OnlyTexts: ConfigSnapshot {
            let providerName = "texts"
            func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
                if type == .int { throw ScriptedProvider.Refusal() }
                return LookupResult(encodedKey: "port", value: nil)
            }
        }
        let query = try #require(EntryQuery.all(of: port).first)
        let answer = query.answer { try OnlyTexts().value(forKey: AbsoluteConfigKey(query.configKey), type: $0) }
        guard case .refused(as: .int, _) = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    /// A size in two entries.
    private struct Window: Equatable, Defaults.Serializable {
        var width: Int
        var height: Int

        struct Bridge: Defaults.DirectBridge {
            func entries(of key: String) -> [String] { [key + ".width", key + ".height"] }

            func get(key: String, store: PropertyListTable) throws(ValueDecodingError) -> Window? {
                guard let width = store[key + ".width"], let height = store[key + ".height"] else { return nil }
                guard case .integer(let width) = width, case .integer(let height) = height else {
                    throw .unreadable(width, reason: "\(width) is no number")
                }
                return Window(width: width.converted() ?? 0, height: height.converted() ?? 0)
            }

            func save(key: String, value: Window?, store: inout PropertyListEdit) {
                store[key + ".width"] = value.map { .integer(PropertyListInteger($0.width)) }
                store[key + ".height"] = value.map { .integer(PropertyListInteger($0.height)) }
            }
        }

        static let bridge = Bridge()
    }

    @Test func `a value of several entries that may be secret is taken as a whole or not at all`() async throws {
        let provider = ScriptedProvider(["window.width": value(3), "window.height": value(4)])
        let key = Defaults.Key<Window>("window", default: Window(width: 1, height: 1))
        let problems = Problems()
        let store = problems.collect { ConfigurationStore(ConfigReader(provider: provider), keys: [key, port]) }
        #expect(Defaults(store)[key] == Window(width: 3, height: 4))
        try await provider.awaitWatch()
        for version in 1...3 {
            provider.change {
                $0.values = ["window.width": "hunter2", "window.height": self.value(5), "port": self.value(version)]
            }
            try await eventually("the version has arrived", Defaults(store)[port], is: version)
            #expect(Defaults(store)[key] == Window(width: 3, height: 4) && store.contentsStatus.staleSince != nil)
        }
        provider.change { $0.values = ["window.width": self.value(6), "window.height": self.value(7)] }
        try await eventually("the good version has arrived", Defaults(store)[key], is: Window(width: 6, height: 7))
        #expect(store.contentsStatus.staleSince == nil)
    }

    @Test func `a value that may be secret must be readable by all keys of its name`() {
        let texts = Defaults.Key<String?>("pin")
        let numbers = Defaults.Key<Int?>("pin")
        let provider = InMemoryProvider(values: ["pin": ConfigValue("hunter2", isSecret: true)])
        let problems = Problems()
        problems.collect {
            let store = ConfigurationStore(provider, keys: [texts, numbers], isWatching: false)
            #expect(Defaults(store)[texts] == nil && Defaults(store)[numbers] == nil)
        }
        #expect(problems.refusedKeys == ["pin"])
        for text in problems.descriptions { #expect(!text.contains("hunter2"), "\(text)") }
    }

    @Test(arguments: [true, false])
    func `a value that its key cannot read leaves the one before, and the report says why`(isSecret: Bool) async throws
    {
        let provider = ScriptedProvider(["delay": "5s", "port": value(0)])
        let delay = Defaults.Key<Duration>("delay", default: .zero)
        let problems = Problems()
        let key = isSecret ? delay.secret() : delay
        let store = problems.collect { ConfigurationStore(provider, keys: [key, port]) }
        let defaults = Defaults(store)
        try await provider.awaitWatch()
        for version in 1...2 {
            provider.change { $0.values = ["delay": "hunter2", "port": self.value(version)] }
            try await eventually("the version has arrived", defaults[port], is: version)
            #expect(defaults[delay] == .seconds(5) && store.contentsStatus.staleSince != nil)
        }
        #expect(problems.refusedKeys == ["delay"])
        #expect(problems.descriptions.first?.contains("hunter2") == !isSecret)
        provider.change { $0.values = ["delay": "6s", "port": self.value(3)] }
        try await eventually("the good value has arrived", defaults[delay], is: .seconds(6))
        #expect(store.contentsStatus.staleSince == nil)
    }

    @Test func `of a key with several entries, none changes while one of them is refused`() async throws {
        let provider = ScriptedProvider(["window.width": value(3), "window.height": value(4)])
        let key = Defaults.Key<Window>("window", default: Window(width: 1, height: 1))
        let problems = Problems()
        let store = problems.collect { ConfigurationStore(provider, keys: [key, port]) }
        try await provider.awaitWatch()
        for version in 1...2 {
            provider.change {
                $0.refused = ["window.width"]
                $0.values["window.height"] = self.value(4 + version)
                $0.values["port"] = self.value(version)
            }
            try await eventually("the version has arrived", Defaults(store)[port], is: version)
            #expect(Defaults(store)[key] == Window(width: 3, height: 4))
        }
        #expect(problems.refusedKeys == ["window.width"])
        provider.change {
            $0.refused = []
            $0.values["window.width"] = self.value(5)
        }
        try await eventually("the good version has arrived", Defaults(store)[key], is: Window(width: 5, height: 6))
    }
}
