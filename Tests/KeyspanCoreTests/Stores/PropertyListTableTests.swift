@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct PropertyListTableTests {
    @Test func `a table is a dictionary with cheap copies`() {
        var table: PropertyListTable = ["b": 2, "a": 1]
        let copy = table
        table["b"] = nil
        #expect(table.updateValue(3, forKey: "c") == nil)
        #expect(table.updateValue(4, forKey: "c") == 3)
        #expect(copy.sortedKeys == ["a", "b"])
        #expect(copy.dictionary == ["a": 1, "b": 2])
        #expect(table == PropertyListTable(["a": 1, "c": 4]))
        #expect(table.count == 2 && !table.isEmpty && PropertyListTable().isEmpty)
        #expect(Set(table.map(\.key)) == ["a", "c"])
        #expect(PropertyListTable(dictionaryLiteral: ("a", 1), ("a", 2)) == ["a": 2])
    }

    @Test func `a change says what differs between before and after, however often it was written`() throws {
        var table: PropertyListTable = ["kept": 1, "changed": 1, "removed": 1]
        var batch = PropertyListBatch()
        batch.removeAll()
        batch.set(1, forKey: "kept")
        batch.set(9, forKey: "changed")
        batch.set(2, forKey: "changed")
        batch.set(1, forKey: "added")
        let change = try table.apply(batch, store: "test")
        #expect(Set(change.entries.map(\.key)) == ["changed", "removed", "added"])
        #expect(change["changed"] == .init(key: "changed", old: 1, new: 2))
        #expect(change["removed"] == .init(key: "removed", old: 1, new: nil))
        #expect(change["added"] == .init(key: "added", old: nil, new: 1))
        #expect(change["kept"] == nil)
    }

    @Test(
        arguments: [
            [.set(2, key: "a"), .set(1, key: "a")], [.remove(key: "a"), .set(1, key: "a")], [.remove(key: "b")],
            [.set(2, key: "b"), .remove(key: "b")], [.removeAll, .set(1, key: "a")],
            [.set(2, key: "b"), .removeAll, .set(1, key: "a")],
        ] as [[PropertyListBatch.Operation]]
    )
    func `writes that end where they began are not a change, with and without observers`(
        operations: [PropertyListBatch.Operation]
    ) throws {
        let batch = PropertyListBatch(operations)
        var table: PropertyListTable = ["a": 1]
        #expect(try table.apply(batch, store: "test").isEmpty)
        #expect(table == ["a": 1])
        let store = InMemoryStore(["a": 1])
        let revision = store.revision
        try store.apply(batch)
        #expect(store.revision == revision)
        #expect(store.snapshot() == ["a": 1])
    }

    @Test func `a batch keeps its writes in order`() {
        var batch = PropertyListBatch(.set(1, key: "a"))
        batch.set(nil, forKey: "b")
        batch.remove("c")
        batch.removeAll()
        #expect(batch.operations == [.set(1, key: "a"), .remove(key: "b"), .remove(key: "c"), .removeAll])
        #expect(PropertyListBatch().operations.isEmpty)
    }
}
