import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

@Suite
struct JSONAcceptedTextTests {
    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("-1", -1), ("10", 10),
            ("9223372036854775807", .integer(PropertyListInteger(Int64.max))),
            ("-9223372036854775808", .integer(PropertyListInteger(Int64.min))),
            ("9223372036854775808", .integer(PropertyListInteger(UInt64(1) << 63))),
            ("18446744073709551615", .integer(PropertyListInteger(UInt64.max))),
            ("-0", .real(-0.0)), ("-0.0", .real(-0.0)), ("-0e5", .real(-0.0)), ("0.0", .real(0)), ("0e1", .real(0)),
            ("1.0", .real(1)), ("1e3", .real(1000)), ("1E+2", .real(100)), ("1e-2", .real(0.01)),
            ("1.5e00", .real(1.5)), ("0e99999999999999999999", .real(0)), ("-0e-99999999999999999999", .real(-0.0)),
            ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)), ("5e-324", .real(.leastNonzeroMagnitude)),
            ("2.2250738585072009e-308", .real(Double.leastNormalMagnitude.nextDown)),
            ("9007199254740992.0", .real(0x1p53)), ("9007199254740994e0", .real(0x1p53 + 2)),
            ("1e22", .real(1e22)), ("1e23", .real(1e23)), ("0.000000000000000000000000000001", .real(1e-30)),
            ("100000000000000000000.0", .real(1e20)), ("18446744073709551616e0", .real(0x1p64)),
            ("1.00000000000000000000000000000000000", .real(1)), ("1.0000000000000002220446", .real(1.0.nextUp)),
            ("0.10000000000000000555", .real(0.1)), ("4.9406564584124654e-324", .real(.leastNonzeroMagnitude)),
            // Other values, and the space around them.
            ("true", true), ("false", false), (" \t\r\n1 \t\r\n", 1), ("\u{FEFF}[]", []), ("\u{FEFF} 1", 1),
            ("[]", []), ("{}", [:]), ("[ ]", []), ("{\r\n}", [:]), ("[[]]", [[]]), ("[[],[[]],{}]", [[], [[]], [:]]),
            ("[1,2.0,\"x\",true,{\"a\":[]}]", [1, 2.0, "x", true, ["a": []]]),
            (" [ 1 , 2 ] ", [1, 2]), ("{ \"a\" : 1 , \"b\" : { \"c\" : [ ] } }", ["a": 1, "b": ["c": []]]),
            ("{\"\":0}", ["": 0]), ("{\"a\\u0000b\":0}", ["a\u{0}b": 0]), ("{\"\\u0061\":0}", ["a": 0]),
            ("{\"a\":null}", [:]), ("{\"a\":null,\"b\":1}", ["b": 1]), ("[{\"a\":1,\"b\":null}]", [["a": 1]]),
            ("[{\"a\":1},{\"a\":2}]", [["a": 1], ["a": 2]]), ("{\"a\":{\"a\":1}}", ["a": ["a": 1]]),
            ("{\"A\":1,\"a\":2}", ["A": 1, "a": 2]),
        ] as [(String, PropertyListValue)]
    )
    func `a text reads as`(text: String, value: PropertyListValue) throws {
        #expect(try JSONText.parse(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""/""#, "/"),
        (#""\u0000""#, "\u{0}"), (#""\u00e9\u00E9""#, "éé"), (#""\uD83D\uDE00""#, "😀"),
        (#""\udbff\udfff""#, "\u{10FFFF}"),
        (#""\ud800\udc00""#, "\u{10000}"), (#""\uFFFF\uD7FF\uE000""#, "\u{FFFF}\u{D7FF}\u{E000}"),
        (#""é漢😀""#, "é漢😀"), (#""e\u0301""#, "e\u{301}"), ("\"\u{7F}\u{80}\u{2028}\"", "\u{7F}\u{80}\u{2028}"),
        (#""0123456\"89""#, "0123456\"89"), (#""01234567\n""#, "01234567\n"),
        (
            #""long enough for three words é\t.""#,
            "long enough for three words é\t."
        ), (#""\u005C\u0022""#, "\\\""), ("\"\u{FEFF}\"", "\u{FEFF}"),
        (#""\\u0041""#, "\\u0041"), (#""true""#, "true"),
    ])
    func `a string reads as`(text: String, value: String) throws {
        let string = try #require(try JSONText.parse(Array(text.utf8)).stringValue)
        #expect(Array(string.unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test(
        arguments: 0..<24,
        [("\\\"", "\""), ("\\\\", "\\"), ("é", "é"), ("\u{7F}", "\u{7F}"), ("!", "!"), ("]", "]")]
    )
    func `an escape or a character next to one is read wherever it is`(index: Int, piece: (String, String)) throws {
        let (before, after) = (String(repeating: "a", count: index), String(repeating: "#", count: 24 - index))
        let value = try JSONText.parse(Array("\"\(before)\(piece.0)\(after)\"".utf8))
        #expect(value == .string(before + piece.1 + after))
    }

    @Test(
        arguments: [
            ("{}", [:]), ("\u{FEFF}{}", [:]),
            (
                " { \"a\" : 1 , \"b\" : [ 2 ] } ",
                ["a": 1, "b": [2]]
            ), ("{\"a\": null, \"b\": true}", ["b": true]),
            ("{\"$date\": 5}", ["$date": 5]), ("{\"$data\": \"aGk=\"}", ["$data": "aGk="]),
            ("{\"$dictionary\": {\"$real\": \"nan\"}}", ["$dictionary": .real(.nan)]),
            ("{\"d\": {\"$real\": \"-inf\"}}", ["d": .real(-.infinity)]),
        ] as [(String, PropertyListTable)]
    )
    func `a table reads as`(text: String, table: PropertyListTable) throws {
        #expect(try JSONText.parseTable(Array(text.utf8)) == table)
    }
}
