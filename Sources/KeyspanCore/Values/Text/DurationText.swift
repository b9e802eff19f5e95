/// Converts between durations and the texts in which people write them, without loss: `5s`, `1h30m`, `250ms`, and `PT5M` of ISO 8601.
package enum DurationText {
    /// The forms, as the end of an error's sentence.
    static let forms = "write it as 5s, 1h30m, 250ms or PT5M"

    /// The units, the largest first: the names that are read, the first of which is written, and the length in attoseconds.
    ///
    /// Nothing longer than a week has a fixed length.
    private static let units: [(names: [String], length: Int128)] = [
        (["w"], 604_800 * second), (["d"], 86_400 * second), (["h"], 3600 * second), (["m"], 60 * second),
        (["s"], second), (["ms"], 1_000_000_000_000_000), (["us", "\u{B5}s", "\u{3BC}s"], 1_000_000_000_000),
        (["ns"], 1_000_000_000),
    ]
    private static let second: Int128 = 1_000_000_000_000_000_000

    /// The text of a duration.
    ///
    /// From a second on it has days of 24 hours, hours, minutes and seconds; below, the largest unit of which it is a whole number.
    package static func text(for duration: Duration) -> String {
        let total = duration.attoseconds
        if total == 0 { return "0s" }
        let sign = total < 0 ? "-" : ""
        let length = total.magnitude
        if length < UInt128(second) {
            for (names, unit) in units where length.isMultiple(of: UInt128(unit)) {
                return "\(sign)\(length / UInt128(unit))\(names[0])"
            }
        }
        let (seconds, rest) = length.quotientAndRemainder(dividingBy: UInt128(second))
        var text = sign
        if seconds >= 86_400 { text += "\(seconds / 86_400)d" }
        if seconds / 3600 % 24 > 0 { text += "\(seconds / 3600 % 24)h" }
        if seconds / 60 % 60 > 0 { text += "\(seconds / 60 % 60)m" }
        if seconds % 60 > 0 || rest > 0 { text += "\(seconds % 60)\(fraction(rest))s" }
        return text
    }

    /// The digits of a fraction of a second, with the point before them.
    private static func fraction(_ attoseconds: UInt128) -> String {
        if attoseconds == 0 { return "" }
        let digits = String(attoseconds)
        var text = String(repeating: "0", count: 18 - digits.utf8.count) + digits
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return ".\(text)"
    }

    /// The duration of a text; `nil` for any other text, and outside the range of `Duration`.
    ///
    /// Numbers are decimal, with or without a fraction, whose digits must be exact in attoseconds. Each unit occurs once, the
    /// larger before the smaller. A sign stands before the whole.
    package static func duration(of text: String) -> Duration? {
        var text = text
        return text.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            let isNegative = cursor.consume(UInt8(ascii: "-"))
            if !isNegative { _ = cursor.consume(UInt8(ascii: "+")) }
            let length = cursor.consume(UInt8(ascii: "P")) ? isoLength(&cursor) : length(&cursor)
            guard let length, cursor.isAtEnd else { return nil }
            let signed = isNegative ? -length : length
            // The seconds of a duration are an `Int64`; its fraction has the same sign.
            let duration = Duration(attoseconds: signed)
            return isInRange(duration) ? duration : nil
        }
    }

    /// Whether the seconds of a duration are an `Int64`: `Duration.components` ends the program for any other.
    static func isInRange(_ duration: Duration) -> Bool { Int64(exactly: duration.attoseconds / second) != nil }

    private static func length(_ cursor: inout TextCursor) -> Int128? {
        var sum: Int128 = 0
        var next = 0
        repeat {
            guard let number = Number(&cursor) else { return nil }
            let name = cursor.take { !$0.isDigit && $0 != UInt8(ascii: " ") }
            let unit = units[next...].firstIndex { unit in
                unit.names.contains { name.elementsEqual($0.utf8) }
            }
            guard let unit, number.add(times: units[unit].length, to: &sum) else { return nil }
            next = unit + 1
            if cursor.isAtEnd { return sum }
            _ = cursor.take { $0 == UInt8(ascii: " ") }
        } while true
    }

    /// The length of a text of ISO 8601 behind its `P`; years and months have none.
    private static func isoLength(_ cursor: inout TextCursor) -> Int128? {
        var sum: Int128 = 0
        var hasParts = false
        var rest = ["W": 0, "D": 1] as KeyValuePairs
        for _ in 0..<2 {
            var next = 0
            while !cursor.isAtEnd, cursor.current != UInt8(ascii: "T") {
                guard let number = Number(&cursor), let letter = cursor.take(),
                    let index = rest[next...].firstIndex(where: { $0.key.utf8.first == letter }),
                    number.add(times: units[rest[index].value].length, to: &sum)
                else { return nil }
                (next, hasParts) = (index + 1, true)
            }
            guard cursor.consume(UInt8(ascii: "T")) else { break }
            // A `T` has a part behind it, and no other `T`.
            if cursor.isAtEnd { return nil }
            rest = ["H": 2, "M": 3, "S": 4]
        }
        return hasParts ? sum : nil
    }

    /// A decimal number without a sign.
    private struct Number {
        private var digits: Int128 = 0
        /// The number of digits behind the point.
        private var scale = 0

        init?(_ cursor: inout TextCursor) {
            guard read(&cursor) > 0 else { return nil }
            guard cursor.consume(UInt8(ascii: ".")) || cursor.consume(UInt8(ascii: ",")) else { return }
            scale = read(&cursor)
            if scale == 0 { return nil }
        }

        /// Reads digits, and returns how many there are; a number beyond any duration counts as none.
        private mutating func read(_ cursor: inout TextCursor) -> Int {
            var count = 0
            while let digit = cursor.takeDigit() {
                // Far beyond the range, and far below the limit of the type.
                guard digits < 1_000_000_000_000_000_000_000_000_000_000_000 else { return 0 }
                digits = digits * 10 + Int128(digit)
                count += 1
            }
            return count
        }

        /// Adds this number of units; returns whether the sum is exact.
        func add(times unit: Int128, to sum: inout Int128) -> Bool {
            var (digits, unit) = (digits, unit)
            for _ in 0..<scale {
                // Of ten, two and five are taken where they are.
                if unit.isMultiple(of: 10) {
                    unit /= 10
                } else if digits.isMultiple(of: 10) {
                    digits /= 10
                } else {
                    return false
                }
            }
            let (product, hasOverflown) = digits.multipliedReportingOverflow(by: unit)
            let (total, isTooLong) = sum.addingReportingOverflow(product)
            sum = total
            return !hasOverflown && !isTooLong
        }
    }
}
