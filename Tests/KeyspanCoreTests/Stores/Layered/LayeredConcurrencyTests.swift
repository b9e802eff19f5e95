import KeyspanCore
import Testing

@Suite struct LayeredConcurrencyTests {
    private static let rounds = 2_000

    @Test(arguments: [ObservedKeys.all, .named(["key", "other"])])
    func `with writers on two layers, each change begins where the last one ended, and the last is the final state`(
        _ keys: ObservedKeys
    ) async throws {
        let (upper, lower) = (InMemoryStore(), InMemoryStore())
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        let heard = Locked<[PropertyListChange.Entry]>([])
        let observation = store.observe(keys, initial: false) { change in
            guard let entry = change["key"] else { return }
            heard.withLock { $0.append(entry) }
        }
        defer { observation.cancel() }
        try await withThrowingTaskGroup { group in
            group.addTask {
                for number in 0..<Self.rounds {
                    try upper.apply(
                        PropertyListBatch(number % 3 == 2 ? .remove(key: "key") : .set("upper", key: "key"))
                    )
                }
            }
            group.addTask {
                for number in 0..<Self.rounds {
                    try lower.apply(PropertyListBatch(.set(.init(number), key: "key")))
                }
            }
            try await group.waitForAll()
        }
        // A change that another thread was delivering when the writers ended may come a little later.
        while heard.withLock({ $0.last?.new }) != store.value(forKey: "key") {
            try await Task.sleep(for: .milliseconds(1))
        }
        let entries = heard.withLock(\.self)
        #expect(entries.first?.old == nil)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.new == $1.old })
        #expect(entries.allSatisfy { $0.old != $0.new })
    }

    /// The value moves from the lower layer to the upper one and back, and is always in one of them at least.
    @Test func `no reader misses a value that moves between layers`() async throws {
        let (upper, lower) = (InMemoryStore(), InMemoryStore(["key": 1]))
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        let missed = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for _ in 0..<Self.rounds {
                    try upper.apply(PropertyListBatch(.set(1, key: "key")))
                    try lower.apply(PropertyListBatch(.remove(key: "key")))
                    try lower.apply(PropertyListBatch(.set(1, key: "key")))
                    try upper.apply(PropertyListBatch(.remove(key: "key")))
                }
                return false
            }
            group.addTask {
                (0..<Self.rounds * 4).contains { _ in
                    store.value(forKey: "key") == nil || store.snapshot()["key"] == nil
                }
            }
            return try await group.contains(true)
        }
        #expect(!missed)
    }

    @Test func `a key's cache never goes back to an older value of a layer`() async throws {
        let (upper, lower) = (InMemoryStore(), InMemoryStore())
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        let key = Defaults.Key<Int>("number", default: 0)
        let wentBack = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for number in 1...Self.rounds {
                    try upper.apply(PropertyListBatch(.set(.init(number), key: "unrelated")))
                    try lower.apply(PropertyListBatch(.set(.init(number), key: "number")))
                }
                return false
            }
            for _ in 0..<2 {
                group.addTask {
                    var last = 0
                    while last < Self.rounds {
                        let number = Defaults(store)[key]
                        if number < last { return true }
                        last = number
                    }
                    return false
                }
            }
            return try await group.contains(true)
        }
        #expect(!wentBack)
    }
}
