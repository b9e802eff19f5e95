import Configuration
import Foundation
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The values that a store takes from a provider.
@Suite(.heavy)
struct ConfigurationStoreTests {
    private enum Level: String, Defaults.Serializable {
        case low
        case high
    }

    private struct Account: Codable, Equatable, Defaults.Serializable {
        var name: String
        var age: Int
    }

    private func read<Value>(_ value: ConfigValue, by key: Defaults.Key<Value>) throws -> Value {
        let provider = InMemoryProvider(values: [AbsoluteConfigKey(key.configKey): value])
        return try Defaults(ConfigurationStore(provider, keys: [key], isWatching: false)).value(for: key)
    }

    private func value(_ content: ConfigContent) -> ConfigValue { ConfigValue(content, isSecret: false) }

    // MARK: - Types

    @Test func `a key asks for its type`() throws {
        #expect(try read(value(.bool(true)), by: .init("a.b", default: false)))
        #expect(try read(value(.int(80)), by: .init("a.b", default: 0)) == 80)
        #expect(try read(value(.int(80)), by: .init("a.b", default: UInt8(0))) == 80)
        let number: Double = try read(value(.double(1.5)), by: .init("a.b", default: 0))
        #expect(number == 1.5)
        #expect(try read(value(.string("x")), by: .init("a.b", default: "")) == "x")
        #expect(try read(value(.bytes([1, 2])), by: .init("a.b", default: Data())) == Data([1, 2]))
        #expect(try read(value(.boolArray([true, false])), by: .init("a.b", default: [Bool]())) == [true, false])
        #expect(try read(value(.intArray([1, 2])), by: .init("a.b", default: Set<Int>())) == [1, 2])
        let floats: [Float] = try read(value(.doubleArray([1, 2])), by: .init("a.b", default: []))
        #expect(floats == [1, 2])
        #expect(try read(value(.stringArray(["x"])), by: .init("a.b", default: [String]())) == ["x"])
        #expect(try read(value(.byteChunkArray([[1]])), by: .init("a.b", default: [Data]())) == [Data([1])])
        #expect(try read(value(.int(1)), by: Defaults.Key<Int?>("a.b")) == 1)
    }

    @Test func `a key of another type reads text as people write it`() throws {
        #expect(try read("1m30s", by: .init("a", default: Duration.zero)) == .seconds(90))
        #expect(try read("high", by: .init("a", default: Level.low)) == .high)
        #expect(try read("https://example.com", by: Defaults.Key<URL?>("a")) == URL(string: "https://example.com"))
        #expect(try read("2026-11-21T10:50:00Z", by: Defaults.Key<Date?>("a"))?.timeIntervalSince1970 == 1_795_258_200)
        #expect(try read(#"{"name":"x","age":3}"#, by: Defaults.Key<Account?>("a")) == Account(name: "x", age: 3))
        #expect(try read("cpu=2,memory=4", by: .init("a", default: [String: Int]())) == ["cpu": 2, "memory": 4])
        #expect(try read("1.10", by: Defaults.Key<Decimal?>("a")) == Decimal(string: "1.10"))
        let durations = Defaults.Key<[Duration]>("a", default: [])
        #expect(try read(value(.stringArray(["5s", "1m"])), by: durations) == [.seconds(5), .seconds(60)])
    }

    @Test func `a key takes another type that it can read if its own is refused`() throws {
        #expect(try read("8080", by: .init("a", default: 0)) == 8080)
        #expect(try read("yes", by: .init("a", default: false)))
        let number: Double = try read(value(.int(2)), by: .init("a", default: 0))
        #expect(number == 2)
        let numbers: [Double] = try read(value(.intArray([2])), by: .init("a", default: []))
        #expect(numbers == [2])
        #expect(try read("80,443", by: .init("a", default: [Int]())) == [80, 443])
        #expect(try read(value(.int(3)), by: Defaults.Key<Decimal?>("a")) == 3)
        #expect(try read("18446744073709551615", by: .init("a", default: UInt64(0))) == .max)
    }

    @Test func `variables reach keys by the provider's own names`() throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "HTTP_TIMEOUT": "1m30s", "HTTP_PORTS": "80, 443",
        ])
        let timeout = Defaults.Key<Duration>("http.timeout", default: .zero)
        let ports = Defaults.Key<[Int]>("http.ports", default: [])
        let defaults = Defaults(ConfigurationStore(provider, keys: [timeout, ports]))
        #expect(defaults[timeout] == .seconds(90) && defaults[ports] == [80, 443])
        #expect(defaults.provenance(of: timeout)?.description == "EnvironmentVariablesProvider key HTTP_TIMEOUT")
    }

    @Test func `each name in a key is one of the provider`() throws {
        let provider = InMemoryProvider(
            name: "values",
            values: [
                ["a", "", "b"]: ConfigValue(.int(1), isSecret: false),
                ["e\u{301}"]: ConfigValue(.int(2), isSecret: false),
            ]
        )
        let keys = ["a..b", "a.b", "e\u{301}"].map { Defaults.Key<Int?>($0) }
        let store = ConfigurationStore(provider, keys: keys)
        #expect(keys.map { Defaults(store)[$0] } == [1, nil, 2])
        #expect(store.name == "InMemoryProvider[values]")
        #expect(store.provenance(forKeys: ["a..b", "a.b"], findingLines: true).keys.sorted() == ["a..b"])
    }

    @Test func `of two keys with one name the first one decides the type`() throws {
        let (number, text) = (Defaults.Key<Int?>("a"), Defaults.Key<String?>("a"))
        let provider = InMemoryProvider(values: ["a": ConfigValue(.int(1), isSecret: false)])
        #expect(ConfigurationStore(provider, keys: [number, text]).storedValue(forKey: "a") == StoredValue(1))
    }

    // MARK: - A store that is read

    @Test func `a write is refused with a remedy`() async throws {
        let store = ConfigurationStore(InMemoryProvider(name: "x", values: [:]), keys: [])
        let batch = PropertyListBatch(.set("2", key: "port"))
        let applied = #expect(throws: StoreError.self) { try store.apply(batch) }
        let committed = await #expect(throws: StoreError.self) { try await store.commit(batch) }
        for error in [applied, committed] {
            #expect(error?.code == .readOnly && error?.key == "port" && error?.store == "InMemoryProvider[x]")
            #expect(error?.remedy.contains("another layer") == true)
        }
        try await store.commit(PropertyListBatch())
    }

    @Test(arguments: StoreConformance.all)
    func `a store above a writable one keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            scale: .ofLevel,
            makeStore: {
                let provider = MutableInMemoryProvider(initialValues: [:])
                return LayeredStore([
                    .init("provider", ConfigurationStore(provider, keys: [Defaults.Key<Int?>("provided")])),
                    .init("memory", InMemoryStore(), isWritable: true),
                ])
            },
            patience: .seconds(60)
        )
    }

    @Test func `a value of a provider hides a lower layer`() throws {
        let key = Defaults.Key<Int>("a", default: 0)
        let provider = InMemoryProvider(values: ["a": ConfigValue(.int(1), isSecret: false)])
        let layers = LayeredStore([
            .init("provider", ConfigurationStore(provider, keys: [key])),
            .init("memory", InMemoryStore(["a": 2, "b": 3]), isWritable: true),
        ])
        #expect(Defaults(layers)[key] == 1)
        #expect(layers.snapshot() == ["a": 1, "b": 3])
    }

    @Test func `a value that the key cannot read in its own type is asked for in others`() throws {
        let key = Defaults.Key<[[String: Int]]>("a", default: [])
        let source = Defaults(InMemoryStore())
        source[key] = [["cpu": 1]]
        let provider = KeyspanProvider(source.store, keys: [key])
        #expect(try ConfigReader(provider: provider).value(for: key) == [["cpu": 1]])
        #expect(Defaults(ConfigurationStore(provider, keys: [key]))[key] == [["cpu": 1]])
        let variables = EnvironmentVariablesProvider(environmentVariables: ["LISTS": "[[1,2],[3]]"])
        let lists = Defaults.Key<[[Int]]>("lists", default: [])
        #expect(Defaults(ConfigurationStore(variables, keys: [lists]))[lists] == [[1, 2], [3]])
    }

    @Test func `a value is secret if any of its keys is`() throws {
        let log = AccessLog()
        let provider = InMemoryProvider(values: ["pin": ConfigValue(.int(4711), isSecret: false)])
        let keys = [Defaults.Key<Int?>("pin"), Defaults.Key<Int?>("pin").secret()]
        let store = ConfigurationStore(ConfigReader(provider: provider, accessReporter: log), keys: keys)
        #expect(store.value(forKey: "pin") == 4711)
        #expect(log.events.count > 0 && !log.events.values.contains { $0.contains("4711") })
    }

    @Test func `a text that a key cannot read is not read as another type`() {
        let key = Defaults.Key<Date?>("since")
        let config = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: ["SINCE": "2021"]))
        let error = #expect(throws: ConfigurationReadError.self) { try config.value(for: key) }
        #expect(error?.description.contains("since") == true)
    }
}
