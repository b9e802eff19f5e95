public import Foundation
public import KeyspanCore

/// Stored as a dictionary of `x` and `y`.
extension CGPoint: Defaults.Convertible {
    public static var bridge: Defaults.GeometryBridge<CGPoint> { Defaults.GeometryBridge() }

    public func convertedObject() -> [String: Double] {
        ["x": Double(x), "y": Double(y)]
    }

    public static func instantiate(from object: [String: Double]) -> CGPoint? {
        guard let x = object["x"], let y = object["y"] else { return nil }
        return CGPoint(x: x, y: y)
    }
}
