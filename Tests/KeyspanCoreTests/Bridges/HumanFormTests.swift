import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Values in the forms in which people write them.
@Suite
struct HumanFormTests {
    private static let second: Int128 = 1_000_000_000_000_000_000

    @Test(
        arguments: [
            ("5s", 5 * second), ("1h30m", 5400 * second), ("250ms", second / 4), ("1.5s", second * 3 / 2),
            ("PT5M", 300 * second), ("P1DT2H", 93_600 * second), ("P2W", 1_209_600 * second), ("PT0.25S", second / 4),
            ("-5s", -5 * second), ("-PT5M", -300 * second), ("+1m", 60 * second), ("1d 2h", 93_600 * second),
            ("1w", 604_800 * second), ("3us", 3 * second / 1_000_000), ("3µs", 3 * second / 1_000_000),
            ("3\u{3BC}s", 3 * second / 1_000_000), ("7ns", 7 * second / 1_000_000_000), ("0s", 0),
            ("PT1,5S", second * 3 / 2), ("0.000000000000000001s", 1), ("1.50000000000000000000000s", second * 3 / 2),
            ("90m", 5400 * second),
        ] as [(String, Int128)]
    )
    func `a duration is read`(text: String, attoseconds: Int128) throws {
        #expect(Duration.toValue(.string(text)) == Duration(attoseconds: attoseconds))
    }

    @Test(arguments: [
        "", "5", "s", "5 s5", "5sec", "5S", "1m1h", "5s5s", "1.s", ".5s", "1e3s", "--5s", "P", "PT", "P1DT", "P1Y",
        "P1M", "PT5M1H", "PT5", "5m-3s", "-9223372036854775809s", "1h 30", " 5s", "0.0000000000000000001s",
        "99999999999999999999999999999999999999s", "9999999999999999w", "PT5M ", "5s ", "5s\t1ms", "1h\u{301}", "T5M",
        "PTT5M", "５s",
    ])
    func `another text is no duration`(text: String) {
        var context = Defaults.DecodingContext(isStrict: true)
        let error = #expect(throws: ValueDecodingError.self) {
            try Defaults.DurationBridge().decode(.string(text), in: &context)
        }
        #expect(error.map { "\($0)" }?.contains("write it as 5s, 1h30m, 250ms or PT5M") == true)
    }

    @Test(arguments: [
        (Duration.seconds(5), "5s"), (.zero, "0s"), (.milliseconds(250), "250ms"), (.seconds(5400), "1h30m"),
        (.milliseconds(1500), "1.5s"), (.seconds(-90), "-1m30s"), (.seconds(360_000), "4d4h"), (.nanoseconds(1), "1ns"),
        (Duration(attoseconds: 1), "0.000000000000000001s"), (.microseconds(1_000), "1ms"), (.seconds(3601), "1h1s"),
        (Duration(secondsComponent: .max, attosecondsComponent: 0), "106751991167300d15h30m7s"),
    ])
    func `a duration is written as people write it`(duration: Duration, text: String) {
        #expect(Duration.toSerializable(duration) == .string(text))
        #expect(Duration.toValue(.string(text)) == duration)
    }

    @Test(.seeded) func `any duration is read back`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(50, thorough: 10_000, exhaustive: 1_000_000)) {
            var random = SeededGenerator(seed: seed)
            let shift = Int.random(in: 0...62, using: &random)
            let seconds = Int64.random(in: .min ... .max, using: &random) >> Int64(shift)
            let digits = [0, 3, 6, 9, 18].randomElement(using: &random) ?? 0
            let unit = (digits..<18).reduce(into: Int64(1)) { unit, _ in unit *= 10 }
            let rest = Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random) / unit * unit
            let duration = Duration(secondsComponent: seconds, attosecondsComponent: seconds < 0 ? -rest : rest)
            let stored = Duration.toSerializable(duration)
            try #require(stored.flatMap { Duration.toValue($0) } == duration, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            ("64KiB", 65_536), ("1.5GB", 1_500_000_000), ("1.5 gb", 1_500_000_000), ("0", 0), ("17", 17), ("17B", 17),
            ("1kB", 1_000), ("1KB", 1_000), ("0.5KiB", 512), ("16EiB", nil), ("15EiB", 15 << 60),
            ("18.446744073709551615EB", .max), ("1.1B", nil), ("1.5", nil), ("", nil), ("KiB", nil), ("1XB", nil),
            ("-1B", nil), ("1 000", nil), ("1K", nil), ("1  B", nil), ("1B ", nil), ("1.B", nil), (".5KB", nil),
            ("99999999999999999999999999999999999999", nil), ("1iB", nil), ("1\u{212A}B", nil), ("1 ", nil),
            ("18446744073709551616", nil), ("1{B", nil),
        ] as [(String, UInt64?)]
    )
    func `a number of bytes is read`(text: String, bytes: UInt64?) {
        #expect(Defaults.ByteCount.toValue(.string(text))?.bytes == bytes)
        #expect(Defaults.ByteCount(text)?.bytes == bytes)
    }

    @Test(.seeded) func `any number of bytes is read back`() throws {
        let units: [UInt64] = [1, 1 << 10, 1_000, 1 << 20, 1_000_000, 1 << 40]
        for seed in SeededGenerator.seeds(TestLevel.current.pick(50, thorough: 1_000)) {
            var random = SeededGenerator(seed: seed)
            let unit = units.randomElement(using: &random) ?? 1
            let count = Defaults.ByteCount(UInt64.random(in: 0...(UInt64.max / unit), using: &random) * unit)
            let stored = Defaults.ByteCount.toSerializable(count)
            try #require(stored.flatMap { Defaults.ByteCount.toValue($0) } == count, "seed \(seed)")
            try #require(Defaults.ByteCount.toValue(.integer(PropertyListInteger(count.bytes))) == count)
        }
    }

    @Test func `a fraction, a negative number and another kind are refused`() {
        for stored in [-1, 1.5, true, ["1"]] as [PropertyListValue] {
            #expect(Defaults.ByteCount.toValue(stored) == nil)
        }
        #expect(Defaults.ByteCount.mebibytes(10) == 10_485_760 && Defaults.ByteCount.kibibytes(1) < .gibibytes(1))
    }

    @Test(
        arguments: [
            ("50%", 50), ("12.5%", 12.5), ("-3 %", -3), ("0%", 0), ("1e2%", 100), ("0.1%", 0.1), ("50", nil),
            ("%", nil), ("50 percent", nil), ("", nil), ("50%%", nil), ("50  %", nil), (" 50%", nil), ("inf%", nil),
            ("0x1p3%", nil),
        ] as [(String, Double?)]
    )
    func `a percentage is read`(text: String, percent: Double?) {
        #expect(Defaults.Percentage.toValue(.string(text))?.percent == percent)
        #expect(Defaults.Percentage.toValue(.string(text))?.fraction == percent.map { $0 / 100 })
    }

    @Test func `a number without a sign is no percentage`() {
        for stored in [50, 0.5] as [PropertyListValue] { #expect(Defaults.Percentage.toValue(stored) == nil) }
        #expect(Defaults.Percentage.toSerializable(12.5) == "12.5%")
        #expect(Defaults.Percentage.toSerializable(Defaults.Percentage(50)) == "50%")
        #expect(Defaults.Key<Defaults.Percentage>("share", default: 80).defaultValue == 80.0)
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
            ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("0:0:0:0:0:0:0:0", "::"), ("256.1.1.1", nil), ("1.2.3", nil),
            ("localhost", nil), ("", nil), ("[::1]", nil), ("1.2.3.4\0", nil), ("::1 ", nil), ("fe80::1%eth0", nil),
            ("１.2.3.4", nil),
        ] as [(String, String?)]
    )
    func `an IP address is read`(text: String, canonical: String?) {
        let address = Defaults.IPAddress.toValue(.string(text))
        #expect(address?.description == canonical)
        #expect(address.map { $0.isVersion6 } == canonical.map { $0.contains(":") })
        #expect(address.flatMap { Defaults.IPAddress($0.description) } == address)
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "::1", 80), ("localhost:0", "localhost", 0),
            ("db_1.example.com.:65535", "db_1.example.com.", 65535), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
            ("example.com:00080", "example.com", 80), ("example.com", nil, 0), (":80", nil, 0), ("::1:80", nil, 0),
            ("[127.0.0.1]:80", nil, 0), ("host:65536", nil, 0), ("host:-1", nil, 0), ("host:+1", nil, 0),
            ("host:", nil, 0), ("ho st:1", nil, 0), ("-host:1", nil, 0), ("256.0.0.1:80", nil, 0), ("[::1]80", nil, 0),
            ("[]:80", nil, 0), ("a..b:1", nil, 0), ("http://a:80", nil, 0), ("host:8o", nil, 0),
            ("[fe80::1%]:1", nil, 0), ("h\0:1", nil, 0), ("host:１", nil, 0),
        ] as [(String, String?, UInt16)]
    )
    func `a host and a port are read`(text: String, host: String?, port: UInt16) {
        let value = Defaults.HostAndPort.toValue(.string(text))
        #expect(value?.host == host)
        #expect(value.map { $0.port } == host.map { _ in port })
        #expect(value.flatMap { Defaults.HostAndPort($0.description) } == value)
        #expect((value?.address != nil) == (host.map { $0.contains(":") || $0.hasPrefix("127") } ?? false))
    }

    @Test(
        arguments: [
            (1.5, "1.5"), (0.1, "0.1"), (7, "7"), (-0.25, "-0.25"), (1e20, "100000000000000000000"), ("1.50", "1.5"),
            (.real(0.1 + 0.2), nil), (.real(.infinity), nil), (.real(1.0 / 3), nil), ("1,5", nil), (true, nil),
        ] as [(PropertyListValue, String?)]
    )
    func `a decimal number is read from digits that are exact`(stored: PropertyListValue, digits: String?) {
        #expect(Decimal.toValue(stored) == digits.flatMap { Decimal(string: $0) })
    }

    @Test(arguments: [
        ("2026-11-21T10:50:00Z", 816_951_000.0), ("2026-11-21T10:50:00.25Z", 816_951_000.25),
        ("2026-11-21T11:50:00+01:00", 816_951_000.0), ("2026-11-21", nil), ("soon", nil), ("2026-02-30T00:00:00Z", nil),
    ])
    func `a date of RFC 3339 is read`(text: String, interval: Double?) {
        #expect(Date.toValue(.string(text))?.timeIntervalSinceReferenceDate == interval)
    }
}
