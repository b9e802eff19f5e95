@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct NamedLayerTests {
    private let session = InMemoryStore(name: "memory")
    private let file = InMemoryStore(["count": 1], name: "file store")
    private let base = InMemoryStore(["count": 10], name: "base store")
    private let count = Defaults.Key<Int>("count", default: 0)

    private func store(writingTo name: String? = nil) -> LayeredStore {
        LayeredStore(
            [
                .init("session", session, isWritable: true), .init("file", file, isWritable: true),
                .init("base", base),
            ],
            writingTo: name,
            name: "settings"
        )
    }

    @Test func `writes go to the layer that is named, and else to the first writable one`() throws {
        #expect(store().writableLayer?.name == "session")
        #expect(store(writingTo: "file").writableLayer?.name == "file")
        Defaults(store(writingTo: "file"))[count] += 1
        #expect(file.snapshot() == ["count": 2])
        #expect(session.snapshot().isEmpty)
        Defaults(store())[count] += 1
        #expect(session.snapshot() == ["count": 3])
    }

    @Test func `a batch can be written to another layer, and reads what readers see`() throws {
        let defaults = Defaults(store())
        defaults[count] = 5
        let toFile = try defaults.writing(to: "file")
        try toFile.commit { batch in
            #expect(batch[count] == 5)
            try batch.set(7, for: count)
        }
        #expect(file.snapshot() == ["count": 7])
        #expect(session.snapshot() == ["count": 5])
        #expect(toFile[count] == 5)
        defaults.reset(count)
        #expect(toFile[count] == 7)
        #expect(store().layer(named: "base")?.store === base)
        #expect(store().layer(named: "none") == nil)
    }

    @Test func `an unreadable value of the other layer is kept there`() throws {
        try file.apply(PropertyListBatch(.set("text", key: "count")))
        let defaults = Defaults(store())
        defaults[count] = 5
        try defaults.writing(to: "file").set(6, for: count)
        #expect(try defaults.writing(to: "file").keptValues().map(\.value) == ["text"])
        #expect(defaults.keptValues().isEmpty)
    }

    /// The name, the code, and what the sentence has to say.
    @Test(arguments: [
        ("none", StoreError.Code.unknownLayer, ["settings", "\"none\"", "\"session\", \"file\""]),
        ("base", .readOnly, ["settings", "\"base\"", "\"session\", \"file\""]),
    ])
    func `a layer that is not there or not writable is an error with a remedy`(
        _ name: String,
        _ code: StoreError.Code,
        _ words: [String]
    ) throws {
        let refused = #expect(throws: StoreError.self) { try store().writing(to: name) }
        let late = #expect(throws: StoreError.self) {
            try store(writingTo: name).apply(PropertyListBatch(.set(1, key: "count")))
        }
        #expect(late?.key == "count")
        for error in [refused, late] {
            #expect(error?.code == code)
            for word in words {
                #expect(error?.description.contains(word) == true, "\(word) is not in \(String(describing: error))")
            }
        }
        #expect(store(writingTo: name).snapshot() == store().snapshot())
    }

    @Test func `a store without layers has none to write to`() {
        let error = #expect(throws: StoreError.self) { try Defaults(base).writing(to: "file") }
        #expect(error?.code == .unknownLayer)
        #expect(error?.description.contains("LayeredStore") == true)
    }

    @Test func `of two layers of one name the higher one is meant`() throws {
        let store = LayeredStore(
            [.init("same", session, isWritable: true), .init("same", file, isWritable: true)],
            writingTo: "same"
        )
        try store.apply(PropertyListBatch(.set(2, key: "count")))
        #expect(session.snapshot() == ["count": 2])
    }
}
