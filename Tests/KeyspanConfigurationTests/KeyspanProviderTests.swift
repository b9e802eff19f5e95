import Configuration
import Foundation
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// The lookups of a provider: names, types, errors and secrets.
@Suite
struct KeyspanProviderTests {
    private struct ServerKeys: KeyGroup {
        let port = Key<Int>("port", default: 80)
        let timeout = Key<Duration>("http.timeout", default: .seconds(5))
        let level = Key<Level>("level", default: .low)
        let levels = Key<[Level]>("levels", default: [])
        let started = Key<Date?>("started")
        let limits = Key<[String: Int]>("limits", default: [:])
        let counter = Key<UInt64>("counter", default: 0)
        let password = Key<String?>("db.password").secret()
        let pin = Key<Int?>("pin").secret()
        let credentials = Key<[String: String]>("credentials", default: [:]).secret()
    }

    private enum Level: Int, CaseIterable, Defaults.Serializable {
        case low = 1
        case high = 2
    }

    private func content(_ provider: KeyspanProvider, _ key: AbsoluteConfigKey, _ type: ConfigType) throws
        -> ConfigContent?
    {
        let result = try provider.value(forKey: key, type: type)
        #expect(try provider.snapshot().value(forKey: key, type: type) == result)
        return result.value?.content
    }

    @Test(arguments: [70_000, 443])
    func `a value that breaks a rule of its key is an error without the value`(_ stored: Int) {
        let port = Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65_535))
        let store = InMemoryStore(["port": .integer(PropertyListInteger(stored))])
        let provider = KeyspanProvider(store, keys: [port])
        #expect(ConfigReader(provider: provider).int(forKey: "port", default: 8080) == (stored == 443 ? 443 : 8080))
        if stored == 443 { return }
        let error = #expect(throws: Defaults.ReadError.self) {
            try provider.value(forKey: AbsoluteConfigKey(["port"]), type: .int)
        }
        let text = error?.description ?? ""
        #expect(text.contains("between 1 and 65535") && !text.contains("70000"), "\(text)")
        // A provider without the key knows no rule.
        #expect(ConfigReader(provider: KeyspanProvider(store)).int(forKey: "port") == 70_000)
    }

    @Test func `an entry is before a member, and a longer name before a shorter one`() throws {
        let provider = KeyspanProvider(
            InMemoryStore([
                "a": ["b.c": 3, "b": ["c": 4, "d": 5], "e": ["f": ["g": 6]]],
                "a.b": ["c": 2, "x": 7],
                "a.b.c": 1,
            ])
        )
        #expect(try content(provider, "a.b.c", .int) == .int(1))
        #expect(try content(provider, "a.b.x", .int) == .int(7))
        #expect(try content(provider, "a.b.d", .int) == .int(5))
        #expect(try content(provider, "a.e.f.g", .int) == .int(6))
        #expect(try content(provider, ["a.e", "f.g"], .int) == .int(6))
        for absent in [["a", "b", "z"], ["a.e.f.g.h"], ["z"], ["a", ""], ["", "a"], []] as [AbsoluteConfigKey] {
            #expect(try content(provider, absent, .int) == nil)
        }
        #expect(try provider.value(forKey: "a.b.c", type: .int).encodedKey == "a.b.c")
    }

    @Test(arguments: [
        ("integer", ConfigType.int, ConfigContent.int(1)), ("integer", .double, .double(1)),
        ("real", .double, .double(1.5)), ("integers", .intArray, .intArray([1, 2])),
        ("integers", .doubleArray, .doubleArray([1, 2])), ("empty", .intArray, .intArray([])),
        ("empty", .byteChunkArray, .byteChunkArray([])),
    ])
    func `a value converts as for a key of the type`(name: String, type: ConfigType, expected: ConfigContent) throws {
        let store = InMemoryStore(["integer": 1, "real": 1.5, "integers": [1, 2], "empty": []])
        #expect(try content(KeyspanProvider(store), AbsoluteConfigKey([name]), type) == expected)
    }

    @Test(arguments: [
        ("integer", ConfigType.bool), ("integer", .string), ("boolean", .int), ("boolean", .string), ("real", .int),
        ("wide", .int), ("text", .int), ("text", .bytes), ("text", .stringArray), ("mixed", .stringArray),
        ("dictionary", .string), ("date", .string), ("integers", .stringArray),
    ])
    func `a value of another kind is an error with key and kinds`(name: String, type: ConfigType) throws {
        let store = InMemoryStore(
            [
                "integer": 1, "boolean": true, "real": 1.0, "wide": .integer(PropertyListInteger(UInt64.max)),
                "text": "1", "mixed": ["1", 2], "dictionary": ["a": 1], "date": .date(Date(timeIntervalSince1970: 0)),
                "integers": [1],
            ],
            name: "the store"
        )
        let provider = KeyspanProvider(store)
        let key = AbsoluteConfigKey([name])
        let error = #expect(throws: Defaults.ReadError.self) { try provider.value(forKey: key, type: type) }
        let description = try #require(error).description
        #expect(description.contains("key \"\(name)\"") && description.contains("the store"), "\(description)")
        #expect(description.contains("expected") || description.contains("not between"), "\(description)")
        #expect(throws: Defaults.ReadError.self) { try provider.snapshot().value(forKey: key, type: type) }
    }

    @Test func `a group gives values without a type as people write them`() throws {
        let settings = Defaults.Group<ServerKeys>(InMemoryStore())
        settings.port = 8080
        settings.timeout = .seconds(90)
        settings.level = .high
        settings.levels = [.low, .high]
        settings.started = Date(timeIntervalSince1970: 0)
        settings.limits = ["memory": 4, "cpu": 2]
        settings.counter = .max
        let provider = KeyspanProvider(settings)
        #expect(try content(provider, "http.timeout", .string) == .string("1m30s"))
        #expect(try content(provider, "level", .string) == .string("high"))
        #expect(try content(provider, "level", .int) == .int(2))
        #expect(try content(provider, "levels", .stringArray) == .stringArray(["low", "high"]))
        #expect(try content(provider, "started", .string) == .string("1970-01-01T00:00:00Z"))
        #expect(try content(provider, "limits", .string) == .string(#"{"cpu":2,"memory":4}"#))
        #expect(try content(provider, "limits.cpu", .int) == .int(2))
        #expect(try content(provider, "counter", .string) == .string("18446744073709551615"))
        // A number has a type, so a text is a mistake.
        #expect(throws: Defaults.ReadError.self) { try provider.value(forKey: "port", type: .string) }
    }

    // MARK: - Secrets

    @Test func `values of secret keys are marked, and their members`() throws {
        let settings = Defaults.Group<ServerKeys>(
            InMemoryStore(["db": ["password": "hunter2", "host": "localhost"], "credentials": ["token": "hunter2"]])
        )
        let provider = KeyspanProvider(settings)
        #expect(try provider.value(forKey: "db.password", type: .string).value?.isSecret == true)
        #expect(try provider.value(forKey: "db.host", type: .string).value?.isSecret == false)
        #expect(try provider.value(forKey: "credentials.token", type: .string).value?.isSecret == true)
        #expect(try provider.value(forKey: "credentials", type: .string).value?.isSecret == true)
        let config = ConfigReader(provider: provider, accessReporter: nil)
        #expect(config.string(forKey: "db.password") == "hunter2")
    }

    @Test func `a secret is in no description and in no error`() throws {
        let settings = Defaults.Group<ServerKeys>(InMemoryStore(["db.password": "hunter2", "pin": "hunter2"]))
        let provider = KeyspanProvider(settings)
        var dumped = ""
        dump(provider, to: &dumped)
        dump(provider.snapshot(), to: &dumped)
        let result = try provider.value(forKey: "db.password", type: .string)
        let error = #expect(throws: Defaults.ReadError.self) { try provider.value(forKey: "pin", type: .int) }
        var texts = [dumped, "\(provider)", String(reflecting: provider), result.value?.description ?? ""]
        texts += ["\(provider.snapshot())", String(reflecting: provider.snapshot())]
        texts += [error.map { "\($0)" } ?? "", error.map { String(reflecting: $0) } ?? ""]
        for text in texts {
            #expect(!text.isEmpty && !text.contains("hunter2"), "\(text)")
        }
        #expect(provider.providerName == "KeyspanProvider[in-memory store]")
        #expect(provider.description == "KeyspanProvider[in-memory store][2 values]")
    }

    @Test func `a snapshot stays as it was`() throws {
        let store = InMemoryStore(["a": 1, "b": 1])
        let provider = KeyspanProvider(store)
        let snapshot = provider.snapshot()
        try store.apply(PropertyListBatch([("a", 2), ("b", nil)]))
        #expect(try snapshot.value(forKey: "a", type: .int).value?.content == .int(1))
        #expect(try snapshot.value(forKey: "b", type: .int).value?.content == .int(1))
        #expect(try provider.value(forKey: "a", type: .int).value?.content == .int(2))
        #expect(try provider.value(forKey: "b", type: .int).value == nil)
    }

    @Test func `no error of a provider has a value, since only its reader may know that it is secret`() {
        let provider = KeyspanProvider(InMemoryStore(["pin": "hunter2"]))
        for type in [ConfigType.int, .bool, .double, .bytes, .intArray] {
            let error = #expect(throws: Defaults.ReadError.self) { try provider.value(forKey: "pin", type: type) }
            #expect(error?.description.contains("pin") == true && error?.description.contains("hunter2") == false)
        }
    }

    private struct Vault: Codable, Equatable, Defaults.Serializable {
        struct Inner: Codable, Equatable { var password: String }
        var inner: Inner
        var host: String
    }

    /// The secrets of a provider, and lookups of which those in `secret` are marked.
    @Test func `what is inside or around a secret is secret, at any depth and in any form`() throws {
        func expect(_ provider: KeyspanProvider, secret: [String], plain: [String]) throws {
            for name in secret + plain {
                let value = try provider.value(forKey: AbsoluteConfigKey(ConfigKey(name)), type: .string).value
                #expect(value?.isSecret == secret.contains(name), "\(name) of \(provider)")
            }
        }
        let plain = InMemoryStore(["tls": ["key": "hunter2"], "token": "hunter2", "port": "80"])
        let named = KeyspanProvider(plain, secrets: .specific(["token", "tls"]))
        try expect(named, secret: ["token", "tls.key"], plain: ["port"])
        let byValue = KeyspanProvider(plain, secrets: .dynamic { _, value in value == "hunter2" })
        try expect(byValue, secret: ["tls.key"], plain: ["port"])
        let ownName = Defaults.Key<[String: String]>("db", default: [:]).secret()
        let member = KeyspanProvider(InMemoryStore(["db.password": "hunter2"]), keys: [ownName])
        try expect(member, secret: ["db.password"], plain: [])
        let store = InMemoryStore(["db": ["credentials": ["token": "hunter2"], "host": "x"]])
        let credentials = Defaults.Key<[String: String]>("db.credentials", default: [:]).secret()
        let whole = Defaults.Key<[String: PropertyListValue]>("db", default: [:])
        for provider in [
            KeyspanProvider(store, keys: [whole, credentials]),
            KeyspanProvider(store, keys: [whole], secrets: .specific(["db.credentials"])),
        ] {
            try expect(provider, secret: ["db.credentials.token", "db"], plain: ["db.host"])
        }
        // A structure that is stored as text.
        let key = Defaults.Key<Vault?>("vault")
        let defaults = Defaults(InMemoryStore())
        defaults[key] = Vault(inner: .init(password: "hunter2"), host: "x")
        for secret in ["vault.inner", "vault.inner.password"] {
            let provider = KeyspanProvider(defaults.store, keys: [key], secrets: .specific([secret]))
            try expect(provider, secret: ["vault", "vault.inner.password"], plain: ["vault.host"])
        }
    }

    private struct Account: Codable, Equatable, Defaults.Serializable {
        var name: String
        var age: Int
    }

    private struct AccountKeys: KeyGroup {
        let account = Key<Account?>("account")
        let limits = Key<[String: Int]>("limits", default: [:])
    }

    @Test func `the members of structures and of dictionaries that are stored as text are found`() throws {
        let memory = Defaults.Group<AccountKeys>(InMemoryStore())
        memory.account = Account(name: "x", age: 3)
        #expect(try KeyspanProvider(memory).value(forKey: "account.age", type: .int).value?.content == .int(3))
        let variables = Defaults.Group<AccountKeys>(
            EnvironmentStore(prefix: "", keys: AccountKeys.allKeys, environment: ["LIMITS": "cpu=2,memory=4"])
        )
        #expect(try KeyspanProvider(variables).value(forKey: "limits.cpu", type: .int).value?.content == .int(2))
        #expect(try KeyspanProvider(variables).value(forKey: "limits.disk", type: .int).value == nil)
    }

    @Test func `lookups in layers are those of the present state`() throws {
        let (upper, lower) = (InMemoryStore(), InMemoryStore(["a": 1]))
        let provider = KeyspanProvider(LayeredStore([.init("upper", upper, isWritable: true), .init("lower", lower)]))
        for value in 1...3 {
            #expect(try provider.value(forKey: "a", type: .int).value?.content == .int(value))
            #expect(try provider.snapshot().value(forKey: "a", type: .int).value?.content == .int(value))
            (value == 1 ? lower : upper).set(.integer(PropertyListInteger(value + 1)), forKey: "a")
        }
    }
}
