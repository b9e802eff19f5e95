#if canImport(SwiftUI)
public import KeyspanCore
internal import KeyspanUserDefaults
internal import SwiftUI

#if canImport(UIKit)
public import UIKit

/// Stored as a keyed archive, in data.
extension UIColor: Defaults.Serializable {}

/// The color class of the system.
typealias PlatformColor = UIColor

extension Color {
    /// Makes a color of one of the system.
    init(system color: PlatformColor) {
        self.init(uiColor: color)
    }
}
#else
public import AppKit

/// Stored as a keyed archive, in data.
extension NSColor: Defaults.Serializable {}

/// The color class of the system.
typealias PlatformColor = NSColor

extension Color {
    /// Makes a color of one of the system.
    init(system color: PlatformColor) {
        self.init(nsColor: color)
    }
}
#endif
#endif
