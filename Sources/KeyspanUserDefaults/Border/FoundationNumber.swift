import Foundation
import KeyspanCore

/// Numbers at the Foundation border, where one class has truth values, integers and reals.
enum FoundationNumber {
    /// The value that a number object is.
    ///
    /// The type encoding tells the kind: `f` and `d` are reals, `Q` is an integer without a sign (Apple, *Objective-C Runtime
    /// Programming Guide*, "Type Encodings"). Which objects are truth values differs between the platforms.
    static func value(_ number: NSNumber) -> PropertyListValue {
        if isBoolean(number) { return .boolean(number.boolValue) }
        return switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        case UInt8(ascii: "Q"): .integer(PropertyListInteger(number.uint64Value))
        default: .integer(PropertyListInteger(number.int64Value))
        }
    }
}
