import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import Keyspan

/// An object in a key or a value may run any code when it is released, and use the object that held it.
@Suite struct ReleaseTests {
    @Test func `a key may ask for the keys of all devices when it is removed`() {
        let store = InMemoryStore()
        let cloudKeys = CloudKeys { $0(store) }
        let counts = Recorder<Int>()
        do {
            let object = Releasing { counts.record(cloudKeys.keys.count) }
            cloudKeys.add([
                Defaults.Key<Int>("count", suite: store) { withExtendedLifetime(object) { 0 } }
            ])
        }
        #expect(counts.values == [])
        // An equal key that holds something else.
        cloudKeys.remove([Defaults.Key<Int>("count", default: 0, suite: store)])
        #expect(counts.values == [0])
    }

    /// A value that reads a property when it is released.
    private final class Value: Defaults.Serializable, Sendable {
        static let bridge = ValueBridge()
        /// The code that runs while a value is read, and when one is released.
        static let onRead = Locked<(@Sendable () -> Void)?>(nil)
        static let onRelease = Locked<(@Sendable () -> Void)?>(nil)

        deinit {
            Self.take(Self.onRelease)?()
        }

        static func take(_ action: borrowing Locked<(@Sendable () -> Void)?>) -> (@Sendable () -> Void)? {
            action.withLock { action in
                defer { action = nil }
                return action
            }
        }
    }

    private struct ValueBridge: Defaults.Bridge {
        func serialize(_ value: Value?) -> Int? { value.map { _ in 1 } }

        func deserialize(_ object: Int?) -> Value? {
            Value.take(Value.onRead)?()
            return object.map { _ in Value() }
        }
    }

    @Test func `a kept value may read the property when another one takes its place`() throws {
        let store = InMemoryStore(["value": 1])
        let key = Defaults.Key<Value?>("value", suite: store)
        let storage = DefaultStorage(key, suite: store, options: .cached)
        let released = Locked(0)
        // The value is read and kept while it is being read, as two threads would do.
        Value.onRead.withLock { action in
            action = {
                _ = storage.value
                Value.onRelease.withLock { action in
                    action = {
                        _ = storage.value
                        released.withLock { $0 += 1 }
                    }
                }
                // So that the key has another one than the property.
                store.set(2, forKey: "value")
            }
        }
        _ = storage.value
        #expect(released.withLock { $0 } == 1)
    }
}
