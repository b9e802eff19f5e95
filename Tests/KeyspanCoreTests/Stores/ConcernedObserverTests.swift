@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// Checks that a change calls the observers of its keys and no others, in the order of their registration.
@Suite struct ConcernedObserverTests {
    /// The names of observers in the order of their calls, each with the keys that it received.
    final class Calls: Sendable {
        private let calls = Recorder<String>()

        func observe(_ store: any PropertyListStore, _ name: String, _ keys: ObservedKeys) -> StoreObservation {
            store.observe(keys, initial: false) { [calls] change in
                calls.record("\(name): \(change.entries.map(\.key).sorted().joined(separator: " "))")
            }
        }

        func during(_ body: () throws -> Void) rethrows -> [String] {
            let count = calls.count
            try body()
            return Array(calls.values.dropFirst(count))
        }
    }

    @Test(arguments: [false, true])
    func `a change calls those that it concerns in the order of registration`(isLayered: Bool) throws {
        let store: any PropertyListStore = isLayered ? LayeredStore(registeringBelow: InMemoryStore()) : InMemoryStore()
        let calls = Calls()
        let sibling = KeyStripeTests.names(1, inStripeOf: "a")[0]
        let other = KeyStripeTests.names(1, inStripeOf: "a", false)[0]
        var observations = [
            calls.observe(store, "a first", .named(["a"])),
            calls.observe(store, "all", .all),
            calls.observe(store, "both", .named(["a", other])),
            calls.observe(store, "sibling", .named([sibling])),
            calls.observe(store, "none", .named([] as [String])),
            calls.observe(store, "other", .named([other])),
            calls.observe(store, "a last", .named(["a"])),
        ]
        func write(_ keys: String..., value: PropertyListValue?) throws -> [String] {
            var batch = PropertyListBatch()
            for key in keys { batch.set(value, forKey: key) }
            return try calls.during { try store.apply(batch) }
        }
        #expect(try write("a", value: 1) == ["a first: a", "all: a", "both: a", "a last: a"])
        #expect(try write("a", value: 1) == [])
        let both = ["a", other].sorted().joined(separator: " ")
        let expected = ["a first: a", "all: \(both)", "both: \(both)", "other: \(other)", "a last: a"]
        #expect(try write("a", other, value: 2) == expected)
        #expect(try write(sibling, value: 1) == ["all: \(sibling)", "sibling: \(sibling)"])
        observations.remove(at: 1).cancel()
        #expect(try write(sibling, value: nil) == ["sibling: \(sibling)"])
        #expect(
            try calls.during { try store.apply(PropertyListBatch(.removeAll)) }
                == expected.filter { !$0.hasPrefix("all") }
        )
        // A stripe stays observed as long as one of its observers is there.
        observations.remove(at: 0).cancel()
        #expect(try write("a", value: 3) == ["both: a", "a last: a"])
        observations = []
        #expect(try write("a", other, sibling, value: 4) == [])
        let again = calls.observe(store, "again", .named(["a"]))
        #expect(try write("a", value: 5) == ["again: a"])
        again.cancel()
    }

    @Test func `a write that concerns nobody delivers what its thread still owes`() throws {
        let store = InMemoryStore()
        let calls = Calls()
        // While it is called for "a", the observer after it has not been called yet.
        let writing = store.observe(.named(["a"]), initial: false) { _ in
            let calls = calls.during { try? store.apply(PropertyListBatch(.set(1, key: "unobserved"))) }
            #expect(calls == ["later: a"])
        }
        let later = calls.observe(store, "later", .named(["a"]))
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        withExtendedLifetime((writing, later)) {}
    }
}
