/// Instants as text of RFC 3339, from and to seconds since 2001-01-01T00:00:00Z, without loss.
///
/// The text has the digits of the shortest decimal number that reads back as the same `Double`. Seconds and fraction
/// are taken apart and put together as decimal digits, because a sum of `Double`s would round. Days are counted in the
/// proleptic Gregorian calendar; leap seconds do not exist.
enum DateText {
    /// The text of an instant, or `nil` if it has none that reads back to the same `Double`.
    ///
    /// That is so outside the years 1 to 9999, for the negative zero, and for instants so near to the reference date
    /// that their shortest decimal number has an exponent.
    static func text(for interval: Double) -> String? {
        guard let days = DecimalSeconds(interval)?.splitDays(), interval != 0 || interval.sign == .plus else {
            return nil
        }
        let date = CivilDate(daysSinceReference: days.count)
        guard (1...9999).contains(date.year) else { return nil }
        let second = days.second
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ":")
        let day = "\(padded(date.year, to: 4))-\(padded(date.month, to: 2))-\(padded(date.day, to: 2))"
        let fraction = days.fraction.isEmpty ? "" : "." + String(decoding: days.fraction, as: UTF8.self)
        return "\(day)T\(time)\(fraction)Z"
    }

    /// The instant that a text names, or `nil` if it is no date and time of RFC 3339 section 5.6.
    ///
    /// Any offset and any number of fraction digits are read, and `t` and `z` in lower case. A leap second (`:60`) is
    /// refused, because no `Double` stands for it.
    static func interval(from text: String) -> Double? {
        var scanner = DigitScanner(text)
        guard
            let year = scanner.number(ofDigits: 4, in: 1...9999), scanner.take("-"),
            let month = scanner.number(ofDigits: 2, in: 1...12), scanner.take("-"),
            let day = scanner.number(ofDigits: 2, in: 1...CivilDate.dayCount(ofMonth: month, year: year)),
            scanner.take("T") || scanner.take("t"),
            let hour = scanner.number(ofDigits: 2, in: 0...23), scanner.take(":"),
            let minute = scanner.number(ofDigits: 2, in: 0...59), scanner.take(":"),
            let second = scanner.number(ofDigits: 2, in: 0...59)
        else { return nil }
        var fraction: [UInt8] = []
        if scanner.take(".") {
            fraction = scanner.digits()
            if fraction.isEmpty { return nil }
        }
        guard let offset = offset(from: &scanner), scanner.isAtEnd else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSinceReference
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return DecimalSeconds(whole: whole, fraction: fraction).interval
    }

    /// The offset from UTC in seconds.
    private static func offset(from scanner: inout DigitScanner) -> Int? {
        if scanner.take("Z") || scanner.take("z") { return 0 }
        let sign = scanner.take("+") ? 1 : scanner.take("-") ? -1 : 0
        guard
            sign != 0,
            let hour = scanner.number(ofDigits: 2, in: 0...23), scanner.take(":"),
            let minute = scanner.number(ofDigits: 2, in: 0...59)
        else { return nil }
        return sign * (hour * 3600 + minute * 60)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
