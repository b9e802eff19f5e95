#if canImport(SwiftUI)
public import KeyspanCore
public import SwiftUI

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
    /// Views are updated when a value changes, whoever changes it, for as long as they hold the binding or the group.
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

        /// The bindings to the keys of a group inside the group.
        public subscript<Nested: KeyGroup>(
            dynamicMember path: KeyPath<Keys, Nested>
        ) -> Defaults.Group<Nested>.Bindings {
            group[dynamicMember: path].bindings
        }

        /// The bindings to the keys of a group with a prefix inside the group.
        public subscript<Nested>(
            dynamicMember path: KeyPath<Keys, Defaults.Prefixed<Nested>>
        ) -> Defaults.Group<Nested>.Bindings {
            group[dynamicMember: path].bindings
        }
    }
}
#endif
