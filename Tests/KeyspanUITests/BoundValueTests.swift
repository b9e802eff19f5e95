import Keyspan
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Observation
import Testing

@testable import KeyspanUI

/// The values that bindings read and write; SwiftUI itself is not part of these tests.
@Suite struct BoundValueTests {
    private struct PlayerKeys: KeyGroup {
        let volume = Key<Double>("volume", default: 0.5)
        let nested = Prefixed<NestedKeys>("nested.")
    }

    private struct NestedKeys: KeyGroup {
        let isMuted = Key<Bool>("isMuted", default: false)
    }

    private let store = InMemoryStore()

    /// The number of changes reported for a closure's reads while another closure changes a value.
    private func changes<Value>(of read: () -> Value, during change: () -> Void) -> Int {
        let changes = Recorder<Bool>()
        withObservationTracking {
            _ = read()
        } onChange: {
            changes(true)
        }
        change()
        return changes.count
    }

    @Test func `a key of a group is read and written under its full name, and tracked`() {
        let isMuted = Defaults.Group<PlayerKeys>(store).nested.tracked(\.isMuted)
        #expect(!isMuted.value)
        #expect(changes(of: { isMuted.value }, during: { store.set(true, forKey: "nested.isMuted") }) == 1)
        #expect(isMuted.value)
        isMuted.value = false
        #expect(store.value(forKey: "nested.isMuted") == false)
        #expect(changes(of: { isMuted.value }, during: { store.set(1.0, forKey: "volume") }) == 0)
    }

    @Test func `the property of a projection is the property`() {
        @Default("volume", suite: store) var volume = 0.5
        let property = Default($volume)
        #expect(changes(of: { property.wrappedValue }, during: { volume = 0.75 }) == 1)
        #expect(property.wrappedValue == 0.75)
        property.wrappedValue = 1
        #expect(volume == 1)
        #expect(store.value(forKey: "volume") == 1.0)
    }

    @Test func `reads through values that nobody keeps are tracked`() {
        let key = Defaults.Key<Double>("volume", default: 0.5)
        let reads: [(testDescription: String, read: () -> Double)] = [
            ("a property", { Default(key, suite: store).wrappedValue }),
            (
                "a property of a key with a store",
                {
                    Default(Defaults.Key<Double>("volume", default: 0.5, suite: store)).wrappedValue
                }
            ),
            ("a group", { Defaults.Group<PlayerKeys>(store).volume }),
            ("what a binding to a key holds", { TrackedKey(key, in: store).value }),
            ("what a binding to a key of a group holds", { Defaults.Group<PlayerKeys>(store).tracked(\.volume).value }),
        ]
        for (number, (name, read)) in reads.enumerated() {
            let count = changes(of: read, during: { store.set(PropertyListValue(Double(number)), forKey: "volume") })
            #expect(count == 1, "\(name)")
        }
    }

    @Test func `properties that are made again for each update of a view leave nothing behind`() {
        let key = Defaults.Key<Double>("volume", default: 0.5)
        let layer = ObservedStore()
        weak var leaked: LayeredStore?
        do {
            let store = LayeredStore([.init("memory", layer, isWritable: true)])
            leaked = store
            for _ in 0..<10 {
                let property = Default(key, suite: store)
                // Nobody tells the tracking that it is over, as when a view is gone.
                #expect(changes(of: { property.wrappedValue }, during: {}) == 0)
            }
            #expect(layer.registrations == 1)
        }
        // What observes a store must not hold it.
        #expect(leaked == nil)
    }

    /// A store that counts the registrations of observers.
    private final class ObservedStore: ForwardingStore {
        let base = InMemoryStore()
        private let count = Locked(0)

        var registrations: Int { count.withLock(\.self) }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation {
            count.withLock { $0 += 1 }
            return base.observe(keys, initial: initial, receive)
        }
    }
}
