@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct MergedDictionaryTests {
    private let top = InMemoryStore(["d": ["a": 1, "s": ["x": 1]], "n": 1, "m": ["a": 1]], name: "top")
    private let middle = InMemoryStore(["d": ["b": 2, "s": ["y": 2]], "m": "text"], name: "middle")
    private let bottom = InMemoryStore(
        ["d": ["a": 3, "b": 3, "c": 3, "s": ["x": 3, "z": 3]], "n": ["a": 3], "m": ["b": 3]],
        name: "bottom"
    )

    private func store(_ dictionaries: LayeredStore.Dictionaries, writing name: String? = nil) -> LayeredStore {
        LayeredStore(
            [top, middle, bottom].map { .init($0.name, $0, isWritable: true) },
            writingTo: name,
            dictionaries: dictionaries
        )
    }

    private static let merged: PropertyListTable = [
        "d": ["a": 1, "b": 2, "c": 3, "s": ["x": 1, "y": 2, "z": 3]], "n": 1, "m": ["a": 1],
    ]

    @Test func `dictionaries are whole unless they are to be merged`() {
        #expect(store(.whole).snapshot() == ["d": ["a": 1, "s": ["x": 1]], "n": 1, "m": ["a": 1]])
        #expect(store(.merged).snapshot() == Self.merged)
        #expect(store(.mergedForKeys(["m"])).snapshot() == store(.whole).snapshot())
        #expect(store(.mergedForKeys(["d"])).snapshot() == Self.merged)
    }

    @Test func `a batch expects what readers see of a merged dictionary`() throws {
        let store = store(.merged, writing: "middle")
        for (expected, holds) in [(PropertyListValue?.some(["b": 2, "s": ["y": 2]]), false), (Self.merged["d"], true)] {
            var batch = PropertyListBatch()
            batch.expect(expected, forKey: "d")
            batch.set(["b": 9], forKey: "d")
            if holds {
                try store.apply(batch)
            } else {
                #expect(throws: StoreError.self) { try store.apply(batch) }
            }
        }
        #expect(store.value(forKey: "d") == ["a": 1, "b": 9, "c": 3, "s": ["x": 1, "z": 3]])
    }

    @Test func `an edit reads what readers see, writes one layer and does not begin anew without end`() throws {
        let defaults = Defaults(store(.merged, writing: "middle"))
        let key = Defaults.Key<[String: AnyValue]>("d", default: [:])
        try defaults.commit { batch in
            #expect(batch[key].keys.sorted() == ["a", "b", "c", "s"])
            batch.reset(key)
            #expect(batch[key].keys.sorted() == ["a", "b", "c", "s"])
            try batch.set(["b": 5], for: key)
        }
        #expect(middle.value(forKey: "d") == ["b": 5])
        #expect(top.value(forKey: "d") == ["a": 1, "s": ["x": 1]])
    }

    @Test func `a layer of layers is merged as it says itself`() throws {
        let inner = LayeredStore([.init("top", top), .init("bottom", bottom, isWritable: true)])
        let outer = LayeredStore(
            [.init("inner", inner, isWritable: true), .init("middle", middle)],
            dictionaries: .merged
        )
        #expect(outer.value(forKey: "d") == ["a": 1, "b": 2, "s": ["x": 1, "y": 2]])
        try Defaults(outer).commit { batch in
            #expect(batch[Defaults.Key<[String: AnyValue]>("d", default: [:])].keys.sorted() == ["a", "b", "s"])
            try batch.set(1, for: Defaults.Key<Int>("other", default: 0))
        }
        #expect(bottom.value(forKey: "other") == 1)
    }

    @Test func `a merged dictionary with a typed member is converted`() throws {
        let store = LayeredStore(
            [.init("arguments", LaunchArgumentsStore(["--limits.cpu=2"])), .init("memory", bottom)],
            dictionaries: .merged
        )
        try bottom.apply(PropertyListBatch(.set(["memory": 16, "cpu": 1], key: "limits")))
        let limits = Defaults.Key<[String: Int]>("limits", default: [:])
        #expect(try Defaults(store).value(for: limits) == ["cpu": 2, "memory": 16])
        #expect(!store.holdsText(forKey: "d"))
    }
}

private typealias AnyValue = Defaults.AnySerializable
