/// A day of the proleptic Gregorian calendar.
struct CivilDate: Equatable {
    let year: Int
    let month: Int
    let day: Int

    /// The days of 400 years, after which the calendar repeats.
    private static let daysPerCycle = 146_097

    /// The days from 1 March of the year 0, with which the count of cycles begins, to 1 January 2001.
    private static let referenceDay = 730_791

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is so many days after 2001-01-01, or before it for a negative number.
    ///
    /// Years are taken to begin in March, so that the leap day is the last one of its year. Counted so, the months have
    /// 31, 30, 31, 30 and 31 days over and over, and month *m* (from 0) begins on day (153*m* + 2) / 5.
    init(daysSinceReference: Int) {
        let days = daysSinceReference + Self.referenceDay
        let cycle = Self.floorDivision(days, Self.daysPerCycle)
        let dayOfCycle = days - cycle * Self.daysPerCycle
        // Leave out the leap days before that day: one in 4 years, none in 100, one in 400.
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }

    /// How many days after 2001-01-01 this is; negative before it.
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
