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

    /// While a reader is between the layers, the value moves from the lower one to the upper one.
    @Test func `no reader misses a value that moves between layers`() {
        let lower = InMemoryStore(["key": 1])
        let upper = InterruptingStore { upper in
            try? upper.apply(PropertyListBatch(.set(1, key: "key")))  // A failure shows as a missing value.
            try? lower.apply(PropertyListBatch(.remove(key: "key")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        upper.interruptNextRead()
        #expect(store.value(forKey: "key") == 1)
        #expect(lower.snapshot().isEmpty)
    }

    @Test func `no snapshot misses a value that moves between layers`() {
        let lower = InMemoryStore(["key": 1])
        let upper = InterruptingStore { upper in
            try? upper.apply(PropertyListBatch(.set(1, key: "key")))  // A failure shows as a missing value.
            try? lower.apply(PropertyListBatch(.remove(key: "key")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        upper.interruptNextRead()
        #expect(store.snapshot() == ["key": 1])
        #expect(lower.snapshot().isEmpty)
    }

    @Test func `what a reader is told was the value at some instant`() {
        let lower = InMemoryStore(["key": "first"])
        let upper = InterruptingStore { upper in
            try? upper.apply(PropertyListBatch(.set("hides it", key: "key")))  // A failure shows as "second".
            try? lower.apply(PropertyListBatch(.set("second", key: "key")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        upper.interruptNextRead()
        #expect(store.value(forKey: "key") == "hides it")
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
