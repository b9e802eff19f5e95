import Keyspan
import KeyspanCore
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

    @Test func `properties that are made again for each update of a view leave nothing behind`() {
        let key = Defaults.Key<Double>("volume", default: 0.5)
        weak var leaked: InMemoryStore?
        do {
            let store = InMemoryStore()
            leaked = store
            for _ in 0..<10 {
                let property = Default(key, suite: store)
                // Nobody tells the tracking that it is over, as when a view is gone.
                #expect(changes(of: { property.wrappedValue }, during: {}) == 0)
            }
        }
        // A property that observed the store would hold it.
        #expect(leaked == nil)
    }
}
