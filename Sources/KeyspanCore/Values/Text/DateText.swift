/// Converts between points in time, as seconds since 2001-01-01T00:00:00Z, and RFC 3339 text, without loss.
///
/// The text has the digits of the shortest decimal number that reads back as the same `Double`. Seconds and fraction
/// are split and joined as decimal digits, because a sum of `Double`s would round. Days are counted in the proleptic
/// Gregorian calendar; leap seconds do not exist.
package enum DateText {
    /// The text of a point in time; `nil` if no text reads back as the same `Double`.
    ///
    /// No such text exists outside the years 0 to 9999, for the negative zero, and for times so close to the reference
    /// date that their shortest decimal number has an exponent.
    package static func text(for interval: Double) -> String? {
        guard let days = DecimalSeconds(interval)?.splitDays(), interval != 0 || interval.sign == .plus else {
            return nil
        }
        let date = CivilDate(daysSinceReference: days.count)
        guard (0...9999).contains(date.year) else { return nil }
        let second = days.second
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ":")
        let day = "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))"
        let fraction = days.fraction.isEmpty ? "" : "." + String(decoding: days.fraction, as: UTF8.self)
        return "\(day)T\(time)\(fraction)Z"
    }

    /// The point in time of a text; `nil` if the text is not a date and time of RFC 3339 section 5.6.
    ///
    /// Any offset and any number of fraction digits are accepted, and `t` and `z` in lower case. A leap second (`:60`) is
    /// rejected, because no `Double` stands for it.
    package static func interval(from text: String) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            var cursor = TextCursor(bytes)
            return interval(from: &cursor)
        }
    }

    private static func interval(from cursor: inout TextCursor) -> Double? {
        guard
            let year = cursor.takeNumber(ofDigits: 4, in: 0...9999), cursor.consume(UInt8(ascii: "-")),
            let month = cursor.takeNumber(ofDigits: 2, in: 1...12), cursor.consume(UInt8(ascii: "-")),
            let day = cursor.takeNumber(ofDigits: 2, in: 1...CivilDate.dayCount(ofMonth: month, year: year)),
            cursor.consume(UInt8(ascii: "T")) || cursor.consume(UInt8(ascii: "t")),
            let hour = cursor.takeNumber(ofDigits: 2, in: 0...23), cursor.consume(UInt8(ascii: ":")),
            let minute = cursor.takeNumber(ofDigits: 2, in: 0...59), cursor.consume(UInt8(ascii: ":")),
            let second = cursor.takeNumber(ofDigits: 2, in: 0...59)
        else { return nil }
        var fraction: [UInt8] = []
        if cursor.consume(UInt8(ascii: ".")) {
            fraction = Array(cursor.take(while: \.isDigit))
            if fraction.isEmpty { return nil }
        }
        guard let offset = offset(from: &cursor), cursor.isAtEnd else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSinceReference
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return DecimalSeconds(whole: whole, fraction: fraction).interval
    }

    /// The offset from UTC in seconds.
    private static func offset(from cursor: inout TextCursor) -> Int? {
        if cursor.consume(UInt8(ascii: "Z")) || cursor.consume(UInt8(ascii: "z")) { return 0 }
        let sign = cursor.consume(UInt8(ascii: "+")) ? 1 : cursor.consume(UInt8(ascii: "-")) ? -1 : 0
        guard
            sign != 0,
            let hour = cursor.takeNumber(ofDigits: 2, in: 0...23), cursor.consume(UInt8(ascii: ":")),
            let minute = cursor.takeNumber(ofDigits: 2, in: 0...59)
        else { return nil }
        return sign * (hour * 3600 + minute * 60)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    /// The number of days in 400 years, after which the calendar repeats.
    private static let daysPerCycle = 146_097

    /// The number of days from 1 March of year 0, where the cycles begin, to 1 January 2001.
    private static let referenceDay = 730_791

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day at a distance in days from 2001-01-01, before it for a negative number.
    ///
    /// Years begin in March here, so that the leap day is the last day of its year. The months then repeat a pattern of
    /// 31, 30, 31, 30 and 31 days, and month *m* (from 0) begins on day (153*m* + 2) / 5.
    init(daysSinceReference: Int) {
        let days = daysSinceReference + Self.referenceDay
        let cycle = Self.floorDivision(days, Self.daysPerCycle)
        let dayOfCycle = days - cycle * Self.daysPerCycle
        // Subtracts the leap days before that day: one in 4 years, except one in 100, but again one in 400.
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }

    /// The distance in days from 2001-01-01, negative before it.
    var daysSinceReference: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let cycle = Self.floorDivision(yearFromMarch, 400)
        let yearOfCycle = yearFromMarch - cycle * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * Self.daysPerCycle + dayOfCycle - Self.referenceDay
    }

    static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorDivision(_ dividend: Int, _ divisor: Int) -> Int {
        (dividend >= 0 ? dividend : dividend - divisor + 1) / divisor
    }
}

/// A number of seconds as a sum of whole seconds and the decimal digits of a fraction.
///
/// The fraction is never negative: -0.25 is -1 and the digits 75.
private struct DecimalSeconds {
    let whole: Int

    /// ASCII digits; the fraction is zero if there are none.
    let fraction: [UInt8]

    init(whole: Int, fraction: [UInt8]) {
        self.whole = whole
        self.fraction = fraction
    }

    /// Splits the shortest decimal text of a number; `nil` if that text has an exponent or no digits.
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

    /// Splits into whole days, the second of the day, and the fraction.
    func splitDays() -> (count: Int, second: Int, fraction: [UInt8]) {
        let (days, second) = whole.quotientAndRemainder(dividingBy: 86_400)
        return second < 0 ? (days - 1, second + 86_400, fraction) : (days, second, fraction)
    }

    private static let zero = UInt8(ascii: "0")
    private static let nine = UInt8(ascii: "9")

    private static func withoutTrailingZeros(_ digits: [UInt8]) -> [UInt8] {
        Array(digits[..<(digits.lastIndex { $0 != zero }.map { $0 + 1 } ?? 0)])
    }

    /// The digits of one minus a fraction whose digits do not end with a zero.
    private static func complement(of digits: [UInt8]) -> [UInt8] {
        // Subtracts each digit from 9, and the last one from 10.
        guard let last = digits.last else { return [] }
        return digits.dropLast().map { zero + nine - $0 } + [zero + nine - last + 1]
    }
}
