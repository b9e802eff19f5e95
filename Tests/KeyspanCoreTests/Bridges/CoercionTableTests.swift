import Foundation
import KeyspanCore
import Testing

/// One argument for each row of the table and for each edge of a row.
@Suite struct CoercionTableTests {
    typealias Row<Value> = (stored: PropertyListValue, expected: Value?)

    static let neverCoerced: [PropertyListValue] = [
        .date(Date(timeIntervalSinceReferenceDate: 0)), .data(Data([1])), [], [1], [:], ["a": 1],
    ]

    static let truthValues: [Row<Bool>] = [
        (true, true), (false, false),
        (0, false), (1, true), (-1, true), (10, true), (.init(Int64.max), true), (.init(UInt64.max), true),
        (0.0, false), (-0.0, false), (1.0, true), (1.75, true), (0.5, true), (.real(.nan), true),
        ("YES", true), ("yes", true), ("Yes", true), ("true", true), ("TRUE", true), ("1", true),
        ("NO", false), ("no", false), ("false", false), ("False", false), ("0", false),
        ("", nil), (" YES", nil), ("10", nil), ("2", nil), ("-1", nil), ("01", nil), ("1.0", nil), ("12abc", nil),
        ("y", nil), ("n", nil), ("t", nil), ("f", nil), ("yellow", nil), ("on", nil), ("off", nil), ("TRUE!", nil),
    ]

    @Test(arguments: truthValues)
    func `a truth value is made of`(_ row: Row<Bool>) {
        #expect(CoercionTable.bool(row.stored) == row.expected)
    }

    static let wholeNumbers: [Row<Int>] = [
        (true, 1), (false, 0),
        (0, 0), (42, 42), (-1, -1), (.init(Int64.max), .max), (.init(Int64.min), .min), (.init(UInt64.max), nil),
        (12.34, 12), (1.75, 1), (-2.7, -2), (-0.5, 0), (1e18, 1_000_000_000_000_000_000), (9.3e18, nil), (-9.3e18, nil),
        (.real(.infinity), nil), (.real(-.infinity), nil), (.real(.nan), nil),
        (.real(0x1p63), nil), (.real(-0x1p63), .min),
        ("10", 10), ("+1", 1), ("-1", -1), ("007", 7), ("-0", 0), (" 12", 12), (" 12 ", 12), ("\t\n12\r", 12),
        ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil),
        ("10.75", nil), ("5.", nil), ("1e3", nil), ("12abc", nil), ("abc12", nil), ("0x1F", nil), ("1_000", nil),
        ("1,000", nil), ("+ 1", nil), ("--1", nil), ("+", nil), ("", nil), (" ", nil), ("YES", nil), ("٣", nil),
        ("１２", nil),
    ]

    @Test(arguments: wholeNumbers)
    func `a whole number is made of`(_ row: Row<Int>) {
        #expect(CoercionTable.integer(row.stored) == row.expected)
    }

    @Test func `a whole number keeps the range of its type`() {
        #expect(CoercionTable.integer("255", as: UInt8.self) == 255)
        #expect(CoercionTable.integer("256", as: UInt8.self) == nil)
        #expect(CoercionTable.integer("-1", as: UInt.self) == nil)
        #expect(CoercionTable.integer("18446744073709551615", as: UInt64.self) == .max)
        #expect(CoercionTable.integer(300.0, as: Int8.self) == nil)
        #expect(CoercionTable.integer(true, as: Int8.self) == 1)
    }

    static let doubles: [Row<Double>] = [
        (true, 1), (false, 0),
        (2, 2), (-1, -1), (9_007_199_254_740_992, 0x1p53), (.init(Int64.min), -0x1p63),
        (9_007_199_254_740_993, nil), (.init(UInt64.max), nil),
        (0.1, 0.1), (-0.0, -0.0), (.real(.infinity), .infinity),
        (.real(.greatestFiniteMagnitude), .greatestFiniteMagnitude),
        ("123.4", 123.4), ("10", 10), ("-2.7", -2.7), (".5", 0.5), ("5.", 5), ("1e3", 1000), ("1E+3", 1000),
        ("1e-3", 0.001),
        (" 12 ", 12), ("\n12", 12), ("-0", -0.0), ("0e-999", 0), ("-0.00e9", -0.0),
        ("5e-324", .leastNonzeroMagnitude), ("2e-324", nil), ("1e-400", nil), ("-1e-400", nil),
        ("0.1e-999999999999", nil),
        ("9007199254740992", 0x1p53), ("9007199254740993", nil), ("-9007199254740993", nil),
        ("9007199254740993.0", 0x1p53), ("18446744073709551615", nil), ("18446744073709551616", 0x1p64),
        ("1e400", nil), ("-1e400", nil), ("1e", nil), ("e3", nil), (".", nil), ("12abc", nil), ("1,5", nil),
        ("1_000", nil),
        ("inf", nil), ("nan", nil), ("infinity", nil), ("0x10", nil), ("0x1p3", nil), ("", nil), ("YES", nil),
        ("1.2.3", nil),
    ]

    @Test(arguments: doubles)
    func `a double-precision number is made of`(_ row: Row<Double>) {
        let result = CoercionTable.double(row.stored)
        #expect(result == row.expected)
        #expect(result?.sign == row.expected?.sign)
    }

    static let floats: [Row<Float>] = [
        (true, 1), (false, 0),
        (16_777_216, 16_777_216), (16_777_217, nil), (-16_777_217, nil), (.init(Int64.min), -0x1p63),
        (.init(UInt64.max), nil),
        (1.75, 1.75), (0.1, 0.1), (3.4e38, 3.4e38), (1e39, nil), (-1e39, nil), (.real(.infinity), .infinity),
        (0.0, 0), (-0.0, -0.0), (1e-45, .leastNonzeroMagnitude), (1e-60, nil), (-1e-60, nil),
        (.real(.leastNonzeroMagnitude), nil),
        ("0.1", 0.1), ("16777216", 16_777_216), ("16777217", nil), ("16777217.0", 16_777_216), ("3.4e38", 3.4e38),
        ("3.5e39", nil), ("1e-45", .leastNonzeroMagnitude), ("7e-46", nil), ("1e-60", nil), ("0e-60", 0), ("text", nil),
    ]

    @Test(arguments: floats)
    func `a single-precision number is made of`(_ row: Row<Float>) {
        let result = CoercionTable.float(row.stored)
        #expect(result == row.expected)
        #expect(result?.sign == row.expected?.sign)
    }

    @Test(
        arguments: [
            ("1e-400", "the number is too close to zero"), ("-0.001e-400", "the number is too close to zero"),
            ("1e400", "the number is too large"), ("1000e399", "the number is too large"),
            ("9007199254740993", "a floating-point number of 64 bits cannot hold this integer exactly"),
            (9_007_199_254_740_993, "a floating-point number of 64 bits cannot hold this integer exactly"),
            ("1,5", Double.coercionRule), ([], Double.coercionRule),
        ] as [(PropertyListValue, String)]
    )
    func `the reason why a value is no number is that of its flaw`(stored: PropertyListValue, reason: String) {
        #expect(
            Self.reason(stored, as: Double.self) == ValueDecodingError.unreadable(stored, reason: reason).description
        )
    }

    private static func reason<Value: Defaults.Coercible>(_ stored: PropertyListValue, as type: Value.Type) -> String? {
        let defaults = Defaults(InMemoryStore(["key": stored]))
        let error = #expect(throws: Defaults.ReadError.self) {
            try defaults.value(for: Defaults.Key<Value?>.coercing("key"))
        }
        return error?.cause.description
    }

    @Test func `the reason why a number does not fit another type is its range`() {
        #expect(Self.reason(1e-60, as: Float.self)?.hasSuffix("the number is too close to zero") == true)
        #expect(Self.reason(1e39, as: Float.self)?.hasSuffix("the number is too large") == true)
        #expect(Self.reason(1e20, as: Int.self)?.contains("it is not between -9223372036854775808 and") == true)
        #expect(Self.reason(300, as: UInt8.self)?.hasSuffix("it is not between 0 and 255") == true)
    }

    @Test func `not a number stays that`() {
        #expect(CoercionTable.double(.real(.nan))?.isNaN == true)
        #expect(CoercionTable.float(.real(.nan))?.isNaN == true)
    }

    static let texts: [Row<String>] = [
        (true, "1"), (false, "0"),
        (42, "42"), (-1, "-1"), (.init(Int64.max), "9223372036854775807"), (.init(UInt64.max), "18446744073709551615"),
        (12.34, "12.34"), (1.75, "1.75"), (0.0, "0"), (-0.0, "-0"), (100.0, "100"), (1e16, "1e+16"), (1e-5, "1e-05"),
        (0.1, "0.1"), (.real(0.1 + 0.2), "0.30000000000000004"),
        (.real(.infinity), "inf"), (.real(-.infinity), "-inf"), (.real(.nan), "nan"),
        ("", ""), (" text ", " text "), ("YES", "YES"),
    ]

    @Test(arguments: texts)
    func `a text is made of`(_ row: Row<String>) {
        #expect(CoercionTable.string(row.stored) == row.expected)
    }

    static let urls: [Row<String>] = [
        ("/a/b/c", "file:///a/b/c"), ("/a/b/", "file:///a/b/"), ("/a b/ü", "file:///a%20b/%C3%BC"),
        ("/tmp", "file:///tmp"),
        ("/#?", "file:///%23%3F"),
        ("https://a.b/c", "https://a.b/c"), ("file:///x", "file:///x"), ("x-my.app+1://a", "x-my.app+1://a"),
        ("\"https://a.b/c\"", "https://a.b/c"), ("\"mailto:me@a.b\"", "mailto:me@a.b"),
        ("", nil), ("\"", nil), ("\"no end", nil), (1, nil), (1.5, nil), (true, nil),
    ]

    @Test(arguments: urls)
    func `a URL is made of`(_ row: Row<String>) {
        #expect(CoercionTable.url(row.stored)?.absoluteString == row.expected)
    }

    @Test func `a path that does not begin with a slash is in the working folder or a home folder`() throws {
        let home = FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        let inHome = try #require(CoercionTable.url("~/x/y"))
        #expect(inHome.path(percentEncoded: false) == home + (home.hasSuffix("/") ? "" : "/") + "x/y")
        let relative = try #require(CoercionTable.url("a:b/x y"))
        #expect(relative.isFileURL)
        #expect(relative.path(percentEncoded: false) == FileManager.default.currentDirectoryPath + "/a:b/x y")
    }

    @Test(arguments: neverCoerced)
    func `nothing is made of`(_ stored: PropertyListValue) {
        #expect(CoercionTable.bool(stored) == nil)
        #expect(CoercionTable.integer(stored) == nil)
        #expect(CoercionTable.float(stored) == nil)
        #expect(CoercionTable.double(stored) == nil)
        #expect(CoercionTable.string(stored) == nil)
        #expect(CoercionTable.url(stored) == nil)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 8080, Int.max])
    func `the text of a whole number makes that number again`(_ number: Int) throws {
        let text = try #require(CoercionTable.string(.init(number)))
        #expect(CoercionTable.integer(.string(text)) == number)
    }

    @Test(arguments: [0.0, -0.0, 1, 0.1, 1e16, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-5])
    func `the text of a number makes that number again`(_ number: Double) throws {
        let text = try #require(CoercionTable.string(.real(number)))
        #expect(CoercionTable.double(.string(text))?.bitPattern == number.bitPattern)
    }
}
