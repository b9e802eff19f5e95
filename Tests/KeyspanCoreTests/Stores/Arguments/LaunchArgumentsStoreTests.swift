import KeyspanCore
import Testing

@Suite struct LaunchArgumentsStoreTests {
    private let store = LaunchArgumentsStore(LaunchArguments(["-port", "8080"]))

    @Test func `the arguments can be read and not written`() {
        #expect(store.value(forKey: "port") == "8080")
        #expect(store.snapshot() == ["port": "8080"])
        let revision = store.revision
        let error = #expect(throws: StoreError.self) { try store.apply(PropertyListBatch(.remove(key: "port"))) }
        #expect(error?.code == .readOnly)
        #expect(error?.key == "port")
        #expect(store.value(forKey: "port") == "8080")
        #expect(store.revision == revision && revision != nil)
        #expect(LaunchArgumentsStore(LaunchArguments([])).revision != revision)
    }

    @Test func `an observer receives the present values once`() {
        let heard = Locked<[PropertyListChange]>([])
        _ = store.observe(.named(["port", "absent"]), initial: true) { change in heard.withLock { $0.append(change) } }
        _ = store.observe(.all, initial: false) { change in heard.withLock { $0.append(change) } }
        let changes = heard.withLock(\.self)
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
