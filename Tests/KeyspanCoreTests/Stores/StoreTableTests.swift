import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Values for stores, which may be released at any time, on any thread.
@Suite(.bounded) struct StoreTableTests {
    @Test func `a store has one value, whichever thread asks first`() {
        let (table, store) = (StoreTable<Recorder<Int>>(), InMemoryStore())
        let values = Recorder<ObjectIdentifier>()
        let threads = (0..<8).map { _ in
            TestThread { values(ObjectIdentifier(table.value(of: store) { Recorder() })) }
        }
        threads.forEach { $0.join() }
        #expect(values.count == 8 && Set(values.values).count == 1)
    }

    @Test func `a value is never that of a store that was at the same address before`() {
        let table = StoreTable<String>()
        let wrong = Recorder<String>()
        let threads = (0..<4).map { thread in
            TestThread {
                for number in 0..<1000 {
                    let store = InMemoryStore(name: "\(thread).\(number)")
                    for _ in 0..<2 {
                        let value = table.value(of: store) { store.name }
                        if value != store.name { wrong(value) }
                    }
                }
            }
        }
        threads.forEach { $0.join() }
        #expect(wrong.values == [])
    }

    @Test(arguments: [0, 10]) func `the values of released stores go with the next stores`(_ livingCount: Int) {
        let (table, released) = (StoreTable<Releasing>(), Recorder<Int>())
        let living = (0..<livingCount).map { _ in InMemoryStore() }
        for store in living { _ = table.value(of: store) { Releasing { released(-1) } } }
        for number in 0..<1000 {
            _ = table.value(of: InMemoryStore()) { Releasing { released(number) } }
        }
        #expect(1000 - released.count <= max(1, livingCount))
        #expect(!released.values.contains(-1))
        withExtendedLifetime(living) {}
    }

    @Test func `a value may use the table when it is released`() {
        let (table, other) = (StoreTable<Releasing>(), InMemoryStore())
        let released = Recorder<Bool>()
        _ = table.value(of: InMemoryStore()) {
            Releasing {
                _ = table.value(of: other) { Releasing {} }
                released(true)
            }
        }
        _ = table.value(of: InMemoryStore()) { Releasing {} }
        #expect(released.count == 1)
    }
}
