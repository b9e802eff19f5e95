#if canImport(SwiftUI)
public import Keyspan
public import KeyspanCore
public import SwiftUI

extension Defaults {
    /// A binding to the value of a key in this store.
    ///
    /// ```swift
    /// struct SoundView: View {
    ///     var body: some View {
    ///         Toggle("Mute", isOn: Defaults.standard.binding(.isMuted))
    ///     }
    /// }
    /// ```
    ///
    /// Reads and writes like `defaults[.isMuted]`. Views that make or hold the binding, or read its value, are updated when the value
    /// changes, regardless of who changes it. Safe to use from any thread.
    ///
    /// - Parameter key: The key.
    public func binding<Value>(_ key: Key<Value>) -> Binding<Value> { Binding(TrackedKey(key, in: store)) }
}

extension DefaultProjection {
    /// A binding to the property.
    ///
    /// ```swift
    /// struct MuteView: View {
    ///     @Default(.isMuted) private var isMuted
    ///
    ///     var body: some View {
    ///         Toggle("Mute", isOn: $isMuted.binding)
    ///     }
    /// }
    /// ```
    ///
    /// Views are updated when the value changes, regardless of who changes it. Safe to use from any thread.
    public var binding: Binding<Value> { Binding(Default(self)) }
}

extension Defaults.Group {
    /// The bindings to the keys of the group, as properties.
    ///
    /// ```swift
    /// struct PlayerKeys: KeyGroup {
    ///     let isMuted = Key<Bool>("isMuted", default: false)
    /// }
    ///
    /// struct PlayerView: View {
    ///     let settings: Defaults.Group<PlayerKeys>
    ///
    ///     var body: some View {
    ///         Toggle("Mute", isOn: settings.bindings.isMuted)
    ///     }
    /// }
    /// ```
    ///
    /// Views that make or hold a binding, or read its value, are updated when the value changes, regardless of who changes it. Nobody
    /// need keep the group.
    public var bindings: Bindings { Bindings(group: self) }

    /// The bindings to the keys of a group; see ``bindings``.
    @dynamicMemberLookup
    public struct Bindings: Sendable {
        let group: Defaults.Group<Keys>

        /// A binding to the value of a key.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Defaults.Key<Value>>) -> Binding<Value> { self[path] }

        /// A binding to the value of a key.
        public subscript<Value>(path: KeyPath<Keys, Defaults.Key<Value>>) -> Binding<Value> {
            Binding(group.tracked(path))
        }

        /// The bindings to the keys of a nested group.
        public subscript<Nested: KeyGroup>(
            dynamicMember path: KeyPath<Keys, Nested>
        ) -> Defaults.Group<Nested>.Bindings {
            group[dynamicMember: path].bindings
        }

        /// The bindings to the keys of a nested group with a prefix.
        public subscript<Nested>(
            dynamicMember path: KeyPath<Keys, Defaults.Prefixed<Nested>>
        ) -> Defaults.Group<Nested>.Bindings {
            group[dynamicMember: path].bindings
        }
    }
}

extension Binding {
    /// Makes a binding to a property.
    init(_ property: Default<Value>) {
        self.init(reading: { property.wrappedValue }, writing: { property.wrappedValue = $0 })
    }

    /// Makes a binding to a key in a store or a group.
    fileprivate init(_ key: TrackedKey<Value>) {
        self.init(reading: { key.value }, writing: { key.value = $0 })
    }

    /// Makes a binding to the negation of a property.
    init(not property: Default<Bool>) where Value == Bool {
        self.init(reading: { !property.wrappedValue }, writing: { property.wrappedValue = !$0 })
    }

    /// Makes a binding from a tracked read.
    ///
    /// It reads once at once, so that a view whose body only makes the binding is updated too.
    private init(reading read: @escaping @Sendable () -> Value, writing write: @escaping @Sendable (Value) -> Void) {
        _ = read()
        self.init(get: read, set: write)
    }
}
#endif
