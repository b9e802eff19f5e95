import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The one law of all kinds of values and all stores: what was written is read, or else it was refused and nothing changed.
@Suite(.heavy, .seeded) struct RoundTripTests {
    private static let count = TestLevel.current.pick(2, thorough: 6, exhaustive: 120)

    @Test(arguments: RoundTripStore.allCases)
    func `values of every kind are read as they were written, or refused`(kind: RoundTripStore) throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var written: [(name: String, value: RoundTrip)] = []
        let folder = try TemporaryFolder()
        // As long as the stores, which would take the end of the file for a change.
        defer { withExtendedLifetime(folder) {} }
        let store = try kind.reopened(in: folder) { store in
            for values in RoundTripKind.all {
                for _ in 0..<Self.count {
                    guard let value = values.random(&generator) else { continue }
                    let stored = try #require(value.stored, "\(value.description)")
                    if kind.rounds(stored) { continue }
                    let name = HostileTexts.name(using: &generator) + "\(written.count)"
                    do throws(Defaults.WriteError) {
                        try value.write(store, name)
                    } catch {
                        let isHeld = kind.holds(stored) && kind.holds(name)
                        #expect(!isHeld, "\(value.description): \(error)")
                        #expect(store.value(forKey: name) == nil)
                        continue
                    }
                    #expect(kind.holds(stored) && kind.holds(name), "\(value.description)")
                    written.append((name, value))
                }
            }
            for (name, value) in written { Self.check(value, under: name, in: store) }
        }
        for (name, value) in written { Self.check(value, under: name, in: store) }
        #expect(written.count > Self.count * RoundTripKind.all.count / 3)
    }

    @Test(arguments: RoundTripStore.allCases)
    func `every hostile text is held as a value, as a name in it and as a key`(kind: RoundTripStore) throws {
        let texts = HostileTexts.all.filter(kind.holds)
        let names = texts.filter { !$0.isEmpty && !$0.unicodeScalars.contains("\0") }
        let list = PropertyListValue.array(texts.map { .string($0) })
        let entries = PropertyListValue.dictionary(
            PropertyListDictionary(
                texts.enumerated().map { (key: $1, value: .integer(PropertyListInteger(Int64($0)))) }
            )
        )
        let single = PropertyListValue.array(texts.map { .dictionary([$0: .string($0)]) })
        var batch = PropertyListBatch()
        for name in names { batch.set(.string(name), forKey: "key " + name) }
        for (key, value) in [("list", list), ("entries", entries), ("single", single)] { batch.set(value, forKey: key) }
        for name in names { batch.set(.array([.string(name)]), forKey: name) }
        let expected = PropertyListTable(
            batch.operations.reduce(into: PropertyListDictionary()) { table, operation in
                if case .set(let value, let key) = operation { table[key] = value }
            }
        )
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try kind.reopened(in: folder) { try $0.apply(batch) }
        let read = store.snapshot()
        // One expectation, because thousands take longer than the comparisons.
        let wrong = expected.filter { store.value(forKey: $0.key) != $0.value || read[$0.key] != $0.value }
        #expect(wrong.isEmpty, "\(wrong.map { String(reflecting: $0.key) })")
        #expect(kind != .memory || read == expected)
    }

    private static func check(_ value: RoundTrip, under name: String, in store: any PropertyListStore) {
        let difference = value.difference(store, name)
        #expect(
            difference == nil,
            "\(value.description) under \(String(reflecting: name))"
        )
    }
}
