#if canImport(SwiftUI)
public import KeyspanCore
public import SwiftUI

extension Defaults.Toggle where Label == Text {
    /// Makes a toggle with a localized text as its label, as the toggle of SwiftUI does.
    ///
    /// - Parameters:
    ///   - titleKey: The text, which is looked up in the app's strings.
    ///   - key: The key, in the store that it names or else in the standard store.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    public init(_ titleKey: LocalizedStringKey, key: Defaults.Key<Bool>, inverted: Bool = false) {
        self.init(key: key, inverted: inverted) { Text(titleKey) }
    }

    /// Makes a toggle with a text as its label, as it is.
    ///
    /// - Parameters:
    ///   - title: The text.
    ///   - key: The key, in the store that it names or else in the standard store.
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
    ///   - titleKey: The text, which is looked up in the app's strings.
    ///   - systemImage: The name of the symbol.
    ///   - key: The key, in the store that it names or else in the standard store.
    ///   - inverted: Whether the toggle is on where the value is `false`.
    public init(
        _ titleKey: LocalizedStringKey,
        systemImage: String,
        key: Defaults.Key<Bool>,
        inverted: Bool = false
    ) {
        self.init(key: key, inverted: inverted) { SwiftUI.Label(titleKey, systemImage: systemImage) }
    }

    /// Makes a toggle with a text, as it is, and a symbol as its label.
    ///
    /// - Parameters:
    ///   - title: The text.
    ///   - systemImage: The name of the symbol.
    ///   - key: The key, in the store that it names or else in the standard store.
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
