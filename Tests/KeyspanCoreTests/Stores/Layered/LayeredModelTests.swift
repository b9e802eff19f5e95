@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Random writes to random layers, beside a model that knows nothing of how the store does it.
@Suite struct LayeredModelTests {
    /// Others on every run, and the same ones again with the seed that a failure names.
    static let seeds = (0..<TestLevel.current.pick(40, thorough: 150)).map { _ in UInt64.random(in: .min ... .max) }

    static let keys = ["a", "b", "c", "d"]

    /// The values that readers see in layers, the highest first.
    private static func seen(_ values: [PropertyListValue?], isMerged: Bool) -> PropertyListValue? {
        guard let first = values.first else { return nil }
        let below = seen(Array(values.dropFirst()), isMerged: isMerged)
        guard let first else { return below }
        return isMerged ? joined(first, below) : first
    }

    private static func joined(_ upper: PropertyListValue, _ lower: PropertyListValue?) -> PropertyListValue {
        guard case .dictionary(var members) = upper, case .dictionary(let others)? = lower else { return upper }
        for (name, value) in others {
            members[name] = members[name].map { joined($0, value) } ?? value
        }
        return .dictionary(members)
    }

    private static func value(levels: Int, _ random: inout SeededGenerator) -> PropertyListValue {
        guard levels > 0, Int.random(in: 0..<3, using: &random) > 0 else {
            return .init(Int.random(in: 0...2, using: &random))
        }
        let names = ["x", "y", "z"].filter { _ in Bool.random(using: &random) }
        return .dictionary(names.reduce(into: [:]) { $0[$1] = value(levels: levels - 1, &random) })
    }

    private static func batch(_ random: inout SeededGenerator) -> PropertyListBatch {
        var batch = PropertyListBatch()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0: batch.removeAll()
            case 1, 2: batch.remove(key)
            default: batch.set(value(levels: 2, &random), forKey: key)
            }
        }
        return batch
    }

    @Test(arguments: seeds, [LayeredStore.Dictionaries.whole, .merged, .mergedForKeys(["a", "b"])])
    func `readers and observers see what the model sees`(
        seed: UInt64,
        dictionaries: LayeredStore.Dictionaries
    ) throws {
        var random = SeededGenerator(seed: seed)
        let layers = (0..<Int.random(in: 1...4, using: &random)).map { InMemoryStore(name: "layer \($0)") }
        let written = Int.random(in: 0..<layers.count, using: &random)
        let store = LayeredStore(
            layers.map { .init($0.name, $0, isWritable: true) },
            writingTo: "layer \(written)",
            dictionaries: dictionaries
        )
        let isMerged = { (key: String) in
            switch dictionaries {
            case .whole: false
            case .merged: true
            case .mergedForKeys(let keys): keys.contains(key)
            }
        }
        var model = layers.map { _ in PropertyListTable() }
        let present = { (model: [PropertyListTable]) in
            Self.keys.reduce(into: PropertyListTable()) { table, key in
                table[key] = Self.seen(model.map { $0[key] }, isMerged: isMerged(key))
            }
        }
        let heard = Locked<[PropertyListChange]>([])
        let observation = store.observe(.all, initial: false) { change in heard.withLock { $0.append(change) } }
        let heardOfOne = Locked<[PropertyListChange]>([])
        let observationOfOne = store.observe(.named(["a"]), initial: false) { change in
            heardOfOne.withLock { $0.append(change) }
        }
        defer {
            observation.cancel()
            observationOfOne.cancel()
        }
        let cached = Self.keys.map { Defaults.Key<Defaults.AnySerializable?>($0) }

        for step in 0..<25 {
            let before = present(model)
            let writes = Self.batch(&random)
            var batch = writes
            let isOfStore = Bool.random(using: &random)
            let target = isOfStore ? written : Int.random(in: 0..<layers.count, using: &random)
            var isExpected = true
            if isOfStore, Bool.random(using: &random) {
                let key = Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]
                isExpected = Bool.random(using: &random)
                batch.expect(isExpected ? before[key] : .string("other"), forKey: key)
            }
            do {
                try isOfStore ? store.apply(batch) : layers[target].apply(batch)
                #expect(isExpected, "seed \(seed), step \(step)")
                _ = try model[target].apply(writes, store: "model")
            } catch {
                #expect(!isExpected && error.code == .conflict, "seed \(seed), step \(step): \(error)")
            }
            let after = present(model)
            #expect(store.snapshot() == after, "seed \(seed), step \(step)")
            for (key, typed) in zip(Self.keys, cached) {
                #expect(store.value(forKey: key) == after[key], "seed \(seed), step \(step), key \(key)")
                #expect(
                    Defaults(store)[typed]?.propertyListValue == after[key],
                    "seed \(seed), step \(step), key \(key) through its cache"
                )
                #expect((store.provenance(forKey: key) != nil) == (after[key] != nil), "seed \(seed), step \(step)")
            }
            let differing = Self.keys.filter { before[$0] != after[$0] }
            let expected = Set(differing.map { PropertyListChange.Entry(key: $0, old: before[$0], new: after[$0]) })
            let changes = heard.withLock { changes in
                defer { changes = [] }
                return changes
            }
            #expect(changes.count == (expected.isEmpty ? 0 : 1), "seed \(seed), step \(step)")
            #expect(Set(changes.flatMap(\.entries)) == expected, "seed \(seed), step \(step)")
            let changesOfOne = heardOfOne.withLock { changes in
                defer { changes = [] }
                return changes.flatMap(\.entries)
            }
            #expect(Set(changesOfOne) == expected.filter { $0.key == "a" }, "seed \(seed), step \(step)")
        }
        // The present values of an observer that comes late.
        let late = Locked<PropertyListChange?>(nil)
        store.observe(.all, initial: true) { change in late.withLock { $0 = $0 ?? change } }.cancel()
        let initial = PropertyListTable(
            Dictionary(
                uniqueKeysWithValues: (late.withLock(\.self)?.entries ?? []).compactMap { entry in
                    entry.new.map { (entry.key, $0) }
                }
            )
        )
        #expect(initial == present(model), "seed \(seed)")
    }
}
