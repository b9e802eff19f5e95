@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct LayeredObservationTests {
    @Test func `the present values are those that readers see`() throws {
        let store = LayeredStore([
            .init("upper", InMemoryStore(["a": 1])), .init("lower", InMemoryStore(["a": 2, "b": 2])),
        ])
        let heard = Recorder<PropertyListChange>()
        let named = store.observe(.named(["a", "b", "c"]), initial: true, heard.record)
        let all = store.observe(.all, initial: true, heard.record)
        defer {
            named.cancel()
            all.cancel()
        }
        let changes = heard.values
        #expect(changes.map(\.isInitial) == [true, true])
        #expect(
            Set(changes[0].entries) == [
                .init(key: "a", old: nil, new: 1), .init(key: "b", old: nil, new: 2),
                .init(key: "c", old: nil, new: nil),
            ]
        )
        #expect(Set(changes[1].entries) == [.init(key: "a", old: nil, new: 1), .init(key: "b", old: nil, new: 2)])
    }

    @Test func `an observation outlives the layered store while its layers live`() throws {
        let layer = InMemoryStore()
        let heard = Recorder<PropertyListChange>()
        let observation = LayeredStore([.init("layer", layer)]).observe(.all, initial: false, heard.record)
        try layer.apply(PropertyListBatch(.set(1, key: "a")))
        observation.cancel()
        try layer.apply(PropertyListBatch(.set(2, key: "a")))
        #expect(heard.count == 1)
    }
}
