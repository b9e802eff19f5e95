@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Random writes to layers of which some are text, beside a model that reads values by two rules of its own.
@Suite(.heavy, .seeded) struct LayeredTextModelTests {
    private typealias Keys = (Defaults.Key<Int>, Defaults.Key<[String: Int]>)

    private static let values: [PropertyListValue] = [
        1, 2, "1", "2", "x", ["a": 1], ["a": "1"], ["b": "2"], ["a": "x", "b": "2"], [:],
        ["c": ["a": "1"]], ["c": ["b": 2]], ["c": "1"],
    ]

    /// A value in the model: each part other than a dictionary knows whether it is text.
    private indirect enum Part: Equatable {
        case leaf(PropertyListValue, isText: Bool)
        case members([String: Part])

        init(_ value: PropertyListValue, isText: Bool) {
            if case .dictionary(let members) = value {
                self = .members(
                    members.reduce(into: [:]) { $0[$1.key] = Part($1.value, isText: isText) }
                )
            } else {
                self = .leaf(value, isText: isText)
            }
        }

        func merged(over lower: Part?) -> Part {
            guard case .members(let own) = self, case .members(let others)? = lower else { return self }
            return .members(own.merging(others) { $0.merged(over: $1) })
        }

        var value: PropertyListValue {
            switch self {
            case .leaf(let value, _): value
            case .members(let members): .dictionary(PropertyListDictionary(members.mapValues(\.value)))
            }
        }

        /// The whole number that a key reads; `nil` for none.
        var number: Int? {
            switch self {
            case .leaf(.integer(let number), _): try? Int(propertyListValue: .integer(number))
            case .leaf(.string(let text), isText: true): Int(text)
            default: nil
            }
        }

        /// The members that a key of numbers reads; `nil` for no dictionary.
        var numbers: [String: Int]? {
            guard case .members(let members) = self else { return nil }
            return members.compactMapValues(\.number)
        }

        var isReadableAsNumbers: Bool {
            guard case .members(let members) = self else { return false }
            return members.allSatisfy { $0.value.number != nil }
        }
    }

    private struct Reads: Equatable, Sendable {
        var number: Int
        var numbers: [String: Int]
        var isNumberReadable: Bool
        var areNumbersReadable: Bool

        init(_ part: Part?) {
            number = part?.number ?? -1
            numbers = part.map { $0.numbers ?? ["none": 0] } ?? ["none": 0]
            isNumberReadable = part == nil || part?.number != nil
            areNumbersReadable = part?.isReadableAsNumbers ?? true
        }
    }

    private static func makeKeys() -> Keys {
        (Defaults.Key("k", default: -1), Defaults.Key("k", default: ["none": 0]))
    }

    private static func reads(of defaults: Defaults, _ keys: Keys) -> Reads {
        var reads = Reads(nil)
        (reads.number, reads.numbers) = (defaults[keys.0], defaults[keys.1])
        reads.isNumberReadable = (try? defaults.value(for: keys.0)) != nil
        reads.areNumbersReadable = (try? defaults.value(for: keys.1)) != nil
        return reads
    }

    private static func reads(of snapshot: Defaults.Snapshot, _ keys: Keys) -> Reads {
        var reads = Reads(nil)
        (reads.number, reads.numbers) = (snapshot[keys.0], snapshot[keys.1])
        reads.isNumberReadable = (try? snapshot.value(for: keys.0)) != nil
        reads.areNumbersReadable = (try? snapshot.value(for: keys.1)) != nil
        return reads
    }

    private static func reads(ofEditOf defaults: Defaults, _ keys: Keys) -> Reads {
        var reads = Reads(nil)
        defaults.update { batch in
            reads.number = batch[keys.0]
            reads.numbers = batch[keys.1]
            reads.isNumberReadable = (try? batch.value(for: keys.0)) != nil
            reads.areNumbersReadable = (try? batch.value(for: keys.1)) != nil
        }
        return reads
    }

    @Test(arguments: [LayeredStore.Dictionaries.whole, .merged])
    func `all ways to read a state agree, then and later`(_ dictionaries: LayeredStore.Dictionaries) throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(20, thorough: 60)) {
            try verify(dictionaries, seed: seed)
        }
    }

    private func verify(_ dictionaries: LayeredStore.Dictionaries, seed: UInt64) throws {
        _ = try reportedProblems {
            var random = SeededGenerator(seed: seed)
            let areText = (0..<Int.random(in: 1...4, using: &random)).map { _ in Bool.random(using: &random) }
            let layers: [any PropertyListStore] = areText.enumerated().map { index, isText in
                if isText { return TextStore(name: "layer \(index)") }
                return InMemoryStore(name: "layer \(index)")
            }
            let written = Int.random(in: 0..<layers.count, using: &random)
            let store = LayeredStore(
                layers.map { .init($0.name, $0, isWritable: true) },
                writingTo: "layer \(written)",
                dictionaries: dictionaries
            )
            let defaults = Defaults(store)
            var model: [Part?] = layers.map { _ in nil }
            let seen = { (model: [Part?]) -> Part? in
                model.reversed().reduce(nil) { below, part in
                    part.map { dictionaries == .merged ? $0.merged(over: below) : $0 } ?? below
                }
            }
            let cached = Self.makeKeys()
            let (heardNumbers, heardDictionaries) = (Recorder<[Int]>(), Recorder<[[String: Int]]>())
            let observedKeys = Self.makeKeys()
            let observations: [any Defaults.Observation] = [
                defaults.observe(observedKeys.0, options: []) { heardNumbers.record([$0.oldValue, $0.newValue]) },
                defaults.observe(observedKeys.1, options: []) { heardDictionaries.record([$0.oldValue, $0.newValue]) },
            ]
            defer { observations.forEach { $0.invalidate() } }
            var changes = 0
            var past: [(snapshot: Defaults.Snapshot, reads: Reads)] = []
            for step in 0..<20 {
                let before = seen(model)
                let layer = Int.random(in: 0..<layers.count, using: &random)
                let value = Int.random(in: 0..<4, using: &random) == 0 ? nil : Self.values.randomElement(using: &random)
                layers[layer].set(value, forKey: "k")
                model[layer] = value.map { Part($0, isText: areText[layer]) }
                let after = seen(model)
                let expected = Reads(after)
                let place = "seed \(seed), step \(step), layers \(areText), \(String(describing: after))"
                try #require(store.storedValue(forKey: "k")?.value == after?.value, "\(place)")
                try #require(store.snapshot()[stored: "k"] == store.storedValue(forKey: "k"), "\(place)")
                try #require(Self.reads(of: defaults, Self.makeKeys()) == expected, "a fresh key, \(place)")
                try #require(Self.reads(of: defaults, cached) == expected, "a key with a cache, \(place)")
                try #require(Self.reads(of: defaults.snapshot(), cached) == expected, "a snapshot, \(place)")
                try #require(Self.reads(ofEditOf: defaults, cached) == expected, "an edit, \(place)")
                let isChanged = before != after
                changes += isChanged ? 1 : 0
                let old = Reads(before)
                try #require(
                    [heardNumbers.count, heardDictionaries.count] == [changes, changes],
                    "observers, \(place)"
                )
                if isChanged {
                    try #require(heardNumbers.last == [old.number, expected.number], "an observer, \(place)")
                    try #require(
                        heardDictionaries.last == [old.numbers, expected.numbers],
                        "an observer of the dictionary, \(place)"
                    )
                }
                past.append((defaults.snapshot(), expected))
            }
            for (step, (snapshot, reads)) in past.enumerated() {
                try #require(Self.reads(of: snapshot, cached) == reads, "seed \(seed), snapshot of step \(step)")
            }
        }
    }
}
