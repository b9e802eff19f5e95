internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension StoreConformance {
    /// Promise 1: reads answer from memory and never fail.
    static let reads = [
        StoreConformance(promise: 1, "an empty store has no values") { test in
            let store = try test.make()
            test.expect(store.value(forKey: "absent") == nil, "an absent key has a value")
            test.expect(store.value(forKey: "") == nil, "the empty key has a value")
            test.expect(store.snapshot().isEmpty, "the snapshot of an empty store is not empty")
        },
        StoreConformance(promise: 1, "every kind of value reads back as it was written") { test in
            let store = try test.make()
            for (index, value) in sampleValues.enumerated() {
                try store.write(value, forKey: "key \(index)")
            }
            for (index, value) in sampleValues.enumerated() {
                let read = store.value(forKey: "key \(index)")
                test.expect(read == value, "\(value) was read as \(read?.description ?? "nothing")")
            }
            test.expect(store.snapshot().count == sampleValues.count, "the snapshot has another number of keys")
        },
        StoreConformance(promise: 1, "keys may have dots, spaces and any script") { test in
            let store = try test.make()
            for key in ["a.b.c", "with space", "größe", "键", "$data", "-flag", "a/b", "\n"] {
                try store.write(.string(key), forKey: key)
            }
            for key in store.snapshot().sortedKeys {
                test.expect(store.value(forKey: key) == .string(key), "key \(key.debugDescription) has another's value")
            }
        },
        StoreConformance(promise: 1, "reads, snapshots and observers agree whether a value is text") {
            test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["a"]), initial: true, recorder.receive)
            defer { observation.cancel() }
            try store.write("8080", forKey: "a")
            let read = store.storedValue(forKey: "a")
            test.expect(read?.value == "8080", "the value with what is needed to read it is not the value")
            test.expect(store.storedValue(forKey: "absent") == nil, "a key without a value has a stored one")
            test.expect(store.snapshot()[stored: "a"] == read, "a snapshot disagrees with the store on what is text")
            try await test.expectEventually("a change was not heard") { recorder.changes.count >= 2 }
            test.expect(
                recorder.changes.last?["a"]?.storedNew == read,
                "a change disagrees with the store on what is text"
            )
            let late = ChangeRecorder()
            store.observe(.all, initial: true, late.receive).cancel()
            test.expect(
                late.changes.first?["a"]?.storedNew == read,
                "the present values disagree with the store on what is text"
            )
        },
        StoreConformance(promise: 1, "the provenance of a key is known if it has a value, and only then") { test in
            let store = try test.make()
            try store.write(1, forKey: "present")
            for findingLines in [false, true] {
                let found = store.provenance(ofKeys: ["present", "absent"], findingLines: findingLines)
                test.expect(Array(found.keys) == ["present"], "provenance was told of \(found.keys.sorted())")
                test.expect(found["present"]?.sources.isEmpty == false, "a value has no source")
            }
        },
    ]

    /// One value of each kind and each edge that a store is likely to bend.
    static let sampleValues: [PropertyListValue] = [
        true, false,
        0, 1, -1, .init(Int64.min), .init(Int64.max), .init(UInt64.max), .init(UInt64(Int64.max) + 1),
        0.0, -0.0, 1.0, 0.1, .real(.infinity), .real(-.infinity), .real(.nan), .real(.leastNonzeroMagnitude),
        .real(.greatestFiniteMagnitude), 1e15, 1e16,
        "", "text", "1", "true", "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{7f}", "🦄 e\u{301} é", "\u{2028}",
        .date(Date(timeIntervalSinceReferenceDate: 0)),
        .date(Date(timeIntervalSinceReferenceDate: 785_933_400.123_457)),
        .date(Date(timeIntervalSinceReferenceDate: -0.5)), .date(.distantPast), .date(.distantFuture),
        .data(Data()), .data(Data(0...255)),
        [], [[]], [1, 1.0, true, "1"], [:], ["": 1], ["a": ["b": ["c": ["d", 2]]]],
        ["$data": "AAAA"], ["$date": "2001-01-01T00:00:00Z"], ["$dictionary": ["$real": "nan"]],
    ]
}
