@_spi(StoreAuthors) internal import KeyspanCore

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
            let keys = [
                "a.b.c", "with space", "größe", "键", "$data", "-flag", "a/b", "\n", "a.b", "a", "A", "a ", "a/", ".",
            ]
            for key in keys { try store.write(.string(key), forKey: key) }
            for key in keys {
                let found = store.value(forKey: key)
                test.expect(
                    found == .string(key),
                    "key \(key.quoted) has \(found?.description ?? "no value")"
                )
            }
            test.expect(store.snapshot().count == keys.count, "the snapshot has another number of keys")
        },
        StoreConformance(promise: 1, "reads, snapshots and observers agree on whether a value is text") {
            test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["a"]), initial: true, recorder.receive)
            defer { observation.cancel() }
            try store.write("8080", forKey: "a")
            let read = store.storedValue(forKey: "a")
            test.expect(read?.value == "8080", "the value with what is needed to read it is not the value")
            test.expect(store.storedValue(forKey: "absent") == nil, "a key without a value has a stored one")
            test.expect(
                store.snapshot()[stored: "a"] == read,
                "a snapshot disagrees with the store on whether a value is text"
            )
            test.expect(recorder.count == 2, "\(recorder.count) of 2 changes had arrived when the write returned")
            test.expect(
                recorder.changes.last?["a"]?.storedNew == read,
                "a change disagrees with the store on whether a value is text"
            )
            let late = ChangeRecorder()
            store.observe(.all, initial: true, late.receive).cancel()
            test.expect(
                late.changes.first?["a"]?.storedNew == read,
                "the present values disagree with the store on whether a value is text"
            )
        },
        StoreConformance(promise: 1, "the provenance of a key is known if it has a value, and only then") { test in
            let store = try test.make()
            try store.write(1, forKey: "present")
            for findingLines in [false, true] {
                let found = store.provenance(ofKeys: ["present", "absent"], findingLines: findingLines)
                test.expect(Array(found.keys) == ["present"], "provenance was reported for \(found.keys.sorted())")
                test.expect(found["present"]?.sources.isEmpty == false, "a value has no source")
            }
        },
    ]

    /// The plain values, alone and inside of others.
    static let sampleValues =
        plainValues + [
            .array(plainValues),
            .dictionary(plainValues.enumerated().reduce(into: [:]) { $0["inner \($1.offset)"] = $1.element }),
        ]

    /// One value of each kind, and the edge cases that a store is likely to change.
    static let plainValues: [PropertyListValue] = [
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

extension StoreConformance {
    /// The revisions of promise 1, on which caches rely; a store without them passes.
    static let revisions = [
        StoreConformance(promise: 1, "a revision stands for one state of one store") { test in
            let store = try test.make()
            guard let empty = store.revision else { return }
            try store.write(1, forKey: "a")
            let first = store.revision
            try store.write(1, forKey: "a")
            try store.write(nil, forKey: "absent")
            test.expect(store.revision == first, "writes that changed nothing changed the revision")
            try store.write(2, forKey: "a")
            test.expect(first != empty && store.revision != first, "a change left the revision as it was")
            test.expect(try test.make().revision != empty, "two stores have the same revision")
            var seen: Set<StoreRevision> = []
            for number in 1...20 {
                try store.write(.init(-number), forKey: "a")
                if let revision = store.revision { seen.insert(revision) }
            }
            test.expect(seen.count == 20, "20 states had \(seen.count) revisions")
        },
        StoreConformance(promise: 1, "a change of a key changes the revision of its stripe") { test in
            let store = try test.make()
            guard store.revision != nil else { return }
            let keys = (0..<test.repetitions(10, thorough: 300)).map { "key \($0)" }
            func expectChange(_ write: String, of keys: [String], by batch: PropertyListBatch) throws {
                let stripes = [.all] + keys.map { KeyStripe(of: $0) }
                let before = stripes.map { store.revision(of: $0) }
                try store.apply(batch)
                let unchanged = zip(stripes, before).filter { store.revision(of: $0) == $1 }
                test.expect(unchanged.isEmpty, "\(write) left the revision of \(unchanged.count) stripes as it was")
            }
            for key in keys {
                for value: PropertyListValue? in [1, 2, nil, 3] {
                    var batch = PropertyListBatch()
                    batch.set(value, forKey: key)
                    try expectChange("a change of one key", of: [key], by: batch)
                }
            }
            var batch = PropertyListBatch()
            for (number, key) in keys.enumerated() { batch.set(number.isMultiple(of: 2) ? nil : 4, forKey: key) }
            try expectChange("a batch", of: keys, by: batch)
            batch = PropertyListBatch(.removeAll)
            for key in keys { batch.set(5, forKey: key) }
            try expectChange("a batch that removes all keys", of: keys, by: batch)
            try expectChange("the removal of all keys", of: keys, by: PropertyListBatch(.removeAll))
        },
        StoreConformance(promise: 2, "a reader of a new value reads no cached value from before its batch") { test in
            let store = try test.make()
            let total = test.repetitions(100, thorough: 5_000)
            let numbers = (0..<4).map { Defaults.Key<Int>("number \($0)", default: 0) }
            let texts = (0..<4).map { Defaults.Key<String>("text \($0)", default: "0") }
            let isStale = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for number in 1...total {
                        var batch = PropertyListBatch()
                        for key in numbers { batch.set(.init(number), forKey: key.name) }
                        for key in texts { batch.set(.init("\(number)"), forKey: key.name) }
                        try store.apply(batch)
                    }
                    return false
                }
                for reader in 0..<2 {
                    group.addTask {
                        let defaults = Defaults(store)
                        return (0..<total).contains { turn in
                            // Each reader begins with another key, so that it meets values that the other one has cached.
                            let order = (0..<4).map { ($0 + turn + reader) % 4 }
                            let seen = order.flatMap { [defaults[numbers[$0]], Int(defaults[texts[$0]]) ?? -1] }
                            return seen != seen.sorted()
                        }
                    }
                }
                return try await group.contains(true)
            }
            test.expect(!isStale, "a value of an earlier batch was read after one of a later batch")
        },
        StoreConformance(promise: 1, "a new value is never read under an old revision") { test in
            let store = try test.make()
            try store.write(0, forKey: "number")
            let total = test.repetitions(100, thorough: 2_000)
            let late = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for number in 1..<total {
                        try store.write(.init(number), forKey: "number")
                    }
                    return false
                }
                group.addTask {
                    (0..<total).contains { _ in
                        // If nothing changed between the two questions, the values have to agree.
                        [.all, KeyStripe(of: "number")].contains { stripe in
                            let (before, first) = (store.revision(of: stripe), store.value(forKey: "number"))
                            let (second, after) = (store.value(forKey: "number"), store.revision(of: stripe))
                            return before != nil && before == after && first != second
                        }
                    }
                }
                return try await group.contains(true)
            }
            test.expect(!late, "a value changed while the revision stayed")
        },
    ]
}

extension StoreConformance {
    /// Texts are equal when their UTF-8 is, as values, keys and names inside of values.
    ///
    /// A store that cannot hold two keys or names which are equal to `String` rejects the second one by promise 6.
    static let texts = [
        StoreConformance(promise: 2, "a text replaces one that differs in its bytes only") { test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false, recorder.receive)
            defer { observation.cancel() }
            for text in spellings {
                try store.write(.string(text), forKey: "text")
                test.expect(store.value(forKey: "text"), is: text, "the value")
                test.expect(store.snapshot()["text"], is: text, "the value of a snapshot")
            }
            test.expect(recorder.count == spellings.count, "an observer did not receive each text")
            for (change, text) in zip(recorder.changes, spellings) {
                test.expect(change["text"]?.new, is: text, "the change")
            }
        },
        StoreConformance(promise: 2, "an expectation distinguishes texts by their bytes") { test in
            let store = try test.make()
            try store.write(.string(spellings[0]), forKey: "text")
            var batch = PropertyListBatch()
            batch.expect(.string(spellings[1]), forKey: "text")
            batch.set("new", forKey: "text")
            test.expect(.conflict, forKey: "text", from: store, applying: batch)
            test.expect(store.value(forKey: "text"), is: spellings[0], "the value after a conflict")
        },
        StoreConformance(promise: 5, "a durable text has the bytes that were written last") { test in
            guard let reopen = test.reopen else { return }
            let name = try { () throws in
                let store = try test.make()
                for text in spellings {
                    try store.write(.string(text), forKey: "text")
                    try store.synchronize()
                }
                return store.name
            }()
            test.expect(try reopen(name).value(forKey: "text"), is: spellings[spellings.count - 1], "the durable text")
        },
        StoreConformance(
            promise: 1,
            "keys that differ in their bytes are different keys, or the second one is rejected"
        ) {
            test in
            let store = try test.make()
            let held = try writeSpelledKeys(to: store, test)
            expectSpelledKeys(held, in: store.snapshot(), test)
            for (index, key) in spellings.enumerated() {
                let expected: PropertyListValue? = index < held ? .init(index) : nil
                test.expect(store.value(forKey: key) == expected, "key \(index) has another's value")
            }
            guard held == spellings.count else { return }
            let recorder = ChangeRecorder()
            let observation = store.observe(.named([UTF8Text(spellings[1])]), initial: false, recorder.receive)
            defer { observation.cancel() }
            try store.write(nil, forKey: spellings[0])
            try store.write("changed", forKey: spellings[1])
            test.expect(
                recorder.count == 1,
                "an observer received \(recorder.count) changes instead of that of its key"
            )
            test.expect(recorder.changes.first?[spellings[0]] == nil, "a change answers for another key")
            test.expect(store.value(forKey: spellings[0]) == nil, "the removed key has a value")
            test.expect(store.value(forKey: spellings[1]) == "changed", "a key was removed with another one")
        },
        StoreConformance(promise: 5, "durable keys that differ in their bytes are there when the store is opened again")
        {
            test in
            guard let reopen = test.reopen else { return }
            let (name, held) = try { () throws in
                let store = try test.make()
                let held = try writeSpelledKeys(to: store, test)
                try store.synchronize()
                return (store.name, held)
            }()
            expectSpelledKeys(held, in: try reopen(name).snapshot(), test)
        },
        StoreConformance(
            promise: 1,
            "names inside of a value that differ in their bytes are all held, or the value is rejected"
        ) {
            test in
            var entries = PropertyListDictionary()
            for (index, name) in spellings.enumerated() { entries[name] = .init(index) }
            let value = PropertyListValue.array([.dictionary(entries)])
            let name = try { () throws -> String? in
                let store = try test.make()
                do throws(StoreError) {
                    try store.apply(PropertyListBatch(.set(value, key: "names")))
                } catch {
                    test.expect(error.code == .unsupportedValue, "the error was \(error.code)")
                    test.expect(error.key == "names", "the error does not name the key")
                    test.expect(store.snapshot().isEmpty, "a rejected value changed the store")
                    return nil
                }
                test.expect(store.value(forKey: "names") == value, "a name inside of the value was lost")
                try store.synchronize()
                return store.name
            }()
            guard let name, let reopen = test.reopen else { return }
            test.expect(try reopen(name).value(forKey: "names") == value, "a durable name was lost")
        },
    ]

    /// One text in spellings that are equal to `String`; each has as many bytes as another one.
    private static let spellings = ["\u{212B} K", "A\u{30A} K", "\u{C5} K", "\u{C5} \u{212A}"]

    /// Writes a key of each spelling until the store rejects one, and returns how many it accepted.
    private static func writeSpelledKeys(to store: any PropertyListStore, _ test: StoreUnderTest) throws -> Int {
        for (index, key) in spellings.enumerated() {
            do throws(StoreError) {
                try store.apply(PropertyListBatch(.set(.init(index), key: key)))
            } catch {
                test.expect(index > 0, "the first key was rejected: \(error)")
                test.expect(error.code == .unsupportedValue, "the error was \(error.code) instead of unsupportedValue")
                test.expect(error.key.map { Array($0.utf8) } == Array(key.utf8), "the error names another key")
                return index
            }
        }
        return spellings.count
    }

    private static func expectSpelledKeys(_ count: Int, in table: PropertyListTable, _ test: StoreUnderTest) {
        let keys = table.map { Array($0.key.utf8) }
        test.expect(
            Set(keys) == Set(spellings.prefix(count).map { Array($0.utf8) }),
            "there are \(keys.count) keys instead of \(count), or they have other bytes"
        )
        test.expect(
            table.sortedKeys.map { Array($0.utf8) } == keys.sorted { $0.lexicographicallyPrecedes($1) },
            "the keys are not in the order of their bytes"
        )
    }
}

extension StoreUnderTest {
    /// Records a failure unless the value is a text with exactly those bytes.
    fileprivate func expect(_ value: PropertyListValue?, is text: String, _ what: String) {
        expect(
            value?.stringValue.map { Array($0.utf8) } == Array(text.utf8),
            "\(what) has other bytes than the text that was written"
        )
    }
}
