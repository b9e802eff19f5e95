#if !canImport(Darwin)
import Foundation

extension FoundationNumber {
    /// Whether a number object is a truth value: those alone have the encoding of `char` in swift-corelibs-foundation, where
    /// an `Int8` has that of `int`.
    static func isBoolean(_ number: NSNumber) -> Bool {
        UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "c")
    }
}
#endif
