@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct LayeredObservationTests {
    typealias Value = PropertyListValue

    /// The values of a key in two layers before a write to one of them, and the resulting change, if any.
    struct Write: CustomTestStringConvertible {
        let upper: Value?
        let lower: Value?
        let isUpperWritten: Bool
        let new: Value?
        let heard: PropertyListChange.Entry?

        init(_ upper: Value?, over lower: Value?, writing new: Value?, toUpper: Bool, heard: (Value?, Value?)?) {
            self.upper = upper
            self.lower = lower
            self.new = new
            isUpperWritten = toUpper
            self.heard = heard.map { .init(key: "key", old: $0.0, new: $0.1) }
        }

        var testDescription: String {
            """
            \(upper?.description ?? "nothing") over \(lower?.description ?? "nothing"), \
            \(new?.description ?? "nothing") written \(isUpperWritten ? "above" : "below")
            """
        }
    }

    static let writes = [
        Write(nil, over: nil, writing: 1, toUpper: true, heard: (nil, 1)),
        Write(nil, over: nil, writing: 1, toUpper: false, heard: (nil, 1)),
        Write(nil, over: 1, writing: 2, toUpper: true, heard: (1, 2)),
        Write(nil, over: 1, writing: 1, toUpper: true, heard: nil),
        Write(nil, over: 1, writing: 2, toUpper: false, heard: (1, 2)),
        Write(nil, over: 1, writing: nil, toUpper: false, heard: (1, nil)),
        Write(1, over: 2, writing: nil, toUpper: true, heard: (1, 2)),
        Write(1, over: 1, writing: nil, toUpper: true, heard: nil),
        Write(1, over: 2, writing: 2, toUpper: true, heard: (1, 2)),
        Write(1, over: 2, writing: 3, toUpper: false, heard: nil),
        Write(1, over: 2, writing: nil, toUpper: false, heard: nil),
        Write(1, over: nil, writing: 3, toUpper: false, heard: nil),
        Write(1, over: nil, writing: nil, toUpper: true, heard: (1, nil)),
    ]

    @Test(arguments: writes, [ObservedKeys.all, .named(["key"])])
    func `an observer receives a change if the visible value has changed`(_ write: Write, _ keys: ObservedKeys)
        throws
    {
        let (upper, lower) = (InMemoryStore(), InMemoryStore())
        var batch = PropertyListBatch()
        batch.set(write.upper, forKey: "key")
        try upper.apply(batch)
        batch = PropertyListBatch()
        batch.set(write.lower, forKey: "key")
        try lower.apply(batch)
        let store = LayeredStore([.init("upper", upper), .init("lower", lower)])
        let heard = Locked<[PropertyListChange]>([])
        let observation = store.observe(keys, initial: false) { change in heard.withLock { $0.append(change) } }
        defer { observation.cancel() }
        batch = PropertyListBatch()
        batch.set(write.new, forKey: "key")
        try (write.isUpperWritten ? upper : lower).apply(batch)
        #expect(heard.withLock(\.self).map(\.entries) == (write.heard.map { [[$0]] } ?? []))
    }

    @Test func `the present values are those that readers see`() throws {
        let store = LayeredStore([
            .init("upper", InMemoryStore(["a": 1])), .init("lower", InMemoryStore(["a": 2, "b": 2])),
        ])
        let heard = Locked<[PropertyListChange]>([])
        let named = store.observe(.named(["a", "b", "c"]), initial: true) { change in
            heard.withLock { $0.append(change) }
        }
        let all = store.observe(.all, initial: true) { change in heard.withLock { $0.append(change) } }
        defer {
            named.cancel()
            all.cancel()
        }
        let changes = heard.withLock(\.self)
        #expect(changes.map(\.isInitial) == [true, true])
        #expect(
            Set(changes[0].entries) == [
                .init(key: "a", old: nil, new: 1), .init(key: "b", old: nil, new: 2),
                .init(key: "c", old: nil, new: nil),
            ]
        )
        #expect(Set(changes[1].entries) == [.init(key: "a", old: nil, new: 1), .init(key: "b", old: nil, new: 2)])
    }

    @Test func `a batch arrives as one change, without hidden values`() throws {
        let lower = InMemoryStore(["hidden": 1, "seen": 1, "removed": 1])
        let store = LayeredStore([
            .init("upper", InMemoryStore(["hidden": 0])), .init("lower", lower, isWritable: true),
        ])
        let heard = Locked<[PropertyListChange]>([])
        let observation = store.observe(.all, initial: false) { change in heard.withLock { $0.append(change) } }
        defer { observation.cancel() }
        var batch = PropertyListBatch()
        batch.set(2, forKey: "hidden")
        batch.set(2, forKey: "seen")
        batch.remove("removed")
        try store.apply(batch)
        let changes = heard.withLock(\.self)
        #expect(changes.count == 1)
        #expect(
            Set(changes.first?.entries ?? []) == [
                .init(key: "seen", old: 1, new: 2), .init(key: "removed", old: 1, new: nil),
            ]
        )
    }

    @Test func `an observation outlives the layered store while its layers live`() throws {
        let layer = InMemoryStore()
        let count = Locked(0)
        let observation = LayeredStore([.init("layer", layer)]).observe(.all, initial: false) { _ in
            count.withLock { $0 += 1 }
        }
        try layer.apply(PropertyListBatch(.set(1, key: "a")))
        observation.cancel()
        try layer.apply(PropertyListBatch(.set(2, key: "a")))
        #expect(count.withLock(\.self) == 1)
    }
}
