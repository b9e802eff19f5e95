import Configuration
import ConfigurationTesting
import Foundation
import KeyspanConfiguration
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The suite of swift-configuration for providers, over stores of several kinds.
@Suite
struct ProviderCompatibilityTests {
    private static let magic = PropertyListValue.data(Data("magic".utf8))
    private static let magic2 = PropertyListValue.data(Data("magic2".utf8))

    private static let flat: PropertyListTable = [
        "string": "Hello", "int": 42, "double": 3.14, "bool": true, "bytes": magic,
        "stringy.array": ["Hello", "World"], "inty.array": [42, 24], "doubly.array": [3.14, 2.72],
        "booly.array": [true, false], "byteChunky.array": .array([magic, magic2]),
        "other.string": "Other Hello", "other.int": 24, "other.double": 2.72, "other.bool": false,
        "other.bytes": magic2,
        "other.stringy.array": ["Hello", "Swift"], "other.inty.array": [16, 32], "other.doubly.array": [0.9, 1.8],
        "other.booly.array": [false, true, true], "other.byteChunky.array": .array([magic, magic2, magic]),
    ]

    /// The same values in dictionaries, of which some have names with dots.
    private static let nested = PropertyListTable(nest(flat.map { ($0.key, $0.value) }))

    private static func nest(_ entries: [(key: String, value: PropertyListValue)]) -> PropertyListDictionary {
        var dictionary: PropertyListDictionary = [:]
        for (first, entries) in Dictionary(grouping: entries, by: { $0.key.prefix { $0 != "." } }) {
            let members = entries.map { ($0.key.dropFirst(first.count + 1), $0.value) }
            if members[0].0.isEmpty || first == "inty" {
                dictionary[entries[0].key] = entries[0].value
            } else {
                dictionary[String(first)] = .dictionary(nest(members.map { (String($0.0), $0.1) }))
            }
        }
        return dictionary
    }

    /// The same values as a person types them.
    private static let variables = [
        "string": "Hello", "int": "42", "double": "3.14", "bool": "yes", "bytes": "<6d61676963>",
        "stringy__array": "Hello,World", "inty__array": "42, 24", "doubly__array": "3.14,2.72",
        "booly__array": "true,no", "byte_chunky__array": "(<6d61676963>, <6d6167696332>)",
        "other__string": "Other Hello", "other__int": "24", "other__double": "2.72", "other__bool": "0",
        "other__bytes": "<6d6167696332>", "other__stringy__array": "Hello, Swift", "other__inty__array": "[16, 32]",
        "other__doubly__array": "0.9,1.8", "other__booly__array": "false,true,yes",
        "other__byte_chunky__array": "(<6d61676963>, <6d6167696332>, <6d61676963>)",
    ]

    private func verify(_ store: any PropertyListStore) async throws {
        try await ProviderCompatTest(provider: KeyspanProvider(store)).runTest()
    }

    @Test(arguments: [flat, nested])
    func `a memory store is a provider`(_ values: PropertyListTable) async throws {
        try await verify(InMemoryStore(values))
    }

    @Test(arguments: [flat, nested])
    func `a JSON file is a provider`(_ values: PropertyListTable) async throws {
        let folder = try TemporaryFolder()
        let store = try JSONFileStore(path: folder.path("settings.json"))
        try store.apply(PropertyListBatch(values.map { ($0.key, $0.value) }))
        try await store.synchronize()
        try await verify(store)
        let readAgain = try JSONFileStore(path: folder.path("settings.json"))
        try await verify(readAgain)
    }

    @Test func `a JSON file that is nested and opened with keys is a provider`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(decoding: JSONText.encode(Self.nested), as: UTF8.self), to: "settings.json")
        let keys: [Defaults.AnyKey] = Self.flat.sortedKeys.map { Defaults.Key<Defaults.AnySerializable?>($0) }
        try await verify(try JSONFileStore(path: path, keys: keys))
    }

    @Test func `layers are a provider`() async throws {
        let upper = Self.flat.filter { $0.key.hasPrefix("other.") }
        let lower = Self.flat.filter { !$0.key.hasPrefix("other.") }
        func store(_ entries: [(key: String, value: PropertyListValue)]) -> InMemoryStore {
            InMemoryStore(PropertyListTable(PropertyListDictionary(entries)))
        }
        try await verify(LayeredStore([.init("upper", store(upper)), .init("lower", store(lower))]))
    }

    @Test func `variables are a provider`() async throws {
        let variables = Dictionary(uniqueKeysWithValues: Self.variables.map { ($0.key.uppercased(), $0.value) })
        try await verify(EnvironmentStore(prefix: "", environment: variables))
    }
}
