import KeyspanCore
import KeyspanTestSupport
import Testing

extension Defaults.Keys {
    fileprivate static let theme = Key<String>("theme", default: "light")
    fileprivate static let count = Key<Int>("count", default: 0)
    fileprivate static let limit = Key<Int>("limit", default: 3).throwing()
}

private struct InnerKeys: KeyGroup {
    let width = Key<Int>("width", default: 800)
    let height = Key<Int>("height", default: 600)
}

private struct OuterKeys: KeyGroup {
    let window = Prefixed<InnerKeys>("window.")
    let name = Key<String?>("name")
    let others: [Defaults.AnyKey] = [.theme, .limit]
}

/// The members of a group that need no key, or take several.
@Suite(.bounded) struct GroupFacadeTests {
    private let store = InMemoryStore(name: "the store")

    @Test func `keys are listed without a store, static ones too`() {
        #expect(OuterKeys.allKeys.map(\.name) == ["window.width", "window.height", "name", "theme", "limit"])
        let settings = Defaults.Group<OuterKeys>(store, prefix: "app.")
        #expect(settings.allKeys.map(\.name).last == "app.limit")
    }

    @Test func `a group has its store, and the source of each value`() throws {
        let settings = Defaults.Group<OuterKeys>(store)
        #expect(settings.store === store)
        #expect(settings.provenance(of: \.name) == nil)
        settings.window.width = 10
        #expect(settings.window.provenance(of: \.width)?.description == "the store")
        try settings.synchronize()
    }

    @Test func `several values of one instant arrive together`() async throws {
        let window = Defaults.Group<OuterKeys>(store).window
        var updates = window.updates(\.width, \.height).makeAsyncIterator()
        var size = try #require(await updates.next())
        #expect(size == (800, 600))
        try await window.commit { batch in
            batch.width = 1
            batch.height = 2
        }
        size = try #require(await updates.next())
        #expect(size == (1, 2))
        try await window.synchronize()
    }

    @Test func `an asynchronous commit throws and changes nothing`() async throws {
        struct Refusal: Error {}
        let defaults = Defaults(store)
        await #expect(throws: Refusal.self) {
            try await defaults.commit { batch in
                batch[.theme] = "dark"
                throw Refusal()
            }
        }
        #expect(store.snapshot().isEmpty)
        let number = try await defaults.commit { batch in
            batch[.theme] = "dark"
            try batch.set(5, for: .count)
            return try batch.value(for: .count)
        }
        #expect(number == 5)
        #expect(store.snapshot() == ["theme": "dark", "count": 5])
    }
}
