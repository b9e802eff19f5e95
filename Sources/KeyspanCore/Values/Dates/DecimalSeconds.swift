/// A number of seconds as whole seconds and the decimal digits of a fraction that is added to them.
///
/// The fraction is never negative: -0.25 is -1 and the digit string 75.
struct DecimalSeconds {
    let whole: Int

    /// Digits in ASCII; the fraction is zero if there are none.
    let fraction: [UInt8]

    init(whole: Int, fraction: [UInt8]) {
        self.whole = whole
        self.fraction = fraction
    }

    /// Takes the shortest decimal text of a number apart, or answers `nil` if that text has an exponent or no digits.
    init?(_ interval: Double) {
        let parts = interval.magnitude.description.split(separator: ".")
        guard parts.count == 2, let magnitude = Int(parts[0]), !parts[1].utf8.contains(UInt8(ascii: "e")) else {
            return nil
        }
        let digits = Self.withoutTrailingZeros(Array(parts[1].utf8))
        switch (interval < 0, digits.isEmpty) {
        case (false, _): self.init(whole: magnitude, fraction: digits)
        case (true, true): self.init(whole: -magnitude, fraction: [])
        case (true, false): self.init(whole: -magnitude - 1, fraction: Self.complement(of: digits))
        }
    }

    /// The nearest `Double`.
    var interval: Double? {
        let digits = Self.withoutTrailingZeros(fraction)
        let text = String(decoding: whole < 0 ? Self.complement(of: digits) : digits, as: UTF8.self)
        if whole >= 0 { return Double("\(whole).\(text)0") }
        return Double("-\(digits.isEmpty ? -whole : -whole - 1).\(text)0")
    }

    /// The whole days of it, and the second of the day.
    func splitDays() -> (count: Int, second: Int, fraction: [UInt8]) {
        let (days, second) = whole.quotientAndRemainder(dividingBy: 86_400)
        return second < 0 ? (days - 1, second + 86_400, fraction) : (days, second, fraction)
    }

    private static let zero = UInt8(ascii: "0")
    private static let nine = UInt8(ascii: "9")

    private static func withoutTrailingZeros(_ digits: [UInt8]) -> [UInt8] {
        Array(digits[..<(digits.lastIndex { $0 != zero }.map { $0 + 1 } ?? 0)])
    }

    /// The digits of one minus the fraction that the digits stand for, which do not end with a zero.
    private static func complement(of digits: [UInt8]) -> [UInt8] {
        // Take each digit from 9 and the last one from 10.
        guard let last = digits.last else { return [] }
        return digits.dropLast().map { zero + nine - $0 } + [zero + nine - last + 1]
    }
}
