#if canImport(SwiftUI)
internal import Keyspan
public import KeyspanCore
public import SwiftUI

extension Defaults {
    /// A toggle of SwiftUI whose state is the value of a key.
    ///
    /// ```swift
    /// struct SoundView: View {
    ///     var body: some View {
    ///         Defaults.Toggle("Mute", key: .isMuted)
    ///             .onChange { print($0 ? "silence" : "sound") }
    ///     }
    /// }
    /// ```
    ///
    /// It follows the value when others change it.
    public struct Toggle<Label: View>: View {
        private let property: Default<Bool>
        private let isInverted: Bool
        private let label: () -> Label
        private var action: ((Bool) -> Void)?

        /// Makes a toggle with any view as its label.
        ///
        /// - Parameters:
        ///   - key: The key, in the store that it names or else in the standard store.
        ///   - inverted: Whether the toggle is on where the value is `false`.
        ///   - label: Makes the label.
        public init(key: Defaults.Key<Bool>, inverted: Bool = false, @ViewBuilder label: @escaping () -> Label) {
            property = Default(key)
            isInverted = inverted
            self.label = label
        }

        /// The toggle of SwiftUI.
        public var body: some View {
            let isOn = property.wrappedValue != isInverted
            SwiftUI.Toggle(isOn: isInverted ? Binding(not: property) : Binding(property), label: label)
                .onChange(of: isOn) { _, isOn in action?(isOn) }
        }

        /// Calls a closure when the toggle has changed, by the user or because the value has.
        ///
        /// It is attached to the toggle itself; `onChange(of:)` of SwiftUI is another method.
        ///
        /// - Parameter action: Is called with whether the toggle is on.
        public func onChange(_ action: @escaping (Bool) -> Void) -> Self {
            var toggle = self
            toggle.action = action
            return toggle
        }
    }
}
#endif
