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
    /// The toggle follows the value when other code changes it.
    public struct Toggle<Label: View>: View {
        private let property: Default<Bool>
        private let isInverted: Bool
        private let label: () -> Label
        private var action: ((Bool) -> Void)?

        /// Makes a toggle with any view as its label.
        ///
        /// - Parameters:
        ///   - key: The key; it is read in its suite, or in the standard store if it has none.
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

        /// Calls a closure when the user or a change of the value has switched the toggle.
        ///
        /// This is a method of the toggle itself, not SwiftUI's `onChange(of:)`.
        ///
        /// - Parameter action: Receives whether the toggle is on.
        public func onChange(_ action: @escaping (Bool) -> Void) -> Self {
            var toggle = self
            toggle.action = action
            return toggle
        }
    }
}

extension Defaults.Toggle where Label == Text {
    /// Makes a toggle with a localized text as its label, like SwiftUI's toggle.
    ///
    /// - Parameters:
    ///   - titleKey: The key of the text in the app's localized strings.
    ///   - key: The key; it is read in its suite, or in the standard store if it has none.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    public init(_ titleKey: LocalizedStringKey, key: Defaults.Key<Bool>, inverted: Bool = false) {
        self.init(key: key, inverted: inverted) { Text(titleKey) }
    }

    /// Makes a toggle with a verbatim text as its label.
    ///
    /// - Parameters:
    ///   - title: The text.
    ///   - key: The key; it is read in its suite, or in the standard store if it has none.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    @_disfavoredOverload
    public init(_ title: some StringProtocol, key: Defaults.Key<Bool>, inverted: Bool = false) {
        self.init(key: key, inverted: inverted) { Text(title) }
    }
}

extension Defaults.Toggle where Label == SwiftUI.Label<Text, Image> {
    /// Makes a toggle with a localized text and a symbol as its label.
    ///
    /// - Parameters:
    ///   - titleKey: The key of the text in the app's localized strings.
    ///   - systemImage: The name of the symbol.
    ///   - key: The key; it is read in its suite, or in the standard store if it has none.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    public init(
        _ titleKey: LocalizedStringKey,
        systemImage: String,
        key: Defaults.Key<Bool>,
        inverted: Bool = false
    ) {
        self.init(key: key, inverted: inverted) { SwiftUI.Label(titleKey, systemImage: systemImage) }
    }

    /// Makes a toggle with a verbatim text and a symbol as its label.
    ///
    /// - Parameters:
    ///   - title: The text.
    ///   - systemImage: The name of the symbol.
    ///   - key: The key; it is read in its suite, or in the standard store if it has none.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    @_disfavoredOverload
    public init(
        _ title: some StringProtocol,
        systemImage: String,
        key: Defaults.Key<Bool>,
        inverted: Bool = false
    ) {
        self.init(key: key, inverted: inverted) { SwiftUI.Label(title, systemImage: systemImage) }
    }
}
#endif
