#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a stored value of any kind counts as where a truth value, a number, a text or a URL is asked for.
///
/// These are the conversions of Foundation's `UserDefaults`: `bool(forKey:)`, `integer(forKey:)`, `float(forKey:)`,
/// `double(forKey:)`, `string(forKey:)` and `url(forKey:)`. Coercing keys use them, and so does every key whose value came
/// as text, such as a launch argument. `nil` means that there is no conversion; `UserDefaults` answers 0, `false` or `nil`
/// then, a key its default.
///
/// The platforms differ from one another and from what is written about them. Each row below names its source, and these
/// rules decide:
///
/// 1. What Apple's systems do is followed. It is known from Apple's documentation (*doc*), the comments of its header
///    `NSUserDefaults.h` (*header*), the CoreFoundation that Apple published (`CFApplicationPreferences.c`, *CF*), and
///    outputs recorded on macOS: swift-corelibs-foundation pull requests 4780 and 4781 (*PR*) and the tests of
///    DefaultsKey (*tests*).
/// 2. Where these are silent, what swift-corelibs-foundation of Swift 6.3.1 does on Linux, measured (*Linux*).
/// 3. Nothing is lost unseen: a number outside the range is `nil`, where the platforms clamp it, wrap it or answer 0.
///
/// The article <doc:CoercingValues> has the same as one table, and lists the differences.
public enum CoercionTable {
    /// The truth value that a stored value counts as.
    public static func bool(_ value: PropertyListValue) -> Bool? {
        switch value {
        case .boolean(let value): value
        // header: a number is false if it is 0 and true otherwise; tests: 10 is true. (DefaultsKey's text: no coercion.)
        // Linux answers false for 2^63-1 and above, because it does not recognise such a number; not followed.
        case .integer(let integer): integer != 0
        // header, tests: 1.75 is true. Linux: 0.5 and NaN are true, -0.0 is false.
        case .real(let real): real != 0
        case .string(let text): bool(text)
        // header: what cannot be converted is NO.
        case .date, .data, .array, .dictionary: nil
        }
    }

    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        // doc: "true", "YES", "1"; header: "YES", "1"; CF: "true" and "YES" in upper or lower case.
        case "true", "yes", "1": true
        // CF: "false" and "NO" in upper or lower case; header: "NO", "0".
        case "false", "no", "0": false
        // header: any other string is NO; tests: "10" is false. Linux reads a first letter t or y and a number other than
        // 0 as true ("yellow", "12abc"), SwiftyUserDefaults "t", "y", "f" and "n"; neither is followed.
        default: nil
        }
    }

    /// The whole number that a stored value counts as.
    ///
    /// - Parameters:
    ///   - value: The stored value.
    ///   - type: The type of number, `Int` if not given.
    public static func integer<Integer: FixedWidthInteger>(
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
        // CF: a sign and digits, and nothing after them; tests: "10" is 10, "10.75" is no integer.
        // Linux reads as far as it can ("10.75" is 10, "1e3" is 1, "12abc" is 12) and clamps; neither is followed.
        // Space before: CF, Linux; space after: Linux.
        case .string(let text): NumeralText(text)?.integer()
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// The single-precision number that a stored value counts as, rounded to the nearest one.
    public static func float(_ value: PropertyListValue) -> Float? {
        floatingPoint(value)
    }

    /// The double-precision number that a stored value counts as, rounded to the nearest one.
    public static func double(_ value: PropertyListValue) -> Double? {
        floatingPoint(value)
    }

    private static func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: PropertyListValue
    ) -> Number? {
        switch value {
        // doc, tests: 1.0 and 0.0. (header: no conversion; Apple's newer documentation and the platform contradict it.)
        case .boolean(let value): value ? 1 : 0
        // doc: "the equivalent double"; Linux: 2^53+1 is rounded to 2^53, and 16777217 as Float to 16777216.
        case .integer(let integer): integer.rounded()
        // tests: 1.75. A Float is rounded; beyond its range: nil (Linux: infinity). Infinity and NaN stay what they are.
        case .real(let real): Number(real).ifInRange(of: real)
        // doc: "a string that contains a numerical value"; tests: "10", "10.75"; Linux: ".5", "5.", "1e3", " 12 ".
        // "12abc" is no number: Linux reads 12. Beyond the range: nil (Linux: infinity). "inf", "nan" and "0x1F" are no
        // numbers: Linux answers 0.
        case .string(let text): NumeralText(text)?.floatingPoint()
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// The text that a stored value counts as.
    public static func string(_ value: PropertyListValue) -> String? {
        switch value {
        // PR, tests: "1" and "0". (DefaultsKey's text: "YES" and "NO".)
        case .boolean(let value): value ? "1" : "0"
        // doc, PR: "42". Linux answers nil for 2^63-1 and above; not followed.
        case .integer(let integer): integer.description
        // PR, tests: "12.34", "1.75", and "0" for 0.0; Linux: "0.0". The digits are those that read back as the same
        // number, as on Linux (0.1+0.2 is "0.30000000000000004"); Apple's systems may print fewer.
        case .real(let real): NumeralText.text(of: real)
        case .string(let text): text
        // doc, header: nil for what is neither a string nor a number.
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// The URL that a stored text counts as: of a file if the text is a path.
    ///
    /// - A path makes a file URL; `~` and `~user` at its beginning are home folders, and a path that does not begin with
    ///   `/` is in the working folder of the process. The disk is not asked whether the path is a folder: the URL of one
    ///   ends in `/` only if the text does.
    /// - Text that has a scheme and `//`, and JSON text as ``Defaults/URLBridge`` stores it, in quotation marks or as an
    ///   object, is the URL itself.
    public static func url(_ value: PropertyListValue) -> URL? {
        switch value {
        // header: a path; tests: "/a/b/c"; Linux: "~/x" and "~user/x" are expanded, "x" is in the working folder.
        case .string(let text): URLText.url(of: text)
        // header: an archived URL is unarchived; that needs a keyed unarchiver, which FoundationEssentials has not.
        case .data: nil
        case .boolean, .integer, .real, .date, .array, .dictionary: nil
        }
    }
}
