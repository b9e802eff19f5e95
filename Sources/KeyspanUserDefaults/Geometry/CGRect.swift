public import Foundation
public import KeyspanCore

/// Stored as a dictionary of `origin` and `size`, which are a point and a size in their own stored forms.
extension CGRect: Defaults.Convertible {
    public static var bridge: Defaults.GeometryBridge<CGRect> { Defaults.GeometryBridge() }

    public func convertedObject() -> [String: [String: Double]] {
        ["origin": origin.convertedObject(), "size": size.convertedObject()]
    }

    public static func instantiate(from object: [String: [String: Double]]) -> CGRect? {
        guard
            let origin = object["origin"].flatMap(CGPoint.instantiate(from:)),
            let size = object["size"].flatMap(CGSize.instantiate(from:))
        else { return nil }
        return CGRect(origin: origin, size: size)
    }
}
