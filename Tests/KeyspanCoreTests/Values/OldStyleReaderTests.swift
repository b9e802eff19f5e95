import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct OldStyleReaderTests {
    @Test(
        arguments: [
            ("word", "word"), ("  com.example.app-1_$/x:y ", "com.example.app-1_$/x:y"), ("-5", "-5"), ("1.5", "1.5"),
            ("http://example.com", "http://example.com"), (#""a \"b\" \\ c""#, #"a "b" \ c"#),
            ("'it is \"so\"'", "it is \"so\""), (#""\a\b\f\n\r\t\v\@""#, "\u{7}\u{8}\u{C}\n\r\t\u{B}@"),
            (#""\101\0""#, "A\0"), (#""\U00e9\U65e5\Ud83d\Ude00\U41""#, "é日😀A"), ("\"é\"", "é"), ("\"\"", ""),
            ("()", []), ("(a, b,)", ["a", "b"]), ("( (a), {} )", [["a"], [:]]), ("{}", [:]),
            ("{a = 1; \"b c\" = (x, y); d}", ["a": "1", "b c": ["x", "y"], "d": "d"]), ("{a = 1}", ["a": "1"]),
            ("/* one */ (a, // two\n b) // three", ["a", "b"]), ("<0fbd77>", .data(Data([0x0F, 0xBD, 0x77]))),
            ("< 0F bd\n77 >", .data(Data([0x0F, 0xBD, 0x77]))), ("<>", .data(Data())),
        ] as [(String, PropertyListValue)]
    )
    func `reads what the format has`(text: String, value: PropertyListValue) throws {
        #expect(try OldStyleReader.parse(text) == value)
    }

    @Test(arguments: [
        ("", 1, 1), ("(a", 1, 3), ("(a b)", 1, 4), ("{a = 1", 1, 7), ("{a = 1; b 2;}", 1, 11), ("{a = ;}", 1, 6),
        ("{a = 1;\n  a = 2;}", 2, 3), ("a b", 1, 3), ("<0f0>", 1, 6), ("<0g>", 1, 3), ("\"open", 1, 1),
        ("\"open\\", 1, 6), ("(\"é\", \"a\\Ud83d\")", 1, 9), ("(\"\\377\")", 1, 3), ("/* open", 1, 1), ("a@b", 1, 2),
        ("é", 1, 1),
    ])
    func `says where a text is wrong`(text: String, line: Int, column: Int) {
        let error = #expect(throws: TextFormatError.self) { try OldStyleReader.parse(text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test func `reads nested collections up to the given limit`() throws {
        for limit in [1, 7, PropertyListValue.maximumNesting, PropertyListValue.maximumNesting + 1] {
            let text = String(repeating: "(", count: limit) + String(repeating: ")", count: limit)
            let value = try OldStyleReader.parse(text, levels: limit)
            #expect(value.isNestedDeeper(than: limit - 1) && !value.isNestedDeeper(than: limit))
            #expect(throws: TextFormatError.self) { try OldStyleReader.parse(text, levels: limit - 1) }
        }
    }

    @Test func `its values can be stored unless the limit is raised`() {
        let limit = PropertyListValue.maximumNesting + 1
        #expect(throws: TextFormatError.self) { try OldStyleReader.parse(String(repeating: "{a=", count: limit)) }
    }
}
