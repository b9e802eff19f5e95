public import Foundation
public import KeyspanCore

/// Stored as a dictionary of `width` and `height`.
extension CGSize: Defaults.Convertible {
    public static var bridge: Defaults.GeometryBridge<CGSize> { Defaults.GeometryBridge() }

    public func convertedObject() -> [String: Double] {
        ["width": Double(width), "height": Double(height)]
    }

    public static func instantiate(from object: [String: Double]) -> CGSize? {
        guard let width = object["width"], let height = object["height"] else { return nil }
        return CGSize(width: width, height: height)
    }
}
