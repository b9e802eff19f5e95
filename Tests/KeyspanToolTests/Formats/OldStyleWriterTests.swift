import Foundation
import Keyspan
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

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `reads back what it wrote`(seed: UInt64) throws {
        var random = RandomValue(seed: seed)
        let value = random.value()
        #expect(try OldStyleReader.parse(OldStyleWriter().line(of: value)) == value)
        if value.stringValue == nil {
            #expect(try OldStyleReader.parse(OldStyleWriter().text(of: value)) == value)
        }
    }
}
