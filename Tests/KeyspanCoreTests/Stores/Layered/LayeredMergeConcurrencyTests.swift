import KeyspanCore
import Testing

/// What readers and observers of merged dictionaries see while layers change.
@Suite struct LayeredMergeConcurrencyTests {
    private static let rounds = 1_000

    @Test
    func `with writers on two layers, each change begins where the last one ended, and the last is the final state`()
        async throws
    {
        let (upper, lower) = (InMemoryStore(), InMemoryStore())
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)], dictionaries: .merged)
        let heard = Locked<[PropertyListChange.Entry]>([])
        let observation = store.observe(.named(["key"]), initial: false) { change in
            heard.withLock { $0 += change.entries }
        }
        defer { observation.cancel() }
        try await withThrowingTaskGroup { group in
            for (name, layer) in [("upper", upper), ("lower", lower)] {
                group.addTask {
                    for number in 0..<Self.rounds {
                        let isRemoved = number % 5 == 4
                        let value: PropertyListValue = [name: .init(number), "common": .init(number / 2)]
                        try layer.apply(PropertyListBatch(isRemoved ? .remove(key: "key") : .set(value, key: "key")))
                    }
                }
            }
            try await group.waitForAll()
        }
        // A change that another thread was delivering when the writers ended may come a little later.
        while heard.withLock({ $0.last?.new }) != store.value(forKey: "key") {
            try await Task.sleep(for: .milliseconds(1))
        }
        let entries = heard.withLock(\.self)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.new == $1.old })
        #expect(entries.allSatisfy { $0.old != $0.new })
    }

    /// While a reader is between the layers, a member moves from the lower one to the upper one.
    @Test func `no reader misses a member that moves between layers`() {
        let lower = InMemoryStore(["key": ["moved": 1, "low": 1]])
        let upper = InterruptingStore(["key": ["high": 1]]) { upper in
            // A failure shows as a missing member.
            try? upper.apply(PropertyListBatch(.set(["high": 1, "moved": 1], key: "key")))
            try? lower.apply(PropertyListBatch(.set(["low": 1], key: "key")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)], dictionaries: .merged)
        upper.interruptNextCall()
        #expect(store.value(forKey: "key") == ["high": 1, "low": 1, "moved": 1])
        upper.interruptNextCall()
        #expect(store.snapshot() == ["key": ["high": 1, "low": 1, "moved": 1]])
    }

    @Test func `increments of many threads are all counted, in a member of a merged dictionary`() async throws {
        let defaults = Defaults(
            LayeredStore(
                [
                    .init("upper", InMemoryStore(["counts": ["fixed": 1]])),
                    .init("lower", InMemoryStore(), isWritable: true),
                ],
                dictionaries: .merged
            )
        )
        let counts = Defaults.Key<[String: Int]>("counts", default: [:])
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<250 {
                        try defaults.commit { batch in batch[counts]["own", default: 0] += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(defaults[counts] == ["fixed": 1, "own": 1_000])
    }
}
