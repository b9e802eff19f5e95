import Configuration
import KeyspanConfiguration
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The samples of the documentation.
@Suite(.bounded)
struct SampleTests {
    private struct ServerKeys: KeyGroup {
        let port = Key<Int>("http.port", default: 8080)
        let timeout = Key<Duration>("http.timeout", default: .seconds(5))
        let password = Key<String?>("database.password").secret()
    }

    @Test func `a file reaches a reader`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"http": {"port": 80, "timeout": "1m30s"}}"#, to: "settings.json")
        let settings = Defaults.Group<ServerKeys>(try JSONFileStore(path: path, keys: ServerKeys.allKeys))
        let config = ConfigReader(provider: KeyspanProvider(settings))
        let port = config.int(forKey: "http.port", default: 8080)
        let timeout = config.string(forKey: "http.timeout")
        #expect(port == 80 && timeout == "1m30s")
        let duration = config[ServerKeys().timeout]
        let limit = try config.value(for: Defaults.Key<Int>("http.limit", default: 10))
        #expect(duration == .seconds(90) && limit == 10)
    }

    @Test func `variables reach a group through a provider`() {
        let provider = EnvironmentVariablesProvider(environmentVariables: ["HTTP_TIMEOUT": "1m30s"])
        let layers = LayeredStore([
            .init("environment", ConfigurationStore(provider, keys: ServerKeys.allKeys)),
            .init("memory", InMemoryStore(), isWritable: true),
        ])
        let settings = Defaults.Group<ServerKeys>(layers)
        #expect(settings.timeout == .seconds(90) && settings.port == 8080)
        settings.port = 81
        #expect(settings.port == 81)
    }

    @Test func `a program follows a key`() async throws {
        let timeout = Defaults.Key<Duration>("http.timeout", default: .seconds(5))
        let provider = MutableInMemoryProvider(initialValues: [:])
        let config = ConfigReader(provider: provider)
        let received = try await config.watch(timeout) { values in
            var received: [Duration] = []
            for await timeout in values {
                received.append(timeout)
                if received.count == 2 { break }
                provider.setValue("1m30s", forKey: "http.timeout")
            }
            return received
        }
        #expect(received == [.seconds(5), .seconds(90)])
    }

    /// A value in two entries, which a direct bridge chooses.
    private struct Window: Equatable, Defaults.Serializable {
        var width: Double
        var title: String

        struct Bridge: Defaults.DirectBridge {
            func entries(of key: String) -> [String] { [key + ".width", key + ".title"] }

            func get(key: String, store: PropertyListTable) -> Window? {
                guard case .real(let width)? = store[key + ".width"], case .string(let title)? = store[key + ".title"]
                else { return nil }
                return Window(width: width, title: title)
            }

            func save(key: String, value: Window?, store: inout PropertyListEdit) {
                store[key + ".width"] = value.map { .real($0.width) }
                store[key + ".title"] = value.map { .string($0.title) }
            }
        }

        static let bridge = Bridge()
    }

    @Test func `a value in several entries is asked for by the names of these`() throws {
        let key = Defaults.Key<Window?>("window")
        let source = Defaults(InMemoryStore())
        source[key] = Window(width: 1.5, title: "x")
        let provider = KeyspanProvider(source.store, keys: [key])
        #expect(try provider.value(forKey: "window.width", type: .double).value?.content == .double(1.5))
        #expect(Defaults(ConfigurationStore(provider, keys: [key]))[key] == source[key])
        #expect(ConfigReader(provider: provider)[key] == source[key])
    }
}
