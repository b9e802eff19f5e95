@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct RegistrationTests {
    private let memory = InMemoryStore(name: "memory")
    private let domain = RegistrationDomain()
    private let key = Defaults.Key<Int>("count", default: 5)

    private var store: LayeredStore {
        LayeredStore([.init("memory", memory, isWritable: true), .init("registered", domain)])
    }

    @Test func `a registered default is read while nothing is stored, and is not stored itself`() throws {
        let defaults = Defaults(store)
        try defaults.register(["count": 7, "name": "value"])
        #expect(defaults[key] == 7)
        #expect(store.value(forKey: "name") == "value")
        #expect(memory.snapshot().isEmpty)
        defaults[key] += 1
        #expect(memory.snapshot() == ["count": 8])
        defaults.reset(key)
        #expect(defaults[key] == 7)
    }

    @Test func `a later registration replaces the same keys and keeps the others`() throws {
        let defaults = Defaults(store)
        try defaults.register(["a": 1, "b": 1])
        try defaults.register(["b": 2, "c": 2])
        #expect(domain.snapshot() == ["a": 1, "b": 2, "c": 2])
    }

    @Test func `keys register their defaults in stored form`() throws {
        let theme = Defaults.Key<Theme>("theme", default: .dark)
        let missing = Defaults.Key<String?>("missing")
        let made = Defaults.Key<[Int]>("made") { [1, 2] }
        try Defaults(store).register(key, theme, missing, made)
        #expect(domain.snapshot() == ["count": 5, "theme": "dark", "made": [1, 2]])
    }

    @Test func `observers receive a registration that changes visible values`() throws {
        try memory.apply(PropertyListBatch(.set(1, key: "stored")))
        let heard = Recorder<[PropertyListChange.Entry]>()
        let observation = store.observe(.all, initial: false) { heard.record($0.entries) }
        defer { observation.cancel() }
        try Defaults(store).register(["stored": 2, "new": 2])
        #expect(heard.values == [[.init(key: "new", old: nil, new: 2)]])
    }

    @Test func `a batch that expects a registered default writes over it`() throws {
        try Defaults(store).register(["count": 7])
        var batch = PropertyListBatch()
        batch.expect(7, forKey: "count")
        batch.set(8, forKey: "count")
        try store.apply(batch)
        #expect(store.value(forKey: "count") == 8)
        #expect(throws: StoreError.self) { try store.apply(batch) }
    }

    @Test(arguments: [InMemoryStore(name: "plain"), LayeredStore([], name: "plain")] as [any PropertyListStore])
    func `a store without a place for registered defaults says so`(_ store: any PropertyListStore) {
        let error = #expect(throws: StoreError.self) { try Defaults(store).register(["a": 1]) }
        #expect(error?.code == .cannotRegister)
        #expect(error?.description.contains("plain") == true)
        let writeError = #expect(throws: Defaults.WriteError.self) { try Defaults(store).register(key) }
        #expect(writeError?.key == "count")
    }

    @Test func `a layer of layers without a place for registered defaults is passed over`() throws {
        let settings = LayeredStore(registeringBelow: memory)
        let system = LayeredStore([.init("etc", InMemoryStore())])
        let store = LayeredStore([.init("user", settings, isWritable: true), .init("system", system)])
        try store.register(["a": 1])
        #expect(store.value(forKey: "a") == 1 && settings.value(forKey: "a") == 1)
        let error = #expect(throws: StoreError.self) { try store.register(["": 1]) }
        #expect(error?.code == .invalidKey)
    }

    @Test func `a default that no store can hold is refused with all others`() {
        let error = #expect(throws: StoreError.self) { try Defaults(store).register(["": 1, "a": 1]) }
        #expect(error?.code == .invalidKey)
        let unstorable = Defaults.Key<Unstorable>("unstorable", default: Unstorable())
        #expect(throws: Defaults.WriteError.self) { try Defaults(store).register(key, unstorable) }
        #expect(domain.snapshot().isEmpty)
    }

    @Test func `the domain itself is not written`() {
        let error = #expect(throws: StoreError.self) { try domain.apply(PropertyListBatch(.set(1, key: "a"))) }
        #expect(error?.code == .readOnly)
        #expect(error?.key == "a")
        #expect(domain.snapshot().isEmpty)
    }
}

private enum Theme: String, Defaults.Serializable {
    case light, dark
}

private struct Unstorable: Defaults.Serializable {
    struct Bridge: Defaults.Bridge {
        func serialize(_ value: Unstorable?) -> Int? { nil }

        func deserialize(_ object: Int?) -> Unstorable? { nil }
    }

    static let bridge = Bridge()
}
