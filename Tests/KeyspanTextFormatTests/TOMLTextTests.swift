import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
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

    static let refusals =
        [
            ("a = 1\nb = 2\na = 3\n", 3, 1, "\"a\" again, which is in line 1 already"),
            ("a = 1\n\"a\" = 2\n", 2, 1, "which is in line 1 already"),
            ("a.b = 1\na.b = 2\n", 2, 3, "which is in line 1 already"),
            ("[t]\na = 1\n\n[t]\n", 4, 2, "which is in line 1 already"),
            ("t = 1\n[t]\na = 1\n", 2, 2, "which is in line 1 already"),
            ("[[t]]\n[t]\n", 2, 2, "which is in line 1 already"),
            ("a = {b = 1, b = 2}\n", 1, 13, "which is in line 1 already"),
            ("[a]\nb.c = 1\n[a.b]\n", 3, 4, "which is in line 2 already"),
            ("a = {b = 1}\n[a.c]\n", 2, 2, "which is in line 1 already"),
            ("[a.b]\n[a]\nb.c = 1\n", 3, 1, "which is in line 1 already"),
            ("[[a]]\n[a.b]\nc = 1\n[[a]]\nb = 1\n[a.b]\n", 6, 4, "which is in line 5 already"),
            ("[[a.b]]\n[a]\nb.c = 1\n", 3, 1, "which is in line 1 already"),
            ("a = []\n[[a]]\n", 2, 3, "which is in line 1 already"),
            ("[a.b.c]\n[a]\nb.d = 1\n[a.b]\n", 4, 4, "which is in line 1 already"),
            ("a = 1\n[t]\nb = \n", 3, 5, "expected a value but found"),
            ("a = [1\n", 2, 1, "expected `,` or `]`"),
            ("a = \"x\nb = 1\n", 1, 7, "the closing quote"),
            ("a = '''x\nb", 1, 5, "a closing quote"),
            ("a = \"\\q\"\n", 1, 6, "expected one of the escapes"),
            ("a = \"\\uD800\"\n", 1, 6, "expected one of the escapes"),
            ("a = \"\"\"\\ x\"\"\"\n", 1, 8, "expected one of the escapes"),
            ("a = 1 2\n", 1, 5, "expected a string"),
            ("a = '1' 2\n", 1, 9, "the end of the line"),
            ("a = 1 # c\u{1}\n", 1, 10, "control character"),
            ("a = 1\rb = 2\n", 1, 6, "the end of the line"),
            ("a\n", 1, 2, "expected `=`"),
            ("= 1\n", 1, 1, "expected a name"),
            ("[]\n", 1, 2, "expected a name"),
            ("[ ]\n", 1, 3, "expected a name"),
            ("a. = 1\n", 1, 4, "expected a name"),
            ("\"\"\"a\"\"\" = 1\n", 1, 1, "expected a name"),
            ("[a\nb = 1\n", 1, 3, "expected `]`"),
            ("[[a]\n", 1, 4, "expected `]]`"),
            ("a = {b = 1\n}\n", 1, 11, "in the same line"),
            ("a = {b = 1,}\n", 1, 12, "expected a name"),
            ("a = 9223372036854775808\n", 1, 5, "an integer outside that range"),
            ("a = 0xFFFFFFFFFFFFFFFF\n", 1, 5, "an integer outside that range"),
            ("a = 017\n", 1, 5, "something else"),
            ("a = 1__0\n", 1, 5, "something else"),
            ("a = .5\n", 1, 5, "something else"),
            ("a = 1.\n", 1, 5, "something else"),
            ("a = -0x1\n", 1, 5, "something else"),
            ("a = 1\nb = 1e400\n", 2, 5, "a number outside that range"),
            ("a = 12345678901234567890.0\n", 1, 5, "more digits"),
            ("a = 2026-13-01\n", 1, 5, "something else"),
            ("a = 25:00:00\n", 1, 5, "something else"),
            ("a = \"\\u0000\"\n", 1, 6, "NUL"),
            ("a = 1\u{0}\n", 1, 6, "a NUL byte"),
            ("a = ~\n", 1, 5, "something else"),
            ("a = null\n", 1, 5, "put a text in quotes"),
        ] as [(String, Int, Int?, String)]

    @Test(arguments: refusals)
    func `a text that is not TOML is refused at its place`(text: String, line: Int, column: Int?, clause: String) throws
    {
        let double = try FollowedFileDouble(.toml, text)
        let error = try #require(throws: FileStoreError.self) { _ = try double.open() }
        #expect(error.position?.line == line, "\(error)")
        if let column { #expect(error.position?.column == column, "\(error)") }
        #expect(error.description.contains(clause), "\(error)")
    }

    @Test func `an error does not contain a value`() throws {
        for text in ["a = hunter2\n", "a = 99999999999999999999\n", "a = 'hunter2\n", "a = \"\\q hunter2\"\n"] {
            let error = try #require(throws: TextFileError.self) { try parse(text) }
            #expect(!error.description.contains("hunter2") && !error.description.contains("9999"), "\(error)")
        }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes in [[0x61, 0x3D, 0x22, 0xFF, 0x22], [0xFF, 0xFE, 0x61, 0], [0, 0, 0, 0]] as [[UInt8]] {
            #expect(throws: TextFileError.self) { try TOMLText().parse(bytes) }
        }
    }

    @Test func `nesting ends at the limit of property lists`() throws {
        let limit = PropertyListValue.maximumNesting
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try parse("a = \(nested(limit))").count == 1)
        let error = try #require(throws: TextFileError.self) { try parse("a = \(nested(limit + 1))") }
        #expect(error.expected == "at most \(limit) nested collections")
        let deepKey = Array(repeating: "a", count: 200_000).joined(separator: ".")
        let key = Array(repeating: "a", count: limit).joined(separator: ".")
        for text in [
            "a = " + String(repeating: "[", count: 500_000), "a = " + String(repeating: "{a=", count: 200_000),
            "\(deepKey) = 1\n", "[\(deepKey)]\n", "[[\(deepKey)]]\n", "a = {\(deepKey) = 1}\n",
            "[\(key)]\n\(key) = 1\n",
            "b = @\n\(deepKey) = 1\n", "b = \"\n\(deepKey) = 1\n",
        ] {
            #expect(throws: TextFileError.self) { try parse(text) }
        }
    }

    @Test func `no beginning and no damaged byte of a text crashes the reader`() throws {
        let text = Array(
            "a = [1, 2.5, \"q\\n\"]\n[t.u]\nb = {c = '''x''', d.e = 1979-05-27T07:32:00Z}\n[[v]]\ne = \"\"\"m\n\"\"\"\n"
                .utf8
        )
        var refused = 0
        for end in text.indices {
            if (try? TOMLText().parse(Array(text[..<end]))) == nil { refused += 1 }
            for byte in [0, 0x09, 0x0A, 0x22, 0x23, 0x27, 0x2C, 0x2E, 0x3D, 0x5B, 0x5D, 0x7B, 0x7D, 0xFF] as [UInt8] {
                var damaged = text
                damaged[end] = byte
                if (try? TOMLText().parse(damaged)) == nil { refused += 1 }
            }
        }
        #expect(refused > text.count)
    }

    @Test func `the deepest text needs little stack`() async throws {
        let limit = PropertyListValue.maximumNesting
        let text = "a = " + String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        // Dispatch gives the threads of Apple systems 512 KiB.
        let table = await SmallStack.run { try? TOMLText().parse(Array(text.utf8)).members }
        #expect(table?.count == 1)
    }
}
