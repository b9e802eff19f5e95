@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Random writes to random layers, beside a model that knows nothing of how the store does it.
@Suite(.heavy, .seeded) struct LayeredModelTests {
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

    @Test(arguments: [LayeredStore.Dictionaries.whole, .merged, .mergedForKeys(["a", "b"])])
    func `readers and observers see what the model sees`(_ dictionaries: LayeredStore.Dictionaries) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(40, thorough: 150)) {
            try verify(dictionaries, seed: seed)
        }
    }

    private func verify(_ dictionaries: LayeredStore.Dictionaries, seed: UInt64) throws {
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
        let (heard, heardOfOne) = (Recorder<PropertyListChange>(), Recorder<PropertyListChange>())
        let observation = store.observe(.all, initial: false, heard.record)
        let observationOfOne = store.observe(.named(["a"]), initial: false, heardOfOne.record)
        defer {
            observation.cancel()
            observationOfOne.cancel()
        }
        let cached = Self.keys.map { Defaults.Key<Defaults.AnySerializable?>($0) }

        var heardCounts = (all: 0, one: 0)
        for step in 0..<25 {
            let place: Comment = "seed \(seed), step \(step)"
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
            let written = Result { () throws(StoreError) in
                try isOfStore ? store.apply(batch) : layers[target].apply(batch)
            }
            try #require(written.failure?.code == (isExpected ? nil : .conflict), place)
            if isExpected { _ = try model[target].apply(writes, store: "model") }
            let after = present(model)
            try #require(store.snapshot() == after, place)
            for (key, typed) in zip(Self.keys, cached) {
                try #require(store.value(forKey: key) == after[key], "\(place), key \(key)")
                try #require(
                    Defaults(store)[typed]?.propertyListValue == after[key],
                    "\(place), key \(key) through its cache"
                )
                try #require((store.provenance(forKey: key) != nil) == (after[key] != nil), place)
            }
            let differing = Self.keys.filter { before[$0] != after[$0] }
            let expected = Set(differing.map { PropertyListChange.Entry(key: $0, old: before[$0], new: after[$0]) })
            let changes = heard.values.dropFirst(heardCounts.all)
            let changesOfOne = heardOfOne.values.dropFirst(heardCounts.one).flatMap(\.entries)
            heardCounts = (heard.count, heardOfOne.count)
            try #require(changes.count == (expected.isEmpty ? 0 : 1), place)
            try #require(Set(changes.flatMap(\.entries)) == expected, place)
            try #require(Set(changesOfOne) == expected.filter { $0.key == "a" }, place)
        }
        // The present values of an observer that comes late.
        let late = Recorder<PropertyListChange>()
        store.observe(.all, initial: true, late.record).cancel()
        let initial = late.values.flatMap(\.entries).reduce(into: PropertyListTable()) { $0[$1.key] = $1.new }
        try #require(initial == present(model), "seed \(seed)")
    }
}
