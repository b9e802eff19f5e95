import Configuration
import Foundation
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

extension Defaults.Keys {
    fileprivate static let timeout = Key<Duration>("http.timeout", default: .seconds(5))
    fileprivate static let password = Key<String?>("db.password").secret()
}

/// Keys that a `ConfigReader` reads.
@Suite(.bounded)
struct ConfigReaderKeyTests {
    private static let limit = Defaults.Key<Int>("limit", default: 10)

    private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
        ConfigReader(provider: InMemoryProvider(values: values))
    }

    @Test func `a key has the components of its name`() {
        #expect(Defaults.Keys.timeout.configKey == ConfigKey(["http", "timeout"]))
        #expect(Defaults.Key<Int?>("a..b").configKey == ConfigKey(["a", "", "b"]))
    }

    @Test func `a reader has the value of a key, or its default`() throws {
        let config = reader(["http.timeout": "1m30s", "limit": ConfigValue(.int(3), isSecret: false)])
        #expect(config[.timeout] == .seconds(90) && config.snapshot()[.timeout] == .seconds(90))
        #expect(try config[Self.limit.throwing()] == 3)
        #expect(try config.value(for: Self.limit) == 3 && config.snapshot().value(for: Self.limit) == 3)
        let empty = reader([:])
        #expect(empty[.timeout] == .seconds(5) && empty.snapshot()[.timeout] == .seconds(5))
        // Absent, and not refused.
        #expect(try empty[Self.limit.throwing()] == 10 && empty.snapshot()[Self.limit.throwing()] == 10)
        #expect(try empty.value(for: Defaults.Key<[String: Int]?>("limits")) == nil)
    }

    @Test func `the scope of a reader is a prefix`() {
        let config = reader(["server.http.timeout": "7s"]).scoped(to: "server")
        #expect(config[.timeout] == .seconds(7))
        let store = ConfigurationStore(config, keys: [Defaults.Keys.timeout])
        #expect(Defaults(store)[.timeout] == .seconds(7))
        #expect(store.name.contains("InMemoryProvider"))
    }

    @Test func `a reader of several providers finds the first value`() {
        let config = ConfigReader(providers: [
            InMemoryProvider(values: [:]), InMemoryProvider(values: ["http.timeout": "7s"]),
            InMemoryProvider(values: ["http.timeout": "8s"]),
        ])
        #expect(config[.timeout] == .seconds(7))
    }

    @Test func `a refused value is an error of a throwing key, and a problem of a plain one`() throws {
        let name = "refused.\(UUID())"
        let key = Defaults.Key<Int>(name, default: 10)
        let config = reader([AbsoluteConfigKey(key.configKey): "ten"])
        let error = #expect(throws: ConfigurationReadError.self) { try config[key.throwing()] }
        guard case .refused(let refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == .valueRefused && refusal.key == name && !refusal.description.contains("ten\""))
        let problems = Problems()
        problems.collect { #expect(config[key] == 10 && config[key] == 10) }
        #expect(problems.refusedKeys == [name])
    }

    @Test func `an unreadable value is an error of a throwing key, and a problem of a plain one`() throws {
        let config = reader(["http.timeout": "soon"])
        let error = #expect(throws: ConfigurationReadError.self) { try config[Defaults.Keys.timeout.throwing()] }
        guard case .unreadable(let unreadable)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(unreadable.key == "http.timeout" && error?.description.contains("soon") == false)
        let problems = Problems()
        problems.collect { #expect(config[.timeout] == .seconds(5) && config[.timeout] == .seconds(5)) }
        #expect(problems.values.count == 1)
    }

    @Test func `a secret is in no access log and in no error`() throws {
        let log = AccessLog()
        let pin = Defaults.Key<Duration?>("pin").secret()
        let provider = InMemoryProvider(values: ["db.password": "hunter2", "pin": "hunter2"])
        let config = ConfigReader(provider: provider, accessReporter: log)
        #expect(config[.password] == "hunter2")
        let error = #expect(throws: ConfigurationReadError.self) { try config.value(for: pin) }
        let texts = log.events.values + [error.map { "\($0)" } ?? ""]
        #expect(texts.count == 3)
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        #expect(texts.first?.contains("ConfigReaderKeyTests.swift") == true)
    }

    @Test func `a key is watched from its present value to the last one`() async throws {
        let writes = TestLevel.current.pick(1_000, thorough: 20_000)
        let provider = MutableInMemoryProvider(initialValues: [:])
        let writer = Locked<TestThread?>(nil)
        try await ConfigReader(provider: provider).watch(Self.limit) { values in
            var iterator = values.makeAsyncIterator()
            #expect(try await iterator.next() == 10)
            // A change of another key yields nothing.
            provider.setValue("x", forKey: "other")
            let thread = TestThread {
                for number in 1...writes {
                    provider.setValue(ConfigValue(.int(number), isSecret: false), forKey: "limit")
                }
            }
            writer.withLock { $0 = thread }
            var last = 0
            while let value = try await iterator.next(), last != writes {
                #expect(value > last)
                last = value
                if last == writes { break }
            }
            #expect(last == writes)
        }
        writer.withLock(\.self)?.join()
    }

    @Test func `a throwing key is watched with its errors`() async throws {
        let provider = MutableInMemoryProvider(initialValues: ["http.timeout": "7s"])
        let key = Defaults.Keys.timeout.throwing()
        try await ConfigReader(provider: provider).watch(key) { values in
            var iterator = values.makeAsyncIterator()
            #expect(try await iterator.next()?.get() == .seconds(7))
            provider.setValue("soon", forKey: "http.timeout")
            guard case .failure(.unreadable(let error))? = try await iterator.next() else {
                Issue.record("the unreadable value was no error")
                return
            }
            #expect(error.key == "http.timeout")
            provider.setValue(ConfigValue(.bool(true), isSecret: false), forKey: "http.timeout")
            guard case .failure(.refused(let refusal))? = try await iterator.next() else {
                Issue.record("the refused value was no error")
                return
            }
            #expect(refusal.key == "http.timeout")
            provider.setValue(nil, forKey: "http.timeout")
            #expect(try await iterator.next()?.get() == .seconds(5))
        }
    }
}
