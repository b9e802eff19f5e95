#if canImport(SwiftUI)
internal import CoreGraphics
internal import Foundation
public import KeyspanCore
internal import KeyspanUserDefaults
public import SwiftUI

extension Defaults {
    /// Stores a color of SwiftUI in the form that Defaults writes, so that each reads what the other has written.
    ///
    /// A color with fixed components is an array of two: the name of its color space, such as `kCGColorSpaceSRGB`, and the
    /// array of its components, the opacity last. Any other color, such as one of an asset catalog or of the system, is
    /// the keyed archive of the `NSColor` or `UIColor` that is made of it.
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
#endif
