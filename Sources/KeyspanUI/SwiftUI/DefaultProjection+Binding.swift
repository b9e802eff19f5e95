#if canImport(SwiftUI)
public import Keyspan
public import SwiftUI

extension DefaultProjection {
    /// A binding to the property.
    ///
    /// ```swift
    /// struct VolumeView: View {
    ///     @Default(.volume) private var volume
    ///
    ///     var body: some View {
    ///         Slider(value: $volume.binding, in: 0...1)
    ///     }
    /// }
    /// ```
    ///
    /// Views are updated when the value changes, whoever changes it. Safe to use from any thread.
    public var binding: Binding<Value> { Binding(Default(self)) }
}
#endif
