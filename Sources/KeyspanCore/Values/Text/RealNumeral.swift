/// Decimal numerals as reals, without a loss that nobody would notice.
///
/// A numeral is read as the nearest `Double` if that keeps its digits: rounded to the last digit of the numeral that is not
/// zero, the `Double` has to be the numeral again. Any numeral of up to 15 digits is kept, and so is whatever a program prints
/// of a `Double`, with however many digits. What is refused has digits that no `Double` keeps, such as
/// `12345678901234567890.0`, or is beyond the range, such as `1e400` and `1e-400`.
package enum RealNumeral {
    /// Why a text is no real.
    package enum Flaw: Error, Sendable {
        /// It is no decimal numeral.
        case form
        /// It is larger than any real, or nearer to zero and not zero.
        case range
        /// It has digits that no real keeps.
        case digits
    }

    /// The real that a numeral is: a sign, digits with a point before, among or after them, an exponent; all but digits optional.
    ///
    /// Costs O(*n*) in the number of digits.
    package static func value(of text: String) throws(Flaw) -> Double {
        guard let numeral = DecimalDigits(text) else { throw .form }
        guard let value = Double(text) else { throw .form }
        if numeral.digits.isEmpty { return value }
        guard value.isFinite, value != 0 else { throw .range }
        guard isKept(numeral, by: value.magnitude) else { throw .digits }
        return value
    }

    /// So many digits are kept by every `Double` that has all bits of its significand.
    private static let safeDigits = 15
    /// The most digits that the exact decimal form of a `Double` has.
    private static let maximumDigits = 767

    private static func isKept(_ numeral: DecimalDigits, by value: Double) -> Bool {
        let count = numeral.digits.count
        if count <= safeDigits && value.isNormal { return true }
        // More digits are in no exact form, and rounding to them would end with zeros.
        if count > maximumDigits { return false }
        // As most programs print it.
        if DecimalDigits(value.description) == numeral { return true }
        return isRounded(value, to: numeral)
    }

    /// Whether a value differs by less than half a unit of the numeral's last digit, computed exactly.
    ///
    /// Half-way between two numerals a value is printed as the even one (IEEE 754-2019 section 5.12.2).
    private static func isRounded(_ value: Double, to numeral: DecimalDigits) -> Bool {
        // With the numeral d * 10^e and the value m * 2^q, whether 2 * |d * 10^e - m * 2^q| <= 10^e; both sides are multiplied
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
        return written.isWithin(unit, of: read, orAt: numeral.isEven)
    }
}

/// The digits of a decimal numeral from the first to the last that is not zero, and the power of ten of the last one.
private struct DecimalDigits: Equatable {
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    /// Whether the last digit is even.
    var isEven: Bool { digits.last.map { $0.isMultiple(of: 2) } ?? true }

    /// A larger exponent is beyond the range of reals all the same, unless the numeral has a million digits.
    private static let maximumExponent = 10_000_000

    /// Takes a numeral apart without its sign; `nil` for another text.
    init?(_ text: String) {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        var count = 0
        while let digit = Self.digit(of: rest.first) {
            rest.removeFirst()
            count += 1
            append(digit)
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            while let digit = Self.digit(of: rest.first) {
                rest.removeFirst()
                count += 1
                append(digit)
                exponent -= 1
            }
        }
        guard count > 0 else { return nil }
        if rest.first.map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            rest.removeFirst()
            guard let power = Self.takePower(from: &rest) else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
        let zeros = digits.reversed().prefix { $0 == 0 }.count
        digits.removeLast(zeros)
        exponent = digits.isEmpty ? 0 : exponent + zeros
    }

    private mutating func append(_ digit: UInt8) {
        if digit != 0 || !digits.isEmpty { digits.append(digit) }
    }

    private static func takePower(from rest: inout Substring.UTF8View) -> Int? {
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard rest.first != nil else { return nil }
        var power = 0
        while let digit = digit(of: rest.first) {
            rest.removeFirst()
            power = min(power * 10 + Int(digit), maximumExponent)
        }
        return isNegative ? -power : power
    }

    private static func digit(of byte: UInt8?) -> UInt8? {
        guard let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return byte - UInt8(ascii: "0")
    }
}
