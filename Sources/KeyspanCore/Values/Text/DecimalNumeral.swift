/// A number in decimal digits, as every reader in this package accepts it in text.
///
/// The form is a sign, digits with a point before, among or after them, and an exponent; everything but the digits is
/// optional. The forms `inf`, `nan` and `0x1F`, which Swift's own initializers accept, are not numerals.
package struct DecimalNumeral: Sendable {
    /// The digits from the first to the last nonzero one, as numbers from 0 to 9.
    let digits: [UInt8]

    /// The power of ten of the last digit.
    let exponent: Int

    /// Whether there is neither a point nor an exponent.
    let isWhole: Bool

    /// The integer of a whole numeral; `nil` outside -2^63 to 2^64-1.
    let integer: PropertyListInteger?

    /// The numeral, without the space around it.
    private let text: Substring

    /// A larger exponent is outside the range of reals, unless the numeral has ten million digits.
    private static let maximumExponent = 10_000_000

    /// Recognizes a text that is one numeral; `nil` for any other text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - allowsSpace: Whether the numeral may have space around it.
    package init?(_ text: String, allowsSpace: Bool = false) {
        var text = text[...]
        if allowsSpace {
            guard
                let start = text.utf8.firstIndex(where: { !$0.isSpace }),
                let last = text.utf8.lastIndex(where: { !$0.isSpace })
            else { return nil }
            text = text[start...last]
        }
        self.text = text
        let read = text.withUTF8 { bytes -> (digits: [UInt8], parts: Parts)? in
            var cursor = TextCursor(bytes)
            let parts = Parts(at: &cursor)
            return parts.isComplete && cursor.isAtEnd ? (Self.digits(in: bytes), parts) : nil
        }
        guard let parts = read?.parts, var digits = read?.digits else { return nil }
        let zeros = digits.reversed().prefix { $0 == 0 }.count
        digits.removeLast(zeros)
        self.digits = digits
        exponent = digits.isEmpty ? 0 : parts.exponent + zeros
        isWhole = parts.isWhole
        integer = isWhole ? parts.integer : nil
    }

    /// The digits of a numeral from the first nonzero one, without those of the exponent.
    private static func digits(in numeral: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        numeral.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter(\.isDigit).drop { $0 == UInt8(ascii: "0") }.map {
            $0 - UInt8(ascii: "0")
        }
    }

    /// The nearest number; `nil` if it would be infinite, 0 for another number, or another integer than ``integer``.
    func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>() -> Number? {
        guard let number = Number(String(text)), number.isFinite, number != 0 || digits.isEmpty else { return nil }
        if let integer, integer.converted(to: Number.self) == nil { return nil }
        return number
    }

    /// The shortest numeral that reads back as the same number, without a fraction of zero; `inf`, `-inf` and `nan`.
    static func text(of real: Double) -> String {
        let text = real.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Whether two numerals stand for the same magnitude, given to the same digit.
    static func hasSameMagnitude(_ left: Self, _ right: Self?) -> Bool {
        left.digits == right?.digits && left.exponent == right?.exponent
    }
}

extension DecimalNumeral {
    /// The parts of a numeral in a text, read without an allocation: the one grammar of numbers in this package.
    ///
    /// Each part may be missing. A format with a stricter grammar checks the counts of digits.
    package struct Parts: Sendable {
        /// Whether there is a minus sign.
        package let isNegative: Bool
        /// The number of digits before the point.
        package private(set) var wholeDigits = 0
        /// The number of digits after the point; `nil` without a point.
        package private(set) var fractionDigits: Int?
        /// The number of digits of the exponent; `nil` without an exponent.
        package private(set) var exponentDigits: Int?
        /// The power of ten of the last digit.
        package private(set) var exponent = 0

        /// All digits but those of the exponent as one number, unless `isTruncated`.
        private var significand: UInt64 = 0
        private var isTruncated = false

        /// Reads the parts at a cursor.
        package init(at cursor: inout TextCursor) {
            isNegative = Self.skipSign(at: &cursor)
            wholeDigits = takeDigits(at: &cursor)
            if cursor.consume(UInt8(ascii: ".")) {
                let count = takeDigits(at: &cursor)
                fractionDigits = count
                exponent = -count
            }
            if cursor.consume(UInt8(ascii: "e")) || cursor.consume(UInt8(ascii: "E")) { takeExponent(at: &cursor) }
        }

        /// Whether the parts make a numeral: there are digits, and digits in the exponent if there is one.
        package var isComplete: Bool { wholeDigits + (fractionDigits ?? 0) > 0 && exponentDigits != 0 }

        /// Whether there is neither a point nor an exponent.
        package var isWhole: Bool { fractionDigits == nil && exponentDigits == nil }

        /// Whether the digits are zeros only.
        package var isZero: Bool { significand == 0 && !isTruncated }

        /// The integer of a whole numeral; `nil` outside -2^63 to 2^64-1.
        package var integer: PropertyListInteger? {
            guard !isTruncated else { return nil }
            guard isNegative else { return PropertyListInteger(significand) }
            // The magnitude of Int64.min has no positive Int64, but the same bits.
            guard significand <= Int64.min.magnitude else { return nil }
            return PropertyListInteger(Int64(truncatingIfNeeded: 0 &- significand))
        }

        /// The nearest `Double`, if one multiplication or division of two exact numbers computes it and it keeps the digits.
        ///
        /// With digits up to 2^52 a unit of the last one is at least the distance between two `Double`s, so the nearest one rounds
        /// to them; see ``RealNumeral``. Integers up to 2^53 and powers of ten up to 10^22 are exact in a `Double`, and IEEE 754
        /// rounds one operation correctly (W. D. Clinger, *How to Read Floating Point Numbers Accurately*, 1990).
        package var exactReal: Double? {
            guard !isTruncated, significand <= 1 << 52, exponent.magnitude < Self.powersOfTen.count else { return nil }
            let power = Self.powersOfTen[Int(exponent.magnitude)]
            let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
            return isNegative ? -magnitude : magnitude
        }

        /// The nearest `Double` of a numeral with a fraction and up to 19 digits, if it keeps the digits.
        ///
        /// Most reals that programs print have 16 or 17 digits. The significand is divided by a power of ten in integers that hold
        /// both exactly. `nil` also for some numerals that a `Double` keeps: half a unit of the last digit is already refused.
        package var keptReal: Double? {
            guard !isTruncated, significand > 0, (-21 ... -1).contains(exponent) else { return nil }
            var power: UInt128 = 1
            for _ in exponent..<0 { power *= 10 }
            // The quotient gets at least 54 bits; the dividend has at most 125.
            let powerBits = UInt128.bitWidth - power.leadingZeroBitCount
            let shift = max(0, 55 + powerBits - (UInt64.bitWidth - significand.leadingZeroBitCount))
            let (quotient, remainder) = (UInt128(significand) << shift).quotientAndRemainder(dividingBy: power)
            let dropped = UInt128.bitWidth - quotient.leadingZeroBitCount - 53
            var rounded = quotient >> dropped
            let (rest, half) = (quotient & (1 << dropped - 1), UInt128(1) << (dropped - 1))
            if rest > half || rest == half && (remainder > 0 || rounded & 1 == 1) { rounded += 1 }

            // The value is rounded * 2^-scale, and the numeral is significand / power.
            let scale = shift - dropped
            guard scale > 0 else { return nil }
            let (read, written) = (rounded * power, UInt128(significand) << scale)
            guard (read > written ? read - written : written - read) < 1 << (scale - 1) else { return nil }
            let magnitude = Double(sign: .plus, exponent: -scale, significand: Double(rounded))
            return isNegative ? -magnitude : magnitude
        }

        private static let powersOfTen: [Double] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        ]

        /// Consumes digits, and returns their number.
        private mutating func takeDigits(at cursor: inout TextCursor) -> Int {
            let start = cursor.position
            while let digit = cursor.takeDigit() {
                let (shifted, first) = significand.multipliedReportingOverflow(by: 10)
                let (sum, second) = shifted.addingReportingOverflow(UInt64(digit))
                isTruncated = isTruncated || first || second
                significand = sum
            }
            return cursor.position - start
        }

        private mutating func takeExponent(at cursor: inout TextCursor) {
            let isNegative = Self.skipSign(at: &cursor)
            let start = cursor.position
            var power = 0
            while let digit = cursor.takeDigit() {
                power = min(power * 10 + Int(digit), DecimalNumeral.maximumExponent)
            }
            exponentDigits = cursor.position - start
            exponent += isNegative ? -power : power
        }

        /// Consumes a sign, and returns whether it is a minus sign.
        private static func skipSign(at cursor: inout TextCursor) -> Bool {
            let isNegative = cursor.consume(UInt8(ascii: "-"))
            if !isNegative { _ = cursor.consume(UInt8(ascii: "+")) }
            return isNegative
        }
    }
}

/// Decimal numerals as reals, without a silent loss of digits.
///
/// A numeral is read as the nearest `Double` if that keeps its digits: rounded to the numeral's last nonzero digit, the
/// `Double` equals the numeral. Numerals of up to 15 digits are kept, and so is everything that a program prints for a
/// `Double`, with however many digits. Numerals with digits that no `Double` keeps, such as `12345678901234567890.0`, are
/// rejected, and so are those outside the range, such as `1e400` and `1e-400`.
package enum RealNumeral {
    /// The reason why a text does not make a real.
    package enum Flaw: Error, Sendable {
        /// The text is not a ``DecimalNumeral``.
        case form
        /// The number is larger than any real, or closer to zero than any real except zero.
        case range
        /// The numeral has digits that no real keeps.
        case digits
    }

    /// The real that a text stands for.
    ///
    /// - Parameter text: A ``DecimalNumeral`` without space around it.
    /// - Complexity: O(*n*) in the number of digits.
    package static func value(of text: String) throws(Flaw) -> Double {
        guard let numeral = DecimalNumeral(text) else { throw .form }
        guard let value = Double(text) else { throw .form }
        if numeral.digits.isEmpty { return value }
        guard value.isFinite, value != 0 else { throw .range }
        guard isKept(numeral, by: value.magnitude) else { throw .digits }
        return value
    }

    /// The number of digits that every `Double` with a full significand keeps.
    private static let safeDigits = 15
    /// The largest number of digits in the exact decimal form of a `Double`.
    private static let maximumDigits = 767

    private static func isKept(_ numeral: DecimalNumeral, by value: Double) -> Bool {
        let count = numeral.digits.count
        if count <= safeDigits && value.isNormal { return true }
        // No exact form has more digits, and rounding to them would end with zeros.
        if count > maximumDigits { return false }
        // Most programs print this form.
        if DecimalNumeral.hasSameMagnitude(numeral, DecimalNumeral(value.description)) { return true }
        return isRounded(value, to: numeral)
    }

    /// Whether a value differs by less than half a unit of the numeral's last digit, computed exactly.
    ///
    /// A value halfway between two numerals is printed as the even one (IEEE 754-2019 section 5.12.2).
    private static func isRounded(_ value: Double, to numeral: DecimalNumeral) -> Bool {
        // For the numeral d * 10^e and the value m * 2^q, tests 2 * |d * 10^e - m * 2^q| <= 10^e. Both sides are multiplied
        // by 10^-e and 2^-q where these exponents are negative.
        let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
        let binary = (value.isNormal ? Int(value.exponentBitPattern) : 1) - 1075
        let (tens, twos) = (max(numeral.exponent, 0), max(-binary, 0))
        var unit = WideInteger(1)
        unit.multiply(byPowerOfTen: tens)
        unit.shiftLeft(by: twos)
        var written = WideInteger(digits: numeral.digits)
        written.multiply(byPowerOfTen: tens)
        written.shiftLeft(by: twos + 1)
        var read = WideInteger(significand)
        read.multiply(byPowerOfTen: max(-numeral.exponent, 0))
        read.shiftLeft(by: max(binary, 0) + 1)
        return written.isWithin(unit, of: read, orAt: numeral.digits.last.map { $0.isMultiple(of: 2) } ?? true)
    }
}
