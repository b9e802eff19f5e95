import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanTOML

/// What TOML texts stand for, and which are refused.
@Suite
struct TOMLTextTests {
    private func parse(_ text: String) throws -> PropertyListTable {
        try TOMLText().parse(Array(text.utf8)).members
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("17", 17), ("-5", -5), ("+5", 5), ("1_000", 1000), ("0xfF", 255),
            ("0o17", 15),
            ("0b11", 3), ("-9223372036854775808", .integer(PropertyListInteger(Int64.min))),
            ("1.5", 1.5), ("1e3", 1000.0), ("1_0.5", 10.5), ("-0.0", -0.0), ("1.0", 1.0),
            ("inf", .real(.infinity)), ("-inf", .real(-.infinity)), ("nan", .real(.nan)),
            ("\"a\\tb\\u00e9\"", "a\tbé"), ("'C:\\dir'", "C:\\dir"), ("\"\"\"\na\n\\\n  \"b\"\"\"\"", "a\n\"b\""),
            ("'''a\nb'c'''", "a\nb'c"),
            ("2001-01-01T00:00:05Z", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("2001-01-01 01:00:05.25+01:00", .date(Date(timeIntervalSinceReferenceDate: 5.25))),
            ("2000-12-31t20:30:05-03:30", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("2026-11-21T10:50:00.500", "2026-11-21T10:50:00.5"), ("2026-11-21", "2026-11-21"),
            ("10:50:00.000001", "10:50:00.000001"),
            ("{\"$date\" = \"2001-01-01T00:00:05Z\"}", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("{\"$data\" = \"aGk=\"}", .data(Data("hi".utf8))),
            ("[1, [\"a\", # c ]\n {b = 2,c.d = 3}], ]", [1, ["a", ["b": 2, "c": ["d": 3]]]]), ("[]", []), ("{}", [:]),
        ] as [(String, PropertyListValue)]
    )
    func `a value is that of TOML`(_ text: String, _ value: PropertyListValue) throws {
        #expect(try parse("a = \(text)\n") == ["a": value])
    }

    @Test(arguments: ["", "# nothing", "\n\r\n \t# c\n", "\u{FEFF}"])
    func `a text without a member has none`(_ text: String) throws {
        #expect(try parse(text).isEmpty)
    }

    @Test func `tables of all kinds nest, with the lines of their names`() throws {
        let text = """
            title = "x" # [no]
            a.b."c.d" = '''
            [not]
            a = 1'''
            [tls.client]
            port = 1
            [tls]
            port = 2
            [[servers]]
            name = "a"
            [servers.tls]
            port = 3
            [[servers]]
            name = "b"
            """
        let double = try FollowedFileDouble(.toml, text)
        let store = try double.open(
            keys: ["title", "tls.client.port", "tls.port", "servers", "a.b.c.d"],
            unknownNames: .areIgnored
        )
        #expect(store.value(forKey: "servers") == [["name": "a", "tls": ["port": 3]], ["name": "b"]])
        for (key, line) in [("title", 1), ("tls.client.port", 6), ("tls.port", 8), ("servers", 9)] {
            #expect(store.provenance(forKey: key)?.description == "\(double.path):\(line)", "\(key)")
        }
    }

    static let refusals = [
        Refusal("a = 1\nb = 2\na = 3\n", line: 3, column: 1, "\"a\" again, which is in line 1 already"),
        Refusal("a = 1\n\"a\" = 2\n", line: 2, column: 1, "which is in line 1 already"),
        Refusal("a.b = 1\na.b = 2\n", line: 2, column: 3, "which is in line 1 already"),
        Refusal("[t]\na = 1\n\n[t]\n", line: 4, column: 2, "which is in line 1 already"),
        Refusal("t = 1\n[t]\na = 1\n", line: 2, column: 2, "which is in line 1 already"),
        Refusal("[[t]]\n[t]\n", line: 2, column: 2, "which is in line 1 already"),
        Refusal("a = {b = 1, b = 2}\n", line: 1, column: 13, "which is in line 1 already"),
        Refusal("[a]\nb.c = 1\n[a.b]\n", line: 3, column: 4, "which is in line 2 already"),
        Refusal("a = {b = 1}\n[a.c]\n", line: 2, column: 2, "which is in line 1 already"),
        Refusal("[a.b]\n[a]\nb.c = 1\n", line: 3, column: 1, "which is in line 1 already"),
        Refusal("[[a]]\n[a.b]\nc = 1\n[[a]]\nb = 1\n[a.b]\n", line: 6, column: 4, "which is in line 5 already"),
        Refusal("[[a.b]]\n[a]\nb.c = 1\n", line: 3, column: 1, "which is in line 1 already"),
        Refusal("a = []\n[[a]]\n", line: 2, column: 3, "which is in line 1 already"),
        Refusal("[a.b.c]\n[a]\nb.d = 1\n[a.b]\n", line: 4, column: 4, "which is in line 1 already"),
        Refusal("a = 1\n[t]\nb = \n", line: 3, column: 5, "expected a value but found"),
        Refusal("a = [1\n", line: 2, column: 1, "expected `,` or `]`"),
        Refusal("a = \"x\nb = 1\n", line: 1, column: 7, "the closing quote"),
        Refusal("a = '''x\nb", line: 1, column: 5, "a closing quote"),
        Refusal("a = \"\\q\"\n", line: 1, column: 6, "expected one of the escapes"),
        Refusal("a = \"\\uD800\"\n", line: 1, column: 6, "expected one of the escapes"),
        Refusal("a = \"\"\"\\ x\"\"\"\n", line: 1, column: 8, "expected one of the escapes"),
        Refusal("a = 1 2\n", line: 1, column: 5, "expected a string"),
        Refusal("a = '1' 2\n", line: 1, column: 9, "the end of the line"),
        Refusal("a = 1 # c\u{1}\n", line: 1, column: 10, "control character"),
        Refusal("a = 1\rb = 2\n", line: 1, column: 6, "the end of the line"),
        Refusal("a\n", line: 1, column: 2, "expected `=`"),
        Refusal("= 1\n", line: 1, column: 1, "expected a name"),
        Refusal("[]\n", line: 1, column: 2, "expected a name"),
        Refusal("[ ]\n", line: 1, column: 3, "expected a name"),
        Refusal("a. = 1\n", line: 1, column: 4, "expected a name"),
        Refusal("\"\"\"a\"\"\" = 1\n", line: 1, column: 1, "expected a name"),
        Refusal("[a\nb = 1\n", line: 1, column: 3, "expected `]`"),
        Refusal("[[a]\n", line: 1, column: 4, "expected `]]`"),
        Refusal("a = {b = 1\n}\n", line: 1, column: 11, "in the same line"),
        Refusal("a = {b = 1,}\n", line: 1, column: 12, "expected a name"),
        Refusal("a = 9223372036854775808\n", line: 1, column: 5, "an integer outside that range"),
        Refusal("a = 0xFFFFFFFFFFFFFFFF\n", line: 1, column: 5, "an integer outside that range"),
        Refusal("a = 017\n", line: 1, column: 5, "something else"),
        Refusal("a = 1__0\n", line: 1, column: 5, "something else"),
        Refusal("a = .5\n", line: 1, column: 5, "something else"),
        Refusal("a = 1.\n", line: 1, column: 5, "something else"),
        Refusal("a = -0x1\n", line: 1, column: 5, "something else"),
        Refusal("a = 1\nb = 1e400\n", line: 2, column: 5, "a number outside that range"),
        Refusal("a = 12345678901234567890.0\n", line: 1, column: 5, "more digits"),
        Refusal("a = 2026-13-01\n", line: 1, column: 5, "something else"),
        Refusal("a = 25:00:00\n", line: 1, column: 5, "something else"),
        Refusal("a = \"\\u0000\"\n", line: 1, column: 6, "NUL"),
        Refusal("a = 1\u{0}\n", line: 1, column: 6, "a NUL byte"),
        Refusal("a = ~\n", line: 1, column: 5, "something else"),
        Refusal("a = null\n", line: 1, column: 5, "put a text in quotes"),
    ]

    @Test func `an error does not contain a value`() throws {
        for text in ["a = hunter2\n", "a = 99999999999999999999\n", "a = 'hunter2\n", "a = \"\\q hunter2\"\n"] {
            let error = try #require(throws: TextFileError.self) { try parse(text) }
            #expect(!error.description.contains("hunter2") && !error.description.contains("9999"), "\(error)")
        }
    }

    @Test func `the deepest text needs little stack`() async throws {
        let limit = PropertyListValue.maximumNesting
        let text = "a = " + String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        // Dispatch gives the threads of Apple systems 512 KiB.
        let table = await SmallStack.run { try? TOMLText().parse(Array(text.utf8)).members }
        #expect(table?.count == 1)
    }
}
