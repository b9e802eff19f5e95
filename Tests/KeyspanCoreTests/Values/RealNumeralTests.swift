import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Decimal numerals that are reals: those that lose no digit.
@Suite(.seeded) struct RealNumeralTests {
    private static func reading(_ text: String) -> Result<Double, RealNumeral.Flaw> {
        Result { () throws(RealNumeral.Flaw) in try RealNumeral.value(of: text) }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", -0.0), ("0e99999999999999999999", 0), ("-0.000e-5", -0.0), ("1", 1), ("+1.50", 1.5),
            (".5", 0.5), ("5.", 5), ("1E+2", 100), ("0.1", 0.1), ("123456789012345", 123_456_789_012_345),
            ("9007199254740992.0", 0x1p53), ("9007199254740994", 0x1p53 + 2), ("1e22", 1e22), ("1e23", 1e23),
            ("18446744073709551616.0", 0x1p64), ("12345678901234567000.0", 0x1.56A95319D63E1p63),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("2.2250738585072014e-308", .leastNormalMagnitude),
            ("5e-324", .leastNonzeroMagnitude), ("4.9406564584124654e-324", .leastNonzeroMagnitude),
            ("1e-320", .leastNonzeroMagnitude * 2_024), ("1.00000000000000000000000000000000000000000", 1),
            ("0.10000000000000000555", 0.1), ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
            ("0.29999999999999999", 0.3),
        ] as [(String, Double)]
    )
    func `a numeral that a real is rounded to is that real`(text: String, value: Double) {
        #expect(Self.reading(text).map(\.bitPattern) == .success(value.bitPattern))
    }

    @Test(arguments: [
        "12345678901234567890.0", "9007199254740993", "9007199254740993.0", "3.14159265358979323846",
        "0.1000000000000000055511151231257827021181583404541015626", "1.00000000000000011102230246251565404", "3e-324",
        "0.1234567890123456789", "90071992547409.87", "625768092006276.3", "0." + String(repeating: "1", count: 2000),
        String(repeating: "1", count: 300) + ".5",
    ])
    func `a numeral whose digits no real keeps is refused`(text: String) {
        #expect(Self.reading(text) == .failure(.digits))
        #expect(Self.reading("-" + text) == .failure(.digits))
    }

    @Test(arguments: [
        "1e309", "1.8e308", "1e99999999999999999999", "1e-400", "123.456e-789", "1e-99999999999999999999", "2e-324",
    ])
    func `a numeral beyond the range of reals is refused`(text: String) {
        #expect(Self.reading(text) == .failure(.range))
        #expect(Self.reading("-" + text) == .failure(.range))
    }

    @Test(arguments: [
        "", " 1", "1 ", "-", "+", ".", "e5", "1e", "1e+", "1.5.2", "--1", "0x10", "nan", "inf", "1_000", "1,5", "１",
    ])
    func `anything else is not a numeral`(text: String) {
        #expect(Self.reading(text) == .failure(.form))
    }

    /// The output of a program for a real, with any number of digits, reads as a real with those digits.
    @Test func `what is printed of a real is read`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(400, thorough: 4_000)) {
            var generator = SeededGenerator(seed: seed)
            let real = Double(bitPattern: .random(in: 0 ... .max, using: &generator))
            guard real.isFinite else { continue }
            try #require(Self.reading(real.description).map(\.bitPattern) == .success(real.bitPattern))
            for digits in [1, 2, 9, 14, 15, 16, 17, 18, 30, 400] {
                let text = Self.printed(real, digits: digits)
                // Few digits of the largest reals are rounded up to infinity.
                guard let nearest = Double(text), nearest.isFinite else { continue }
                try #require(Self.reading(text).map(\.bitPattern) == .success(nearest.bitPattern), "\(text)")
            }
        }
    }

    private static func printed(_ real: Double, digits: Int) -> String {
        withVaList([Int32(digits - 1), real]) { arguments in
            var buffer = [CChar](repeating: 0, count: digits + 20)
            vsnprintf(&buffer, buffer.count, "%.*e", arguments)
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// The real that the parts of a text make without an allocation.
    private func quickReal(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            let parts = DecimalNumeral.Parts(at: &cursor)
            return cursor.isAtEnd ? parts.exactReal ?? parts.keptReal : nil
        }
    }

    @Test func `the quick way reads what the exact one does, and refuses what it refuses`() throws {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var printed = (quick: 0, all: 0)
        for round in 0..<TestLevel.current.pick(20_000, thorough: 200_000, exhaustive: 2_000_000) {
            let text: String
            if round.isMultiple(of: 2) {
                let real = Double.random(in: -1e6...1e6, using: &random) / Double.random(in: 1...1e9, using: &random)
                text = real.description
                if !text.contains("e") { printed.all += 1 }
                if quickReal(text) == real, !text.contains("e") { printed.quick += 1 }
            } else {
                func digits(_ most: Int) -> String {
                    (0..<Int.random(in: 1...most, using: &random)).map { _ in
                        String(Int.random(in: 0...9, using: &random))
                    }.joined()
                }
                text = digits(20) + "." + digits(21)
            }
            guard let quick = quickReal(text) else { continue }
            let exact = try? RealNumeral.value(of: text)
            try #require(exact?.bitPattern == quick.bitPattern, "\(text)")
        }
        #expect(printed.quick * 100 > printed.all * 99, "\(printed)")
    }
}
