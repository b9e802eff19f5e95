#if canImport(CoreGraphics)
public import CoreGraphics
public import KeyspanCore

/// Stored as a dictionary of `dx` and `dy`.
extension CGVector: Defaults.Convertible {
    public static var bridge: Defaults.GeometryBridge<CGVector> { Defaults.GeometryBridge() }

    public func convertedObject() -> [String: Double] {
        ["dx": Double(dx), "dy": Double(dy)]
    }

    public static func instantiate(from object: [String: Double]) -> CGVector? {
        guard let dx = object["dx"], let dy = object["dy"] else { return nil }
        return CGVector(dx: dx, dy: dy)
    }
}
#endif
