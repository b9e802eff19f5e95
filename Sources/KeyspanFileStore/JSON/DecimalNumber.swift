import KeyspanCore

/// A decimal number as it is read digit by digit: `digits` times ten to the power of `exponent`.
struct DecimalNumber {
    var isNegative = false
    private(set) var digits: UInt64 = 0
    var exponent = 0

    /// Whether there were more digits than `digits` can hold, so that it means nothing.
    private(set) var isTruncated = false

    mutating func append(_ digit: UInt8) {
        let (shifted, first) = digits.multipliedReportingOverflow(by: 10)
        let (sum, second) = shifted.addingReportingOverflow(UInt64(digit))
        isTruncated = isTruncated || first || second
        digits = sum
    }

    /// The number without its exponent, or `nil` if it is outside -2^63 to 2^64-1.
    var integer: PropertyListInteger? {
        guard !isTruncated else { return nil }
        guard isNegative else { return PropertyListInteger(digits) }
        // The magnitude of Int64.min has no positive Int64, but the same bits.
        guard digits <= Int64.min.magnitude else { return nil }
        return PropertyListInteger(Int64(truncatingIfNeeded: 0 &- digits))
    }

    /// The nearest `Double`, where one multiplication or division of two exact numbers gives it and it keeps the digits;
    /// otherwise `nil`.
    ///
    /// With digits up to 2^52 a unit of the last one is no less than the distance between two `Double`s, so the nearest one
    /// rounds to them; see ``RealNumeral``. Integers up to 2^53 and powers of ten up to 10^22 are exact in a `Double`, and IEEE 754 rounds one operation
    /// correctly (W. D. Clinger, *How to Read Floating Point Numbers Accurately*, 1990).
    var exactReal: Double? {
        guard !isTruncated, digits <= 1 << 52, exponent.magnitude < Self.powersOfTen.count else { return nil }
        let power = Self.powersOfTen[Int(exponent.magnitude)]
        let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
        return isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
