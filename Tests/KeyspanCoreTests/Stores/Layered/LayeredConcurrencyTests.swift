@_spi(StoreAuthors) import KeyspanCore
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
        upper.interruptNextCall()
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
        upper.interruptNextCall()
        #expect(store.snapshot() == ["key": 1])
        #expect(lower.snapshot().isEmpty)
    }

    @Test func `a read value was the value at some instant`() {
        let lower = InMemoryStore(["key": "first"])
        let upper = InterruptingStore { upper in
            try? upper.apply(PropertyListBatch(.set("hides it", key: "key")))  // A failure shows as "second".
            try? lower.apply(PropertyListBatch(.set("second", key: "key")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        upper.interruptNextCall()
        #expect(store.value(forKey: "key") == "hides it")
    }

    @Test func `a batch that expects no value notices one that comes just before it is applied`() {
        let upper = InterruptingStore { upper in
            try? upper.apply(PropertyListBatch(.set("theirs", key: "key")))  // A failure shows as "ours".
        }
        let store = LayeredStore([
            .init("upper", upper, isWritable: true), .init("lower", InMemoryStore(["key": "registered"])),
        ])
        var batch = PropertyListBatch()
        batch.expect("registered", forKey: "key")
        batch.set("ours", forKey: "key")
        upper.interruptNextCall()
        let error = #expect(throws: StoreError.self) { try store.apply(batch) }
        #expect(error?.code == .conflict)
        #expect(store.value(forKey: "key") == "theirs")
    }

    @Test(arguments: [true, false])
    func `a change made during a registration arrives after the present values`(_ initial: Bool) {
        let upper = InMemoryStore(["a": 1])
        let lower = InterruptingStore(["b": 1]) { _ in
            // A failure shows as a missing change.
            try? upper.apply(PropertyListBatch(.set(2, key: "b")))
            try? upper.apply(PropertyListBatch(.set(2, key: "a")))
        }
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        let heard = Locked<[PropertyListChange]>([])
        lower.interruptNextCall()
        let observation = store.observe(.all, initial: initial) { change in heard.withLock { $0.append(change) } }
        defer { observation.cancel() }
        var changes = heard.withLock(\.self)
        #expect(changes.map(\.isInitial) == (initial ? [true, false, false] : [false, false]))
        if initial {
            #expect(Set(changes.removeFirst().entries.map(\.new)) == [1])
        }
        #expect(changes.map(\.entries) == [[.init(key: "b", old: 1, new: 2)], [.init(key: "a", old: 1, new: 2)]])
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

/// The values that readers and observers of merged dictionaries see while layers change.
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
