#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that every store can hold: the closed model behind all keys, bridges and stores.
///
/// There are eight kinds and no others: `true`, `1` and `1.0` are three different values and stay three different
/// values in every store. Whatever a bridge produces is made of these, so that a value which is no property list does
/// not compile.
///
/// Equality is identity of the stored form: a negative zero differs from a positive one, all NaNs are one value, and texts,
/// names of dictionaries included, are equal if their UTF-8 is. (To `String`, "é" and "e" with U+0301 are equal.) That makes the type `Hashable` in the full sense and lets stores decide whether a write changes anything.
///
/// Collections may be nested to ``maximumNesting`` levels; stores refuse deeper values with ``StoreError``.
///
/// - SeeAlso: Apple's *Property List Programming Guide* for the kinds.
public enum PropertyListValue: Sendable {
    /// A truth value.
    case boolean(Bool)
    /// A whole number in the range of `Int64` and `UInt64` together.
    case integer(PropertyListInteger)
    /// A floating-point number, the infinities and NaN included.
    case real(Double)
    /// Unicode text, compared by its UTF-8.
    case string(String)
    /// A point in time.
    case date(Date)
    /// A sequence of bytes.
    case data(Data)
    /// An ordered list of values.
    case array([PropertyListValue])
    /// Values by name; names with different UTF-8 are different names.
    case dictionary(PropertyListDictionary)

    /// How many collections may be nested in one another: 128.
    ///
    /// That is deeper than settings are, and shallow enough to compare, hash and release a value by recursion on a stack of
    /// 512 KB, which is what secondary threads have on Apple systems.
    ///
    /// `1` has no nesting, `[1]` has one level, `[[1]]` has two.
    public static let maximumNesting = 128
}

extension PropertyListValue: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.storedIdentity == right.storedIdentity
        case (.string(let left), .string(let right)): left.hasSameUTF8(as: right)
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.storedIdentity == right.timeIntervalSinceReferenceDate.storedIdentity
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.storedIdentity)
        case .string(let value): hasher.combine(UTF8Text(value))
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.storedIdentity)
        case .data(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension Double {
    /// The bit pattern, with all NaNs made one.
    fileprivate var storedIdentity: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}
