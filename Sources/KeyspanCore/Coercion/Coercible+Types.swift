#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Bool: Defaults.Coercible {
    public static func coerced(from stored: PropertyListValue) -> Bool? { CoercionTable.bool(stored) }

    public static var coercionRule: String { "a number counts as a Bool, and of texts YES, true, 1, NO, false and 0" }
}

extension Float: Defaults.Coercible {
    public static func coerced(from stored: PropertyListValue) -> Float? { CoercionTable.float(stored) }

    public static var coercionRule: String { "a number or decimal numeral in the range of Float counts as one" }
}

extension Double: Defaults.Coercible {
    public static func coerced(from stored: PropertyListValue) -> Double? { CoercionTable.double(stored) }

    public static var coercionRule: String { "a number or decimal numeral in the range of Double counts as one" }
}

extension String: Defaults.Coercible {
    public static func coerced(from stored: PropertyListValue) -> String? { CoercionTable.string(stored) }

    public static var coercionRule: String { "a text, a number or a Bool counts as a String" }
}

extension URL: Defaults.Coercible {
    public static func coerced(from stored: PropertyListValue) -> URL? { CoercionTable.url(stored) }

    public static var coercionRule: String { "a path or the text of a URL counts as a URL" }
}

extension Defaults.Coercible where Self: FixedWidthInteger {
    public static func coerced(from stored: PropertyListValue) -> Self? { CoercionTable.integer(stored, as: Self.self) }

    public static var coercionRule: String {
        "a number or the digits of a whole number in the range of \(Self.self) count as one"
    }
}

// Each standard integer type conforms by the defaults above; the conformances add nothing of their own.
extension Int: Defaults.Coercible {}
extension Int8: Defaults.Coercible {}
extension Int16: Defaults.Coercible {}
extension Int32: Defaults.Coercible {}
extension Int64: Defaults.Coercible {}
extension UInt: Defaults.Coercible {}
extension UInt8: Defaults.Coercible {}
extension UInt16: Defaults.Coercible {}
extension UInt32: Defaults.Coercible {}
extension UInt64: Defaults.Coercible {}
