import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// Batches of keys that noted the state to which their last write led look nothing up, and lose nothing.
@Suite struct NotedBatchTests {
    private static let unreadable: PropertyListValue = ["of", "another", "kind"]

    private let store = ScriptedStore()
    private let first = Defaults.Key<Int>("first", default: 0)
    private let second = Defaults.Key<[Int]>("second", default: [])

    private func write(_ number: Int, over layers: Bool = false) {
        let store: any PropertyListStore = layers ? LayeredStore(registeringBelow: self.store) : self.store
        Defaults(store).update {
            $0[first] = number
            $0[second] = [number]
        }
    }

    @Test(arguments: [false, true]) func `a batch after the keys' own writes expects their state and no values`(
        isLayered: Bool
    ) {
        let batches = Recorder<PropertyListBatch>()
        store.onBatch { batches.record($0) }
        write(1, over: isLayered)
        write(2, over: isLayered)
        #expect(batches.values.map(\.notedKeys) == [[], ["first", "second"]])
        #expect(batches.last?.expectations.isEmpty == true)
        #expect(store.base.snapshot() == ["first": 2, "second": [2]])
    }

    @Test(arguments: ["first", "second"], [false, true])
    func `a value that another writer puts there just before is kept`(name: String, isLayered: Bool) {
        write(1, over: isLayered)
        store.beforeNext(.write) { [base = store.base] in base.set(Self.unreadable, forKey: name) }
        write(2, over: isLayered)
        #expect(Defaults(store).keptValues().map(\.value) == [Self.unreadable])
        #expect(store.value(forKey: "first") == 2 && store.value(forKey: "second") == [2])
    }

    /// No state of the first store is one that the keys have noted, because the second one notes its own afterwards.
    @Test func `a store that passes batches to two others gets values in place of states`() {
        let copy = InMemoryStore()
        store.onBatch { batch throws(StoreError) in try copy.apply(batch) }
        for number in 1...3 { write(number) }
        #expect(store.base.snapshot() == ["first": 3, "second": [3]])
        #expect(copy.snapshot() == store.base.snapshot())
    }

    /// Each of the keys has written, but only one of them can read the value.
    @Test(arguments: [1, 10]) func `two keys of one name in a batch note nothing`(others: Int) throws {
        let text = Defaults.Key<String>("first", default: "")
        let defaults = Defaults(store)
        defaults.update {
            $0[first] = 1
            $0[text] = "text"
            for number in 1...others { $0[Defaults.Key<Int>("other \(number)", default: 0)] = number }
        }
        try store.apply(PropertyListBatch(.remove(key: KeptValues.entryName)))
        defaults[first] = 2
        #expect(defaults.keptValues().map(\.value) == ["text"])
    }

    @Test func `a value that the batch itself has written is not taken for the noted one`() {
        let defaults = Defaults(store)
        defaults[first] = 1
        defaults.update {
            $0[Defaults.Key<String>("first", default: "")] = "text"
            $0[first] = 2
        }
        #expect(defaults.keptValues().map(\.value).contains("text"))
        #expect(defaults[first] == 2)
    }

    @Test(arguments: [2, 8, 9, 40]) func `a batch of any length reads what it writes`(count: Int) {
        let keys = (0..<count).map { Defaults.Key<Int>("key \($0)", default: -1) }
        store.base.set(7, forKey: "present")
        let present = Defaults.Key<Int>("present", default: 0)
        Defaults(store).update { batch in
            for (number, key) in keys.enumerated() { batch[key] = number }
            for (number, key) in keys.enumerated() { batch[key] += number }
            #expect(batch[present] == 7)
            for (number, key) in keys.enumerated() { #expect(batch[key] == 2 * number) }
            batch.removeAll()
            #expect(batch[present] == 0 && keys.allSatisfy { batch[$0] == -1 })
            batch[keys[0]] = 5
            #expect(batch[keys[0]] == 5 && batch[keys[1]] == -1)
        }
        #expect(store.snapshot() == ["key 0": 5])
    }

    @Test func `what a batch reads is of one state, and a later change makes it begin anew`() {
        let store = InMemoryStore(["first": 1, "second": [1]])
        var attempts = 0
        Defaults(store).update { batch in
            attempts += 1
            let number = batch[first]
            if attempts == 1 {
                store.apply(["first": 2, "second": [2]])
                #expect(batch[second] == [1])
            }
            batch[second] = [number]
        }
        #expect(attempts == 2)
        #expect(store.snapshot() == ["first": 2, "second": [2]])
    }
}

extension InMemoryStore {
    fileprivate func apply(_ values: PropertyListDictionary) {
        for (key, value) in values { set(value, forKey: key) }
    }
}

extension PropertyListBatch {
    fileprivate var notedKeys: [String] {
        var keys: [String] = []
        writes.forEach { if $0.expectsNotedState { keys.append($0.key) } }
        return keys
    }
}
