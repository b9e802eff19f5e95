/// Takes a text apart from its beginning, for forms with fixed numbers of digits.
struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Steps over an ASCII character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Steps over a number of exactly so many digits, or answers `nil` if it is another number or outside the range.
    mutating func number(ofDigits count: Int, in range: ClosedRange<Int>) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return range.contains(number) ? number : nil
    }

    /// Steps over all digits that are next and answers them as ASCII.
    mutating func digits() -> [UInt8] {
        var digits: [UInt8] = []
        while let digit = digit() {
            digits.append(digit)
        }
        return digits
    }

    private mutating func digit() -> UInt8? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return byte
    }
}
