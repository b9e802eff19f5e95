import KeyspanTestSupport
import Testing

@testable import Keyspan

extension Defaults.Keys {
    fileprivate static let count = Key<Int>("count", default: 0)
    fileprivate static let name = Key<String?>("name")
    fileprivate static let elsewhere = Key<Int>("count", default: 5, suite: StandardStoreTests.suite)
}

/// A direct bridge whose entries have other names than the key.
struct HalvesBridge: Defaults.DirectBridge {
    func entries(of key: String) -> [String] { [key + ".half", key + ".rest"] }

    func get(key: String, store: PropertyListTable) -> Int? {
        guard case .integer(let half)? = store[key + ".half"], case .integer(let rest)? = store[key + ".rest"] else {
            return nil
        }
        return (half.converted() ?? 0) * 2 + (rest.converted() ?? 0)
    }

    func save(key: String, value: Int?, store: inout PropertyListEdit) {
        store[key + ".half"] = value.map { .integer(PropertyListInteger($0 / 2)) }
        store[key + ".rest"] = value.map { .integer(PropertyListInteger($0 % 2)) }
    }
}

/// All that uses the one standard store of the process, so the tests run one after the other.
@Suite(.bounded, .serialized) struct StandardStoreTests {
    static let suite = InMemoryStore()
    static let standard = InMemoryStore()

    init() throws {
        try Self.bootstrapped.get()
        Defaults.removeAll()
        Defaults.removeAll(suite: Self.suite)
    }

    /// The standard store is chosen once for the whole process.
    static let bootstrapped = Result { try Defaults.bootstrap(standard) }

    @Test func `static access uses the standard store, or the one that the key names`() {
        Defaults[.count] += 2
        Defaults[.elsewhere] += 1
        Defaults[.name] = "Ann"
        #expect(Self.standard.snapshot() == ["count": 2, "name": "Ann"])
        #expect(Self.suite.snapshot() == ["count": 6])
        #expect(Defaults.standard.store === Self.standard)
        let other = InMemoryStore()
        Defaults[.elsewhere, suite: other] = 9
        #expect(other.snapshot() == ["count": 9])
        #expect(Defaults[.elsewhere] == 6)
    }

    @Test func `strict reads and writes work on the standard store or a suite`() throws {
        let suite = Defaults(Self.suite)
        try suite.set(3, for: .elsewhere)
        #expect(try suite.value(for: .elsewhere) == 3)
        #expect(try Defaults.standard.storedValue(for: .count) == nil)
        #expect(suite.hasValue(for: .elsewhere) && !Defaults.standard.hasValue(for: .count))
        try Defaults.standard.synchronize()
    }

    @Test func `reset finds the store of each key`() {
        Defaults[.count] = 1
        Defaults[.elsewhere] = 1
        Defaults[.name] = "Ann"
        Defaults.reset(.count, .elsewhere)
        #expect(Self.standard.snapshot() == ["name": "Ann"])
        #expect(Self.suite.snapshot().isEmpty)
        Defaults.reset("name")
        #expect(Self.standard.snapshot().isEmpty)
        Defaults[.elsewhere] = 1
        #expect(!Defaults.Keys.elsewhere.isDefaultValue)
        Defaults.reset(["count"], suite: Self.suite)
        #expect(Defaults.Keys.elsewhere.isDefaultValue)
        Defaults[.elsewhere] = 1
        Defaults.Keys.elsewhere.reset()
        #expect(Defaults[.elsewhere] == 5)
    }

    @Test func `several keys are reset in a store that is named`() {
        let other = InMemoryStore(["count": 1, "name": "Ann", "more": true])
        Defaults[.elsewhere] = 1
        Defaults.reset(.count, .elsewhere, .name, suite: other)
        #expect(other.snapshot() == ["more": true])
        #expect(Defaults[.elsewhere] == 1)
    }

    @Test func `defaults are registered in a store that has a place for them`() throws {
        let registering = LayeredStore(registeringBelow: InMemoryStore())
        let key = Defaults.Key<Int>("count", default: 5, suite: registering)
        try Defaults(registering).register(key)
        try Defaults(registering).register(["other": 1])
        #expect(registering.snapshot() == ["count": 5, "other": 1])
        #expect(Defaults(registering).hasValue(for: key))
        let error = #expect(throws: Defaults.WriteError.self) { try Defaults.standard.register(key, .count) }
        #expect(error?.key == "count")
        #expect(error?.store == Self.standard.name)
        #expect(throws: StoreError.self) { try Defaults.standard.register(["other": 1]) }
    }

    @Test func `observers use the store of each key`() {
        var values: [Int] = []
        let one = Defaults.observe(.elsewhere) { values.append($0.newValue) }
        var calls = 0
        let both = Defaults.observe(keys: .count, .elsewhere, .name) { calls += 1 }
        Defaults[.elsewhere] = 6
        Defaults[.count] = 1
        Defaults.withoutPropagation { Defaults[.elsewhere] = 7 }
        #expect(values == [5, 6])
        #expect(calls == 3)
        one.invalidate()
        both.invalidate()
    }

    @Test func `updates come from the store of each key`() async {
        var one = Defaults.updates(.elsewhere).makeAsyncIterator()
        #expect(await one.next() == 5)
        Defaults[.elsewhere] = 6
        #expect(await one.next() == 6)

        var both = Defaults.updates(.count, .elsewhere).makeAsyncIterator()
        #expect(await both.next().map { $0 == (0, 6) } == true)
        Defaults[.count] = 1
        #expect(await both.next().map { $0 == (1, 6) } == true)
        Defaults[.elsewhere] = 7
        #expect(await both.next().map { $0 == (1, 7) } == true)

        var together = Defaults.updates(.count, .name, initial: false).makeAsyncIterator()
        Defaults[.name] = "Ann"
        #expect(await together.next().map { $0 == (1, "Ann") } == true)

        var signals = Defaults.updates([.count, .elsewhere], initial: false).makeAsyncIterator()
        Defaults[.count] = 2
        Defaults[.elsewhere] = 8
        #expect(await signals.next() != nil)
        #expect(await signals.next() != nil)
    }

    @Test func `updates of keys without their values arrive for every entry of a direct bridge`() async {
        let size = Defaults.Key<Int>("size", default: 0, bridge: HalvesBridge())
        var signals = Defaults.updates([size], initial: false).makeAsyncIterator()
        Defaults[size] = 7
        #expect(Self.standard.snapshot() == ["size.half": 3, "size.rest": 1])
        #expect(await signals.next() != nil)
    }

    @Test func `a stream over two stores ends when its task is canceled`() async {
        let task = Task {
            var count = 0
            for await _ in Defaults.updates(.count, .elsewhere) {
                count += 1
            }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
    }

    @Test func `the standard store is chosen once and before its use`() {
        _ = Defaults.standard
        #expect(throws: Defaults.BootstrapError.alreadyInUse) { try Defaults.bootstrap(InMemoryStore()) }
        #expect(Defaults.standard.store === Self.standard)
    }
}
