import Foundation
import Testing

@testable import KeyspanTool

@Suite struct CivilTimeTests {
    @Test(arguments: [
        (0, "1970-01-01", "00:00:00"),
        (-1, "1969-12-31", "23:59:59"),
        (978_307_200, "2001-01-01", "00:00:00"),
        (951_782_400, "2000-02-29", "00:00:00"),
        (4_107_542_399, "2100-02-28", "23:59:59"),
        (-12_219_292_800, "1582-10-15", "00:00:00"),
        (-12_219_292_801, "1582-10-14", "23:59:59"),
        (-62_135_596_800, "0001-01-01", "00:00:00"),
        (-62_167_219_200, "0000-01-01", "00:00:00"),
        (253_402_300_799, "9999-12-31", "23:59:59"),
    ])
    func `knows the calendar`(seconds: Int, day: String, clock: String) {
        let time = CivilTime(secondsSince1970: seconds)
        #expect(time.dayText == day)
        #expect(time.clockText == clock)
        #expect(time.secondsSince1970 == seconds)
    }

    @Test func `goes on by one day each day for a cycle of 400 years`() {
        var days = Set<String>()
        for day in -100_000..<46_097 {
            let time = CivilTime(secondsSince1970: day * 86_400)
            #expect(time.secondsSince1970 == day * 86_400)
            days.insert(time.dayText)
        }
        #expect(days.count == 146_097)
    }

    @Test(arguments: [
        ("2026-11-21T10:50:00Z", 1_795_258_200),
        ("2026-11-21t10:50:00z", 1_795_258_200),
        ("2026-11-21 10:50:00 +0000", 1_795_258_200),
        ("2026-11-21T12:50:00.5+02:00", 1_795_258_200.5),
        ("2026-11-21T10:49:00-00:01", 1_795_258_200),
        ("2000-02-29T00:00:00Z", 951_782_400),
    ])
    func `reads dates`(text: String, seconds: Double) throws {
        #expect(try #require(DateText.parse(text)).timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "now", "0", "1795258200", "2026-11-21", "2026-11-21T10:50:00", "2026-11-21 10:50:00",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+1",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Z ", "２026-01-01T00:00:00Z", "11/21/2026 10:50",
    ])
    func `refuses other texts`(text: String) {
        #expect(DateText.parse(text) == nil)
    }
}
