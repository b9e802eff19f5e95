#if canImport(SwiftUI)
internal import CoreGraphics
internal import Foundation
public import KeyspanCore
internal import KeyspanUserDefaults
public import SwiftUI

#if canImport(UIKit)
public import UIKit
#else
public import AppKit
#endif

extension Defaults {
    /// Stores a SwiftUI color in the form that Defaults writes, so that both can read each other's values.
    ///
    /// A color with fixed components is stored as an array of two: the name of its color space, such as `kCGColorSpaceSRGB`, and
    /// the array of its components, the opacity last. Any other color, for example from an asset catalog or the system, is
    /// stored as the keyed archive of its `NSColor` or `UIColor`.
    ///
    /// A color space that this system does not know, and components that do not fit the color space, are errors.
    public struct ColorBridge: Bridge, Sendable {
        /// Makes the bridge.
        public init() {}

        public func serialize(_ value: Color?) -> PropertyListValue? { serializeByEncoding(value) }

        public func deserialize(_ object: PropertyListValue?) -> Color? { deserializeByDecoding(object) }

        public func encode(_ value: Color) throws(ValueEncodingError) -> PropertyListValue {
            guard
                let color = value.cgColor,
                let space = color.colorSpace?.name,
                let components = color.components
            else {
                return try NSSecureCodingBridge<PlatformColor>().encode(PlatformColor(value))
            }
            return StoredColor.components(components.map { Double($0) }, space: space as String).propertyListValue
        }

        public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> Color {
            switch try StoredColor(stored) {
            case .archive:
                return Color(system: try NSSecureCodingBridge<PlatformColor>().decode(stored, in: &context))
            case .components(let components, let name):
                guard let space = CGColorSpace(name: name as CFString) else {
                    throw .unreadable(stored, reason: "this system does not know its color space")
                }
                try StoredColor.check(components, fit: space.numberOfComponents, in: stored)
                guard let color = CGColor(colorSpace: space, components: components.map { CGFloat($0) }) else {
                    throw .unreadable(stored, reason: "its components make no color")
                }
                return Color(cgColor: color)
            }
        }
    }
}

extension Color: Defaults.Serializable {
    public static var bridge: Defaults.ColorBridge { Defaults.ColorBridge() }
}

/// Stored as JSON text.
extension Color.Resolved: Defaults.Serializable {}

#if canImport(UIKit)
/// Stored as a keyed archive, in data.
extension UIColor: Defaults.Serializable {}

/// Stored as a keyed archive, in data.
extension UIFontDescriptor: Defaults.Serializable {}

/// The system's color class.
private typealias PlatformColor = UIColor

extension Color {
    fileprivate init(system color: PlatformColor) {
        self.init(uiColor: color)
    }
}
#else
/// Stored as a keyed archive, in data.
extension NSColor: Defaults.Serializable {}

/// Stored as a keyed archive, in data.
extension NSFontDescriptor: Defaults.Serializable {}

/// The system's color class.
private typealias PlatformColor = NSColor

extension Color {
    fileprivate init(system color: PlatformColor) {
        self.init(nsColor: color)
    }
}
#endif
#endif
