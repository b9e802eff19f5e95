internal import KeyspanCore

extension StoreConformance {
    /// Texts are equal when their UTF-8 is, as values, keys and names inside of values.
    ///
    /// A store that cannot hold two keys or names which are equal to `String` refuses the second one by promise 6.
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
            try await test.expectEventually("an observer did not hear of each text") {
                recorder.changes.count == spellings.count
            }
            for (change, text) in zip(recorder.changes, spellings) {
                test.expect(change["text"]?.new, is: text, "the change")
            }
        },
        StoreConformance(promise: 2, "an expectation tells texts by their bytes") { test in
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
        StoreConformance(promise: 1, "keys that differ in their bytes are different keys, or the second one is refused")
        {
            test in
            let store = try test.make()
            let held = try writeSpelledKeys(to: store, test)
            expectSpelledKeys(held, in: store.snapshot(), test)
            for (index, key) in spellings.enumerated() {
                let expected: PropertyListValue? = index < held ? .init(index) : nil
                test.expect(store.value(forKey: key) == expected, "key \(index) has another's value")
            }
            guard held == spellings.count else { return }
            let heard = ChangeRecorder()
            let observation = store.observe(.named([UTF8Text(spellings[1])]), initial: false, heard.receive)
            defer { observation.cancel() }
            try store.write(nil, forKey: spellings[0])
            try store.write("changed", forKey: spellings[1])
            try await test.expectEventually("an observer did not hear of its key") { !heard.changes.isEmpty }
            test.expect(heard.changes.count == 1, "an observer heard of another key")
            test.expect(heard.changes.first?[spellings[0]] == nil, "a change answers for another key")
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
            "names inside of a value that differ in their bytes are all held, or the value is refused"
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
                    test.expect(store.snapshot().isEmpty, "a refused value changed the store")
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

    /// One text in spellings that are equal to `String`: to each there is another one with as many bytes.
    private static let spellings = ["\u{212B} K", "A\u{30A} K", "\u{C5} K", "\u{C5} \u{212A}"]

    /// Writes a key of each spelling, as long as the store takes them, and answers how many it took.
    private static func writeSpelledKeys(to store: any PropertyListStore, _ test: StoreUnderTest) throws -> Int {
        for (index, key) in spellings.enumerated() {
            do throws(StoreError) {
                try store.apply(PropertyListBatch(.set(.init(index), key: key)))
            } catch {
                test.expect(index > 0, "the first key was refused: \(error)")
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
