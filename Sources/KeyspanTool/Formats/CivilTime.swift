#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A second of UTC as calendar and clock show it, in the proleptic Gregorian calendar of ISO 8601.
///
/// Foundation's formatter changes to the Julian calendar before 1582, which no property list does.
struct CivilTime: Equatable {
    /// The year, 0 for 1 BC.
    let year: Int
    /// The month, from 1.
    let month: Int
    /// The day of the month, from 1.
    let day: Int
    /// The hour, from 0 to 23.
    let hour: Int
    /// The minute, from 0 to 59.
    let minute: Int
    /// The second, from 0 to 59; there are no leap seconds.
    let second: Int

    /// Makes a time; `nil` if there is no such day or time of day.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
        guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
        guard (1...12).contains(month), day >= 1, CivilTime(secondsSince1970: secondsSince1970) == self else {
            return nil
        }
    }

    /// Makes the time of a number of seconds since the start of 1970, in years that fit the machine.
    init(secondsSince1970 seconds: Int) {
        let secondOfDay = seconds.modulo(86_400)
        (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
        // Years are counted from March, so that the leap day is the last one: a cycle of 400 years has 146 097 days.
        let days = (seconds - secondOfDay) / 86_400 + Self.daysFromMarch0To1970
        let dayOfCycle = days.modulo(146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfCycle + (days - dayOfCycle) / 146_097 * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of seconds since the start of 1970.
    var secondsSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let yearOfCycle = yearFromMarch.modulo(400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        let days = (yearFromMarch - yearOfCycle) / 400 * 146_097 + dayOfCycle - Self.daysFromMarch0To1970
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    /// From the 1st of March of the year 0 to the 1st of January of 1970.
    private static let daysFromMarch0To1970 = 719_468
}

extension CivilTime {
    /// The seconds from the start of 1970 to that of 2001, where `Date` begins to count.
    static let referenceDate = 978_307_200

    /// The second in which a date is; `nil` for a date that is no number or beyond the years 0 to 9999.
    init?(containing date: Date) {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard let whole = Int(exactly: seconds), abs(whole) < 1_000_000_000_000 else { return nil }
        self.init(secondsSince1970: whole + Self.referenceDate)
        guard (0...9999).contains(year) else { return nil }
    }

    /// The date at the start of this second.
    var date: Date { Date(timeIntervalSinceReferenceDate: Double(secondsSince1970 - Self.referenceDate)) }

    /// The day, such as `2026-11-21`.
    var dayText: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }

    /// The time of day, such as `10:50:00`.
    var clockText: String { "\(padded(hour, to: 2)):\(padded(minute, to: 2)):\(padded(second, to: 2))" }

    /// A date for people, such as `2026-11-21 10:50:00 +0000`, without its fraction of a second.
    static func displayText(of date: Date) -> String {
        guard let time = CivilTime(containing: date) else {
            return "\(date.timeIntervalSinceReferenceDate) s from 2001"
        }
        return "\(time.dayText) \(time.clockText) +0000"
    }

    private func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int {
    /// The remainder that has the sign of the divisor.
    fileprivate func modulo(_ divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
