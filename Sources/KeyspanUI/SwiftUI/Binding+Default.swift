#if canImport(SwiftUI)
internal import Keyspan
internal import KeyspanCore
internal import SwiftUI

extension Binding {
    /// Makes a binding to a property.
    init(_ property: Default<Value>) {
        self.init(reading: { property.wrappedValue }, writing: { property.wrappedValue = $0 })
    }

    /// Makes a binding to a key of a group.
    init(_ key: TrackedKey<Value>) {
        self.init(reading: { key.value }, writing: { key.value = $0 })
    }

    /// Makes a binding to the opposite of a property.
    init(not property: Default<Bool>) where Value == Bool {
        self.init(reading: { !property.wrappedValue }, writing: { property.wrappedValue = !$0 })
    }

    /// Makes a binding from a tracked read, which is made at once too, so that the view whose body makes the binding is
    /// updated however the binding is used.
    private init(reading read: @escaping @Sendable () -> Value, writing write: @escaping @Sendable (Value) -> Void) {
        _ = read()
        self.init(get: read, set: write)
    }
}
#endif
