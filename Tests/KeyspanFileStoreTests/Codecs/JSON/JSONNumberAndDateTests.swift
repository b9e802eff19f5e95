import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct JSONNumberTests {
    @Test(.seeded) func `decimal texts read as the nearest double, or are refused if that loses digits`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<TestLevel.current.pick(2_000, thorough: 20_000) {
            let bits = UInt64.random(in: 0...60, using: &generator)
            let digits = UInt64.random(in: 0...(UInt64.max >> bits), using: &generator)
            let text = "\(digits).\(generator.next() % 1000)e\(Int.random(in: -40...40, using: &generator))"
            let isKept = digits < 1_000_000_000_000 || (try? RealNumeral.value(of: text)) != nil
            let value = try? JSONText.parse(Array(text.utf8))
            try #require(value == (isKept ? .real(try #require(Double(text))) : nil), "\(text)")
        }
    }
}

@Suite
struct JSONDateTests {
    @Test(arguments: [
        (0, "2001-01-01T00:00:00Z"), (1, "2001-01-01T00:00:01Z"), (-1, "2000-12-31T23:59:59Z"),
        (0.25, "2001-01-01T00:00:00.25Z"), (-0.25, "2000-12-31T23:59:59.75Z"), (-86_400, "2000-12-31T00:00:00Z"),
        (-1.1, "2000-12-31T23:59:58.9Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
        (-978_307_200.000_001, "1969-12-31T23:59:59.999999Z"), (817_123_800.123_457, "2026-11-23T10:50:00.123457Z"),
        (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
        (252_423_993_599, "9999-12-31T23:59:59Z"),
        (-26_438_400, "2000-03-01T00:00:00Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
    ])
    func `an instant is written as and read from`(interval: Double, text: String) throws {
        let bytes = try JSONText.encode(.date(Date(timeIntervalSinceReferenceDate: interval)))
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"$date\": \"\(text)\"}\n")
        #expect(try JSONText.parse(bytes).dateValue?.timeIntervalSinceReferenceDate == interval)
    }

    @Test(arguments: [
        (-63_145_526_400.25, "-63145526400.25"), (252_423_993_600, "252423993600.0"), (1e300, "1e+300"),
        (-0.0, "-0.0"), (5e-05, "5e-05"), (-Double.leastNonzeroMagnitude, "-5e-324"),
    ])
    func `an instant without such a text is written as seconds`(interval: Double, text: String) throws {
        let bytes = try JSONText.encode(.date(Date(timeIntervalSinceReferenceDate: interval)))
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"$date\": \(text)}\n")
    }

    @Test(arguments: [
        ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T19:00:00-05:00", 0), ("2001-01-01t00:00:00z", 0),
        ("2001-01-01T00:00:00.000Z", 0), ("2001-01-01T00:00:00-00:00", 0), ("2001-01-01T05:45:00.50+05:45", 0.5),
        ("2000-12-31T23:59:59.75000000000000000000000000000Z", -0.25), ("2004-02-29T00:00:00Z", 99_705_600),
        ("2001-01-01T00:00:00+23:59", -86_340), ("2000-12-31T23:59:59.0Z", -1),
    ])
    func `a text of RFC 3339 is read`(text: String, interval: Double) throws {
        let value = try JSONText.parse(Array("{\"$date\": \"\(text)\"}".utf8))
        #expect(value.dateValue?.timeIntervalSinceReferenceDate == interval)
    }

    @Test(arguments: [
        "2001-01-01", "2001-01-01T00:00:00", "2001-01-01 00:00:00Z", "2001-01-01T00:00Z", "2001-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2001-00-01T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z",
        "2001-04-31T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2016-12-31T23:59:60Z",
        "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00,5Z", "2001-01-01T00:00:00+0200", "2001-01-01T00:00:00+24:00",
        "2001-01-01T00:00:00+02:60", "2001-01-01T00:00:00Zx", " 2001-01-01T00:00:00Z", "2001-01-01T00:00:00+2",
        "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2001-1-01T00:00:00Z", "２001-01-01T00:00:00Z",
    ])
    func `other texts are not dates`(text: String) throws {
        #expect(try JSONText.parse(Array("{\"$date\": \"\(text)\"}".utf8)) == ["$date": .string(text)])
    }
}
