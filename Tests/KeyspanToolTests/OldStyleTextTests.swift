import Foundation
import Keyspan
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanTool

@Suite struct OldStyleWriterTests {
    @Test(
        arguments: [
            ("plain text, as it is", "plain text, as it is"),
            (true, "1"),
            (false, "0"),
            (-5, "-5"),
            (.integer(PropertyListInteger(UInt64.max)), "18446744073709551615"),
            (0.5, "0.5"),
            (1.0, "1"),
            (.real(.nan), "nan"),
            (.date(Date(timeIntervalSinceReferenceDate: 817_037_400.9)), "2026-11-22 10:50:00 +0000"),
            (.date(Date(timeIntervalSinceReferenceDate: .infinity)), "inf s from 2001"),
            (.data(Data([0x0F, 0xBD, 0x77])), "{length = 3, bytes = 0x0fbd77}"),
            (.data(Data()), "{length = 0, bytes = 0x}"),
            (
                .data(Data(0..<25)),
                "{length = 25, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 11121314 15161718 }"
            ),
            ([], "(\n)"),
            ([:], "{\n}"),
        ] as [(PropertyListValue, String)]
    )
    func `writes a value by itself`(value: PropertyListValue, text: String) {
        #expect(OldStyleWriter().text(of: value) == text)
    }

    @Test func `lays nested collections out as defaults does`() {
        let value: PropertyListValue = [
            "b": ["x y", ["k": true], []], "a-1": -1, "_": ["n": ["m": "é"]], "data": .data(Data([1])),
        ]
        #expect(
            OldStyleWriter().text(of: value) == #"""
                {
                    "_" =     {
                        n =         {
                            m = "\U00e9";
                        };
                    };
                    "a-1" = "-1";
                    b =     (
                        "x y",
                                {
                            k = 1;
                        },
                                (
                        )
                    );
                    data = {length = 1, bytes = 0x01};
                }
                """#
        )
    }

    @Test func `writes one line whatever is in the value`() {
        let value: PropertyListValue = ["a": ["two\nlines", 1], "b": ["c": ""]]
        #expect(OldStyleWriter().line(of: value) == #"{a = ("two\nlines", 1); b = {c = "";};}"#)
    }

    @Test(.seeded) func `reads back what it wrote`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<60 {
            let value = Self.randomValue(using: &generator)
            try #require(try OldStyleReader.parse(OldStyleWriter().line(of: value)) == value)
            if value.stringValue == nil {
                try #require(try OldStyleReader.parse(OldStyleWriter().text(of: value)) == value)
            }
        }
    }

    /// A value of strings, arrays and dictionaries: what old-style property lists keep.
    private static func randomValue(levels: Int = 4, using generator: inout SeededGenerator) -> PropertyListValue {
        let count = [0, 1, 2, 3, 17].randomElement(using: &generator) ?? 0
        let characters = Array("aZ09 _-.:/$\"'\\;,={}()<>&\n\té日😀e\u{301}\r\0\u{1}\u{7F}\u{FFFF}")
        func string() -> String { String((0..<count).compactMap { _ in characters.randomElement(using: &generator) }) }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1 where levels > 0:
            return .array((0..<count).map { _ in randomValue(levels: levels - 1, using: &generator) })
        case 2...3 where levels > 0:
            return .dictionary(
                (0..<count).reduce(into: [:]) { entries, _ in
                    entries[string()] = randomValue(levels: levels - 1, using: &generator)
                }
            )
        default: return .string(string())
        }
    }
}

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

@Suite struct DamagedTextTests {
    private static let documents = [
        #"{a = 1; "b\U00e9\n" = (x, 'y', <0fbd 77>, {}); /* c */ d; } // end"#,
        "<?xml version=\"1.0\"?><!DOCTYPE plist><plist version=\"1.0\"><dict><key>a</key><array><real>1</real><true/>"
            + "<string>&#233;<![CDATA[x]]></string><date>2026-11-21T10:50:00Z</date><data>AQI=</data></array></dict>"
            + "</plist>",
        #"{"a": [1, 2.5e3, true, null], "b\u00e9": {"$date": "2026-11-21T10:50:00Z"}}"#,
    ]

    @Test(.seeded, arguments: documents)
    func `is a value or an error, whatever the damage`(document: String) {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let bytes = Array(document.utf8)
        for _ in 0..<1_000 {
            var damaged = bytes
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[place] = UInt8.random(in: 0..<0x80, using: &generator)
            case 1: damaged.removeSubrange(place...)
            default: damaged.insert(contentsOf: bytes[place...].prefix(7), at: place)
            }
            let text = String(decoding: damaged, as: UTF8.self)
            do {
                _ = try PropertyListText.parse(text)
            } catch {
                guard error.reason.isEmpty || error.reason.hasSuffix(".") else { continue }
                Issue.record("\(text): \(error.reason)")
            }
        }
    }
}

@Suite struct PropertyListTextTests {
    /// A space and a combining character behind it are one `Character`, and white space to Swift.
    @Test(arguments: [" \u{301}{", "\u{301}{", " \u{200D}[", "\t\u{FE0F}\"", " \u{301}<plist>"])
    func `a text that begins with a combining character begins like no format`(_ text: String) throws {
        #expect(try PropertyListText.parse(text) == nil)
        #expect(try BareArgument.parse(text) == .string(text))
    }

    @Test func `space before a format is passed over`() throws {
        #expect(try PropertyListText.parse(" \n[1]") == [1])
    }
}
