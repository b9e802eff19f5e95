import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

@Suite
struct JSONWrittenTextTests {
    @Test(
        arguments: [
            (true, "true"), (false, "false"), (1, "1"), (-5, "-5"), (1.0, "1.0"), (.real(-0.0), "-0.0"), (0.1, "0.1"),
            (1e300, "1e+300"), (.real(.leastNonzeroMagnitude), "5e-324"), (.real(0x1p53), "9007199254740992.0"),
            (.integer(PropertyListInteger(UInt64.max)), "18446744073709551615"),
            (.integer(PropertyListInteger(Int64.min)), "-9223372036854775808"),
            (.real(.nan), #"{"$real": "nan"}"#), (.real(-.infinity), #"{"$real": "-inf"}"#),
            (.real(.infinity), #"{"$real": "inf"}"#),
            ("", #""""#), ("a/b é 😀", #""a/b é 😀""#), ("\"\\\u{8}\t\n\u{C}\r", #""\"\\\b\t\n\f\r""#),
            ("\u{0}\u{1F}\u{7F}", #""\u0000\u001f\u007f""#), ([], "[]"), ([:], "{}"), ([[], [:]], "[\n  [],\n  {}\n]"),
            (
                ["b": 1, "a": [1, ["x": 2]], "B": 0, "é": 3],
                "{\n  \"B\": 0,\n  \"a\": [\n    1,\n    {\n      \"x\": 2\n    }\n  ],\n  \"b\": 1,\n  \"é\": 3\n}"
            ),
        ] as [(PropertyListValue, String)]
    )
    func `a value is written as`(value: PropertyListValue, text: String) throws {
        #expect(String(decoding: try JSONText.encode(value), as: UTF8.self) == text + "\n")
    }

    @Test(
        arguments: [
            ([:], "{}\n"), (["b": 1, "a": true], "{\n  \"a\": true,\n  \"b\": 1\n}\n"),
            (["$date": 5], "{\n  \"$date\": 5\n}\n"),
            (
                ["d": ["$date": 5]],
                "{\n  \"d\": {\n    \"$dictionary\": {\n      \"$date\": 5\n    }\n  }\n}\n"
            ),
        ] as [(PropertyListTable, String)]
    )
    func `a table is written as`(table: PropertyListTable, text: String) {
        #expect(String(decoding: JSONText.encode(table), as: UTF8.self) == text)
    }

    @Test func `equal tables are written alike, however they were made`() {
        let names = (0..<200).map { "key \($0)" }
        var forwards = PropertyListTable()
        var backwards = PropertyListTable()
        for name in names { forwards[name] = .string(name) }
        for name in names.reversed() { backwards[name] = .string(name) }
        #expect(JSONText.encode(forwards) == JSONText.encode(backwards))
    }
}
