#if canImport(SwiftUI)
public import Keyspan
public import SwiftUI

extension DefaultProjection {
    /// A binding to the property.
    ///
    /// ```swift
    /// struct SoundView: View {
    ///     @Default(.isMuted) private var isMuted
    ///
    ///     var body: some View {
    ///         Toggle("Mute", isOn: $isMuted.binding)
    ///     }
    /// }
    /// ```
    ///
    /// Views are updated when the value changes, whoever changes it. Safe to use from any thread.
    public var binding: Binding<Value> { Binding(Default(self)) }
}
#endif
