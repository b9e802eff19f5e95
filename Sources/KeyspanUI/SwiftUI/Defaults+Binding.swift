#if canImport(SwiftUI)
internal import Keyspan
public import KeyspanCore
public import SwiftUI

extension Defaults {
    /// A binding to the value of a key in the store that it names, or else in the standard store.
    ///
    /// ```swift
    /// struct SoundView: View {
    ///     var body: some View {
    ///         Toggle("Mute", isOn: Defaults.binding(.isMuted))
    ///     }
    /// }
    /// ```
    ///
    /// Reads and writes as `Defaults[.isMuted]`, and views are updated when the value changes, whoever changes it. Safe to
    /// use from any thread.
    ///
    /// - Parameter key: The key.
    public static func binding<Value>(_ key: Key<Value>) -> Binding<Value> { Binding(Default(key)) }

    /// A binding to the value of a key in this store.
    ///
    /// Otherwise as the static method. Views hear of changes for as long as they hold the binding.
    ///
    /// - Parameter key: The key.
    public func binding<Value>(_ key: Key<Value>) -> Binding<Value> { Binding(Default(key, in: store)) }
}
#endif
