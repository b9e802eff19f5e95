import Foundation
import Testing

@testable import KeyspanTool

@Suite struct OldStyleDateTests {
    @Test(arguments: [
        (0, "1970-01-01 00:00:00 +0000"), (-1, "1969-12-31 23:59:59 +0000"), (951_782_400, "2000-02-29 00:00:00 +0000"),
        (0.75, "1970-01-01 00:00:00 +0000"), (-12_219_292_801, "1582-10-14 23:59:59 +0000"),
        (-62_167_219_200, "0000-01-01 00:00:00 +0000"), (253_402_300_799, "9999-12-31 23:59:59 +0000"),
    ])
    func `is written in UTC and reads back to the second`(seconds: Double, text: String) {
        #expect(OldStyleDate.text(of: Date(timeIntervalSince1970: seconds)) == text)
        #expect(OldStyleDate.parse(text)?.timeIntervalSince1970 == seconds.rounded(.down))
    }

    @Test(arguments: [
        ("2026-11-21T10:50:00Z", 1_795_258_200), ("2026-11-21t10:50:00z", 1_795_258_200),
        ("2026-11-21 10:50:00 +0000", 1_795_258_200), ("2026-11-21 12:20:00 +0130", 1_795_258_200),
        ("2026-11-21T12:50:00.5+02:00", 1_795_258_200.5), ("2026-11-21T10:49:00-00:01", 1_795_258_200),
    ])
    func `reads both forms`(text: String, seconds: Double) {
        #expect(OldStyleDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", " ", "now", "0", "1795258200", "2026-11-21", "2026-11-21T10:50:00", "2026-11-21 10:50:00",
        "2026-11-21 10:50:00 +000", "2026-11-21 10:50:00 +00:00", "2026-11-21  10:50:00 +0000",
        "2026-02-29 00:00:00 +0000", "2026-01-01 24:00:00 +0000", "2026-01-01 00:00:00 +2400", "11/21/2026 10:50",
    ])
    func `refuses other texts`(text: String) {
        #expect(OldStyleDate.parse(text) == nil)
    }

    @Test func `a date outside the calendar is written as seconds`() {
        #expect(OldStyleDate.text(of: Date(timeIntervalSinceReferenceDate: 1e300)) == "1e+300 s from 2001")
    }
}
