/// A decimal number as text: a sign, digits with a point among them, an exponent; of these only the digits are needed.
struct DecimalNumeral {
    /// The digits of the number without the zeros around them, so that equal numbers have equal digits.
    let significantDigits: Substring

    /// Reads a text that is a numeral from its beginning to its end, or answers `nil`.
    init?(_ text: String) {
        var scanner = DigitScanner(text)
        if !scanner.take("-") { _ = scanner.take("+") }
        var digits = scanner.digits()
        if scanner.take(".") { digits += scanner.digits() }
        guard !digits.isEmpty else { return nil }
        if scanner.take("e") || scanner.take("E") {
            if !scanner.take("-") { _ = scanner.take("+") }
            guard !scanner.digits().isEmpty else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
        let leading = String(decoding: digits, as: UTF8.self).drop { $0 == "0" }
        significantDigits = leading.prefix(
            upTo: leading.lastIndex { $0 != "0" }.map(leading.index(after:)) ?? leading.startIndex
        )
    }
}
