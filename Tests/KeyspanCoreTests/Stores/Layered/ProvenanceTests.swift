@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct ProvenanceTests {
    private let file = InMemoryStore(["port": 1, "host": "a", "d": ["b": 2, "c": 2]], name: "file store")
    private let base = InMemoryStore(["port": 0, "low": 1, "d": ["c": 3]], name: "base")

    private func store(_ dictionaries: LayeredStore.Dictionaries = .whole) -> LayeredStore {
        LayeredStore(
            [
                .init("arguments", LaunchArgumentsStore(["-port", "1", "--d.a=1", "--no-color"])),
                .init("environment", EnvironmentStore(prefix: "P_", environment: ["P_PORT": "2", "P_HOST": "b"])),
                .init("file", file, isWritable: true),
                .init("base", base),
            ],
            dictionaries: dictionaries
        )
    }

    @Test(arguments: [
        ("port", "arguments -port"), ("color", "arguments --no-color"),
        ("host", "environment variable P_HOST"), ("low", "base"), ("d", "arguments --d.a"),
    ])
    func `a value is from the layer that readers see it in`(_ key: String, _ description: String) {
        #expect(store().provenance(forKey: key)?.description == description)
        #expect(Defaults(store()).provenance(of: Defaults.Key<Int>(key, default: 0))?.description == description)
    }

    @Test func `a merged value is from all layers of which it has a part`() throws {
        let provenance = store(.merged).provenance(forKey: "d")
        #expect(provenance?.sources.map(\.layers) == [["arguments"], ["file"]])
        #expect(provenance?.sources.map(\.store) == ["arguments", "file store"])
        #expect(provenance?.description == "arguments --d.a and file: file store")
        try base.apply(PropertyListBatch(.set(["c": 3, "e": 3], key: "d")))
        #expect(store(.merged).provenance(forKey: "d")?.sources.map(\.layers) == [["arguments"], ["file"], ["base"]])
        try file.apply(PropertyListBatch(.set("text", key: "d")))
        #expect(store(.merged).provenance(forKey: "d")?.sources.map(\.layers) == [["arguments"]])
    }

    @Test func `a key without a value has no provenance`() {
        #expect(store().provenance(forKey: "absent") == nil)
        #expect(Defaults(store()).provenance(of: Defaults.Key<Int>("absent", default: 0)) == nil)
        #expect(store().provenance(forKeys: ["absent", "low"], findingLines: true).keys.sorted() == ["low"])
    }

    @Test func `layers of layers are reported from the outermost in`() {
        let outer = LayeredStore([.init("inner", store()), .init("other", InMemoryStore())])
        let source = outer.provenance(forKey: "host")?.sources.first
        #expect(source?.layers == ["inner", "environment"])
        #expect(source?.detail == "variable P_HOST")
        #expect(source?.description == "inner: environment variable P_HOST")
    }

    @Test func `a value in several entries is from all of their places`() {
        let key = Defaults.Key<Pair>("pair", default: Pair())
        let store = LayeredStore([
            .init("upper", InMemoryStore(["pair.first": 1], name: "upper")),
            .init("lower", InMemoryStore(["pair.first": 2, "pair.second": 2], name: "lower")),
        ])
        #expect(Defaults(store).provenance(of: key)?.description == "upper and lower")
        #expect(Defaults(store).describe([key]).rows.map(\.provenance?.description) == ["upper and lower"])
    }

    @Test func `a secret has a provenance without its value`() {
        let key = Defaults.Key<String?>("host").secret()
        let text = Defaults(store()).describe([key]).description
        #expect(text.contains("environment variable P_HOST"))
        #expect(!text.contains("\"b\""))
    }
}

private struct Pair: Defaults.Serializable {
    struct Bridge: Defaults.DirectBridge {
        func entries(of key: String) -> [String] { [key + ".first", key + ".second"] }

        func get(key: String, store: PropertyListTable) -> Pair? { Pair() }

        func save(key: String, value: Pair?, store: inout PropertyListEdit) {}
    }

    static let bridge = Bridge()
}
