#if canImport(CoreGraphics)
public import CoreGraphics
public import KeyspanCore

/// Stored as an array of the six numbers `a`, `b`, `c`, `d`, `tx` and `ty`.
extension CGAffineTransform: Defaults.Convertible {
    public static var bridge: Defaults.GeometryBridge<CGAffineTransform> { Defaults.GeometryBridge() }

    public func convertedObject() -> [Double] {
        [Double(a), Double(b), Double(c), Double(d), Double(tx), Double(ty)]
    }

    public static func instantiate(from object: [Double]) -> CGAffineTransform? {
        guard object.count == 6 else { return nil }
        return CGAffineTransform(
            a: object[0],
            b: object[1],
            c: object[2],
            d: object[3],
            tx: object[4],
            ty: object[5]
        )
    }
}
#endif
