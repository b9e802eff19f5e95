#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The rules that convert stored values of any kind to a truth value, a number, a text or a URL.
///
/// ``Defaults/Coercible`` types use them: `Int.coerced(from: "8080")`. They are the conversions of Foundation's
/// `UserDefaults`: `bool(forKey:)`, `integer(forKey:)`, `float(forKey:)`, `double(forKey:)`, `string(forKey:)` and
/// `url(forKey:)`. Coercing keys apply them, and so does every key whose value came as text, such as a launch argument.
/// Where a value cannot be converted, `UserDefaults` returns 0, `false` or `nil`, and a key returns its default.
///
/// The platforms differ from one another and from their documentation. Each case in the source names its authority, and
/// these rules decide:
///
/// 1. Apple's systems are followed, as far as known from Apple's documentation (*doc*), the comments of its header
///    `NSUserDefaults.h` (*header*), the CoreFoundation that Apple published (`CFApplicationPreferences.c`, *CF*), and
///    outputs recorded on macOS: swift-corelibs-foundation pull requests 4780 and 4781 (*PR*) and the tests of
///    DefaultsKey (*tests*).
/// 2. Where these are silent, the measured behavior of swift-corelibs-foundation of Swift 6.3.1 on Linux is followed (*Linux*).
/// 3. Nothing is lost silently: a number outside the range, too close to zero, or an integer up to 2^64 that a floating-point type
///    does not hold exactly is `nil`, where the platforms clamp it, wrap it, round it or return 0.
///
/// The article <doc:CoercingValues> has the rules as one table, and lists the differences.
@usableFromInline package enum CoercionTable {
    /// Converts to a truth value.
    @usableFromInline package static func bool(_ value: PropertyListValue) -> Bool? {
        switch value {
        case .boolean(let value): value
        // header: a number is false if it is 0 and true otherwise; tests: 10 is true. (DefaultsKey's text: no coercion.)
        // Linux returns false for 2^63-1 and above, because it does not recognize such a number; not followed.
        case .integer(let integer): integer != 0
        // header, tests: 1.75 is true. Linux: 0.5 and NaN are true, -0.0 is false.
        case .real(let real): real != 0
        case .string(let text): bool(text)
        // header: other values are NO.
        case .date, .data, .array, .dictionary: nil
        }
    }

    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        // doc: "true", "YES", "1"; header: "YES", "1"; CF: "true" and "YES" in upper or lower case.
        case "true", "yes", "1": true
        // CF: "false" and "NO" in upper or lower case; header: "NO", "0".
        case "false", "no", "0": false
        // header: any other string is NO; tests: "10" is false. Linux reads a first letter t or y, or a nonzero number, as
        // true ("yellow", "12abc"); SwiftyUserDefaults reads "t", "y", "f" and "n". Neither is followed.
        default: nil
        }
    }

    /// Converts to a whole number.
    ///
    /// - Parameters:
    ///   - value: The stored value.
    ///   - type: The type of number.
    @usableFromInline package static func integer<Integer: FixedWidthInteger>(
        _ value: PropertyListValue,
        as type: Integer.Type = Int.self
    ) -> Integer? {
        switch value {
        // header, PR, tests: 1 and 0.
        case .boolean(let value): value ? 1 : 0
        // Outside the range: nil. `NSNumber.integerValue` wraps on Apple systems; Linux: 0, even for Int.max.
        case .integer(let integer): integer.converted()
        // header: the result of `integerValue`; PR: 12.34 is 12; Linux: -2.7 is -2. Outside the range: nil (Linux: Int.min).
        case .real(let real): Integer(exactly: real.rounded(.towardZero))
        // CF: a sign and digits, and nothing after them; tests: "10" is 10, "10.75" is not an integer.
        // Linux reads the longest prefix ("10.75" is 10, "1e3" is 1, "12abc" is 12) and clamps; neither is followed.
        // Space before: CF, Linux; space after: Linux.
        case .string(let text): DecimalNumeral(text, allowsSpace: true)?.integer?.converted()
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// Converts to a single-precision number; a real is rounded to the nearest one.
    @usableFromInline package static func float(_ value: PropertyListValue) -> Float? {
        floatingPoint(value)
    }

    /// Converts to a double-precision number; the text of a real is rounded to the nearest one.
    @usableFromInline package static func double(_ value: PropertyListValue) -> Double? {
        floatingPoint(value)
    }

    private static func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: PropertyListValue
    ) -> Number? {
        switch value {
        // doc, tests: 1.0 and 0.0. (header: no conversion; Apple's newer documentation and the platform contradict it.)
        case .boolean(let value): value ? 1 : 0
        // doc: "the equivalent double". Without one: nil (Linux: 2^53+1 is 2^53, and 16777217 as Float is 16777216).
        case .integer(let integer): integer.converted()
        // tests: 1.75. A Float is rounded; outside its range: nil (Linux: infinity, 0). Infinity and NaN are kept.
        case .real(let real): Number(inRange: real)
        // doc: "a string that contains a numerical value"; tests: "10", "10.75"; Linux: ".5", "5.", "1e3", " 12 ".
        // "12abc" is not a number, but Linux reads 12. Outside the range: nil (Linux: infinity, 0). "inf", "nan" and "0x1F" are
        // not numbers, but Linux returns 0. An integer that the type does not hold: nil, as above.
        case .string(let text): DecimalNumeral(text, allowsSpace: true)?.floatingPoint()
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// Converts to a text.
    @usableFromInline package static func string(_ value: PropertyListValue) -> String? {
        switch value {
        // PR, tests: "1" and "0". (DefaultsKey's text: "YES" and "NO".)
        case .boolean(let value): value ? "1" : "0"
        // doc, PR: "42". Linux returns nil for 2^63-1 and above; not followed.
        case .integer(let integer): integer.description
        // PR, tests: "12.34", "1.75", and "0" for 0.0; Linux: "0.0". The digits read back as the same number, as on Linux
        // (0.1+0.2 is "0.30000000000000004"); Apple's systems may print fewer.
        case .real(let real): DecimalNumeral.text(of: real)
        case .string(let text): text
        // doc, header: nil for anything but a string or a number.
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// Converts to a URL; a path makes the URL of a file.
    ///
    /// - A path makes a file URL; `~` and `~user` at its beginning are home folders, and a path that does not begin with
    ///   `/` is in the working folder of the process. The disk is not consulted: the URL of a folder ends in `/` only if the
    ///   text does.
    /// - Text with a scheme and `//`, and JSON text in the form of ``Defaults/URLBridge``, in quotation marks or as an object,
    ///   is the URL itself.
    @usableFromInline package static func url(_ value: PropertyListValue) -> URL? {
        switch value {
        // header: a path; tests: "/a/b/c"; Linux: "~/x" and "~user/x" are expanded, "x" is in the working folder.
        case .string(let text): URLText.url(of: text)
        // header: an archived URL is unarchived. FoundationEssentials does not have the keyed unarchiver for that.
        case .data: nil
        case .boolean, .integer, .real, .date, .array, .dictionary: nil
        }
    }
}
