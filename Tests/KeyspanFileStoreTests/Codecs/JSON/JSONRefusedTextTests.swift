@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

@Suite
struct JSONRefusedTextTests {
    /// A text that is refused, and the words that its error must have in this order.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let text: [UInt8]
        let words: [String]

        init(_ text: String, _ words: String...) {
            self.text = Array(text.utf8)
            self.words = words
        }

        init(_ text: [UInt8], _ words: String...) {
            self.text = text
            self.words = words
        }

        var testDescription: String { String(decoding: text, as: UTF8.self).debugDescription }

        func check(_ parse: ([UInt8]) throws(JSONTextError) -> Void, _ location: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: JSONTextError.self, sourceLocation: location) { try parse(text) }
            var rest = Substring(error?.description ?? "")
            for word in words {
                let found = rest.firstRange(of: word)
                #expect(found != nil, "\(error?.description ?? "") lacks \(word)", sourceLocation: location)
                rest = found.map { rest[$0.upperBound...] } ?? rest
            }
        }
    }

    @Test(arguments: [
        Refusal("", "line 1, column 1: expected an object", "found no text; an empty file", "`{}`"),
        Refusal(" \n ", "line 2, column 2:", "`{}`"), Refusal("\u{FEFF}", "line 1, column 1:", "`{}`"),
        Refusal("null", "1:", "a value", "`null`", "no null"),
        Refusal("[1, null]", "column 5:", "`null`; a property list has no null: remove the element"),
        Refusal("1 2", "column 3: expected nothing after the value but found a number"),
        Refusal("{} // note", "column 4:", "`/`; JSON has no comments"), Refusal("[] ]", "column 4: expected nothing"),
        Refusal("# note\n1", "column 1:", "no comments"), Refusal("[1 /* one */]", "column 4:", "no comments"),
        Refusal("[1,]", "column 4: expected a value but found `]`; remove the comma"),
        Refusal("{\"a\":1,}", "column 8:", "member name", "`}`; remove the comma"),
        Refusal("[,1]", "column 2: expected a value but found `,`."),
        Refusal("[1,,2]", "column 4: expected a value but found `,`."),
        Refusal("[1 2]", "column 4: expected `,` or `]`"), Refusal("[1}", "column 3: expected `,` or `]`", "`}`"),
        Refusal("{\"a\":1]", "column 7: expected `,` or `}`", "`]`"),
        Refusal("{\"a\":1 \"b\":2}", "column 8: expected `,` or `}`", "a string; add a comma before it"),
        Refusal("[1 \"b\"]", "column 4: expected `,` or `]`", "a string; add a comma before it"),
        Refusal("{\"a\":64KiB}", "column 8:", "`K`; put text, and a number with a unit, in double quotes"),
        Refusal("{\"a\":0x10}", "column 7:", "`x`; write an integer in decimal digits"),
        Refusal("{\"a\":1_000}", "column 7:", "`_`; write a number without `_`"),
        Refusal("{\"a\":1", "column 7:", "the end of the text; add the missing `}` or `]`"),
        Refusal("{\"a\":1,", "column 8:", "the end of the text; add the missing `}` or `]`"),
        Refusal("{\"a\" 1}", "column 6: expected `:`", "a number"),
        Refusal("{\"a\"=1}", "column 5: expected `:`", "`=`; write `:` in place of `=`"),
        Refusal("{\"a\":}", "column 6: expected a value but found `}`."),
        Refusal("{a:1}", "column 2:", "member name", "`a`; put the name in double quotes"),
        Refusal("{'a':1}", "column 2:", "`'`; use straight double quotes"),
        Refusal("{\u{201C}a\u{201D}:1}", "column 2:", "U+201C; use straight"),
        Refusal("['a']", "column 2:", "straight double quotes"),
        Refusal("{1:1}", "column 2:", "member name", "a number."),
        Refusal("{null:1}", "column 2:", "put the name in double quotes"), Refusal("{,}", "column 2:", "`,`"),
        Refusal("NaN", "column 1:", "`N`", "$real"), Refusal("Infinity", "column 1:", "$real"),
        Refusal("-Infinity", "column 2: expected a digit but found `I`", "$real"),
        Refusal("True", "column 1:", "lower case"),
        Refusal("[tru]", "column 5: expected `true`, `false` or `null` but found `]`"),
        Refusal("nul", "column 4:", "`null` but found the end"), Refusal("truex", "column 5: expected nothing"),
        Refusal("undefined", "column 1: expected a value but found `u`; write a truth value as"),
        Refusal("[", "column 2:", "the end of the text"),
        Refusal("{\"a\":[1,\n{\"b\":\n", "line 3, column 1: expected a value", "the end of the text"),
        Refusal("\u{FEFF}x", "column 1:", "`x`"), Refusal("\u{FEFF}\n\u{FEFF}1", "line 2, column 1:", "U+FEFF"),
        Refusal("\u{A0}1", "column 1:", "U+00A0"), Refusal("[1]\u{C}", "column 4:", "U+000C"),
        Refusal("[\"é😀\", x]", "column 8:"), Refusal("{\r\n\"a\": x}", "line 2, column 6:"),
    ])
    func `a text that is not JSON is rejected`(refusal: Refusal) {
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parse(text) }
    }

    @Test(arguments: [
        Refusal("01", "column 1: expected a number without leading zeros"),
        Refusal("[-012]", "column 3:", "leading zero"), Refusal("00.5", "column 1:", "leading zero"),
        Refusal("-", "column 2: expected a digit but found the end"), Refusal("--1", "column 2: expected a digit"),
        Refusal("+1", "column 1:", "without a sign"), Refusal(".5", "column 1:", "zero before"),
        Refusal("1.", "column 3: expected a digit"), Refusal("1.e1", "column 3: expected a digit"),
        Refusal("1e", "column 3: expected a digit"), Refusal("1e+", "column 4: expected a digit"),
        Refusal("1e1.5", "column 4: expected nothing"), Refusal("0x1F", "column 2: expected nothing"),
        Refusal("1_000", "column 2:"), Refusal("1,5", "column 2:"), Refusal("\u{FF11}", "column 1:", "U+FF11"),
        Refusal("18446744073709551616", "column 1: expected an integer from -2^63", "decimal point", "string"),
        Refusal("[0, -9223372036854775809]", "column 5: expected an integer"),
        Refusal("99999999999999999999999999", "expected an integer"), Refusal("-18446744073709551616", "an integer"),
        Refusal("1e309", "column 1: expected a number in the range of Double", "string"),
        Refusal("-1.8e308", "range of Double"), Refusal("1e99999999999999999999", "range of Double"),
        Refusal("[0,\n 1e-400]", "line 2, column 2: expected a number in the range of Double", "string"),
        Refusal("123.456e-789", "range of Double"), Refusal("-1e-99999999999999999999", "range of Double"),
        Refusal(
            "[12345678901234567890.0]",
            "column 2: expected a number whose digits a Double keeps",
            "round",
            "string"
        ),
        Refusal("9007199254740993.0", "digits"), Refusal("-9007199254740993e0", "digits"),
        Refusal("3.14159265358979323846", "digits"), Refusal("2.2250738585072011e-308", "digits"),
        Refusal("1.00000000000000011102230246251565404", "digits"),
    ])
    func `a number that is none or that no value holds is refused`(refusal: Refusal) {
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parse(text) }
    }

    @Test(arguments: [
        Refusal("\"abc", "column 5: expected the closing quote"), Refusal("\"", "column 2: expected the closing quote"),
        Refusal("\"a\nb\"", "line 1, column 3:", "U+000A; write it as an escape such as \\n, or end the string with"),
        Refusal("\"\t\"", "column 2:", "U+0009"), Refusal("\"01234567\u{0}\"", "column 10:", "U+0000"),
        Refusal(#""\x41""#, "column 2: expected one of the escapes", "backslash as"), Refusal(#""\'""#, "column 2:"),
        Refusal(#""\U0041""#, "column 2:"), Refusal(#""\"#, "closing quote"), Refusal(#""\u00"#, "closing quote"),
        Refusal(#""\u00g0""#, "column 6: expected four hexadecimal digits", "`g`"),
        Refusal(#""\u-123""#, "hexadecimal"),
        Refusal(#""a\ud800""#, "column 3: expected a surrogate pair", "one half"), Refusal(#""\udc00""#, "one half"),
        Refusal(#""\ud800\n""#, "one half"), Refusal(#""\ud800\ud800""#, "column 2:", "one half"),
        Refusal(#""\udc00\ud800""#, "one half"), Refusal(#""\ud800x""#, "one half"), Refusal(#""\ud800\"#, "closing"),
        Refusal([0x22, 0x61, 0x80, 0x22], "column 3: expected UTF-8 text but found the byte 0x80"),
        Refusal([0x22, 0x5C, 0x6E, 0xC3, 0x22], "column 4:", "0xC3"), Refusal([0x22, 0xC0, 0x80, 0x22], "0xC0"),
        Refusal([0x22, 0xED, 0xA0, 0x80, 0x22], "0xED"), Refusal([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], "0xF4"),
        Refusal([0x22, 0xE2, 0x82, 0x22], "column 2:", "0xE2"), Refusal([0x22, 0xFF, 0x22], "0xFF"),
        Refusal([0x5B, 0xFF, 0x5D], "column 2:", "0xFF"), Refusal([0xEF, 0xBB, 0x7B, 0x7D], "column 1:", "0xEF"),
        Refusal([0x22, 0xC3], "column 3:"), Refusal([0x22, 0xC3, 0x5C, 0x6E, 0xA9, 0x22], "column 2:", "0xC3"),
    ])
    func `a string that is none or no Unicode is refused`(refusal: Refusal) {
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parse(text) }
    }

    @Test(arguments: [
        Refusal([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], "UTF-16 or UTF-32 text; convert"),
        Refusal([0xFE, 0xFF, 0x00, 0x7B], "convert"), Refusal([0x00, 0x00, 0xFE, 0xFF, 0, 0, 0, 0x7B], "convert"),
        Refusal([0xFF, 0xFE, 0x00, 0x00], "convert"), Refusal([0x7B, 0x00, 0x7D, 0x00], "convert"),
        Refusal([0x00, 0x7B, 0x00, 0x7D], "convert"), Refusal([0x00, 0x00, 0x00, 0x7B], "convert"),
        Refusal([0x7B, 0x00, 0x00, 0x00], "convert"),
        Refusal([UInt8](repeating: 0, count: 64), "NUL bytes", "restore it"),
        Refusal("[]", "an object at the top level but found `[`; write an object in braces"),
        Refusal(
            "name: x",
            "an object",
            "`n`; write an object in braces; files in YAML and TOML have stores of their own"
        ),
        Refusal("null", "an object", "`n`"),
        Refusal("\"x\"", "an object", "a string."), Refusal("5", "an object", "a number."), Refusal("", "`{}`"),
        Refusal("{} {}", "column 4: expected nothing"), Refusal("{\"a\":1,}", "column 8:", "remove the comma"),
        Refusal("{\"a\":[null]}", "column 7:", "`null`"), Refusal("{\"a\":nulL}", "column 9: expected `true`"),
        Refusal("{\"a\":1", "column 7:", "the end"), Refusal("{", "column 2:", "the end"), Refusal("}", "`}`"),
    ])
    func `a text that is not a table is rejected`(refusal: Refusal) {
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parseTable(text) }
    }

    @Test(arguments: [
        Refusal("{\"a\":1,\n \"a\":1}", "line 2, column 2: expected a name", "the same name", "first one is in line 1"),
        Refusal("{\n\"a\":[{\"b\":1},\n{\"b\":2,\n\"b\":3}]}", "line 4, column 1:", "first one is in line 3"),
        Refusal("{\"x\":{\"a\":1},\n\"a\":\"a\",\n\"\\u0061\":{\"a\":2}}", "line 3, column 1:", "in line 2"),
        Refusal("{\"a\":[{\"a\":[\"a\"]}],\n\"b\":{\n\"a\":\"b\",\"\":{\"a\":1},\n\"a\":2}}", "line 4,", "in line 3"),
        Refusal("{\"a\":1,\"\\u0061\":2}", "column 8:"), Refusal("{\"a\":null,\"a\":2}", "column 11:"),
        Refusal("{\"a\":1,\"a\":null}", "column 8:"), Refusal("{\"a\":null,\"a\":null}", "column 11:"),
        Refusal("{\"\u{E9}\":1,\"\\u00e9\":2}", "column 8:"),
        Refusal("{\"a\":1,\"b\":2,\"a\":[]}", "column 14:"), Refusal("{\"a\":[],\"a\":{}}", "column 9:"),
    ])
    func `a name that comes twice is refused, at the top level and inside`(refusal: Refusal) {
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parseTable(text) }
        refusal.check { (text) throws(JSONTextError) in _ = try JSONText.parse(text) }
    }

    // From the second character on: a NUL right after the quote makes the text look like UTF-16.
    @Test(arguments: 1..<24, [0x00, 0x0A, 0x1F] as [UInt8])
    func `a control character is found wherever it is in a string`(index: Int, byte: UInt8) throws {
        var text = Array("\"abcdefghijklmnopqrstuvwx\"".utf8)
        text[index + 1] = byte
        let error = #expect(throws: JSONTextError.self) { try JSONText.parse(text) }
        #expect(error?.column == index + 2)
        #expect(error?.expected.contains("control character") == true)
    }

    @Test(arguments: [
        "[\"hunter2\" x]", "{\"k\": 123456789012345678901234}", "{\"k\":\"hunter2\", \"k\":\"hunter2\"}", "hunter2",
    ])
    func `an error does not tell what the values are`(text: String) {
        let error = #expect(throws: JSONTextError.self) { try JSONText.parse(Array(text.utf8)) }
        #expect(error.map { !$0.description.contains("hunter2") && !$0.description.contains("123456") } == true)
    }
}
