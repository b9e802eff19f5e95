/// A text that is one decimal numeral and nothing else but space around it.
///
/// What Swift's own initialisers read beyond that, such as `inf`, `nan` and hexadecimal digits, is no numeral here.
struct NumeralText {
    private let text: Substring
    private let isWhole: Bool

    /// Recognises a numeral: a sign, digits with a point before, among or after them, an exponent; all but digits optional.
    init?(_ text: String) {
        let bytes = text.utf8
        guard
            let start = bytes.firstIndex(where: { !Self.isSpace($0) }),
            let last = bytes.lastIndex(where: { !Self.isSpace($0) })
        else { return nil }
        let numeral = text[start...last]
        var rest = numeral.utf8
        Self.removeSign(from: &rest)
        let whole = Self.removeDigits(from: &rest)
        isWhole = rest.isEmpty
        let fraction = rest.removeFirst(ifOneOf: ".") ? Self.removeDigits(from: &rest) : 0
        guard whole + fraction > 0 else { return nil }
        if rest.removeFirst(ifOneOf: "eE") {
            Self.removeSign(from: &rest)
            guard Self.removeDigits(from: &rest) > 0 else { return nil }
        }
        guard rest.isEmpty else { return nil }
        self.text = numeral
    }

    /// The whole number, or `nil` if there is a point or an exponent, or the type cannot hold the number.
    func integer<Integer: FixedWidthInteger>() -> Integer? {
        isWhole ? Integer(text, radix: 10) : nil
    }

    /// The nearest number, or `nil` if the number is beyond the range of the type.
    func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>() -> Number? {
        guard let number = Number(String(text)), number.isFinite else { return nil }
        return number
    }

    /// The shortest numeral that reads back as the same number, without a fraction of zero; `inf`, `-inf` and `nan`.
    static func text(of real: Double) -> String {
        let text = real.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func removeSign(from bytes: inout Substring.UTF8View) {
        _ = bytes.removeFirst(ifOneOf: "+-")
    }

    private static func removeDigits(from bytes: inout Substring.UTF8View) -> Int {
        let count = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        bytes.removeFirst(count)
        return count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}

extension Substring.UTF8View {
    fileprivate mutating func removeFirst(ifOneOf characters: StaticString) -> Bool {
        guard let first, characters.withUTF8Buffer({ $0.contains(first) }) else { return false }
        removeFirst()
        return true
    }
}

extension BinaryFloatingPoint {
    /// This number, unless it became infinite because the original one is beyond the range.
    func ifInRange(of original: Double) -> Self? {
        isInfinite && original.isFinite ? nil : self
    }
}

extension PropertyListInteger {
    /// The nearest number of a floating-point type; every integer is in the range of both.
    func rounded<Number: BinaryFloatingPoint>() -> Number {
        if let signed = int64 { Number(signed) } else { Number(bits) }
    }
}
