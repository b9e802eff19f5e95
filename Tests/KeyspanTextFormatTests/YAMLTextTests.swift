#if YAML
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

@_spi(StoreAuthors) @testable import KeyspanYAML

/// What YAML texts stand for, and which are refused.
@Suite
struct YAMLTextTests {
    private func parse(_ text: String) throws -> PropertyListTable {
        try YAMLText().parse(Array(text.utf8)).members
    }

    @Test(
        arguments: [
            ("true", true), ("True", true), ("FALSE", false), ("no", "no"), ("yes", "yes"), ("on", "on"),
            ("tRUE", "tRUE"),
            ("17", 17), ("-5", -5), ("+5", 5), ("017", 17), ("0o17", 15), ("0xfF", 255), ("0b11", "0b11"),
            ("1_000", "1_000"),
            ("1:30", "1:30"), ("0o", "0o"), ("0x", "0x"), ("0o8", "0o8"), ("-0", 0), ("0x+1", "0x+1"),
            ("-9223372036854775808", .integer(PropertyListInteger(Int64.min))),
            ("18446744073709551615", .integer(PropertyListInteger(UInt64.max))),
            ("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("-1.5E-3", -0.0015), ("00.5", 0.5), ("1.0", 1.0),
            (".inf", .real(.infinity)), ("-.INF", .real(-.infinity)), (".NaN", .real(.nan)), ("inf", "inf"),
            ("+.nan", "+.nan"),
            ("1.2.3", "1.2.3"), ("1e", "1e"), (".", "."), ("+", "+"),
            ("\"17\"", "17"), ("'no'", "no"), ("\"a\\tb\\x41\\u00e9\"", "a\tbAé"), ("'it''s'", "it's"),
            ("2026-11-21T10:50:00Z", "2026-11-21T10:50:00Z"), ("2026-11-21", "2026-11-21"),
            ("|\n  a\n  b\n", "a\nb\n"), (">-\n  a\n  b\n", "a b"), ("a\n  b", "a b"),
            ("!!str 17", "17"), ("!!str", ""), ("! 17", "17"), ("!!int \"17\"", 17), ("!!float 1", 1.0),
            ("!!bool 'true'", true),
            ("!!binary aGk=", .data(Data("hi".utf8))), ("!!binary |\n  aG\n  k=\n", .data(Data("hi".utf8))),
            ("!!timestamp 2001-01-01T00:00:05Z", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("{$date: \"2001-01-01T00:00:05Z\"}", .date(Date(timeIntervalSinceReferenceDate: 5))),
            ("{$dictionary: {$data: aGk=}}", ["$data": "aGk="]),
            ("[1, [a, {b: c}]]", [1, ["a", ["b": "c"]]]), ("!!seq []", []), ("!!map {}", [:]),
            ("{a: ~, b: 1}", ["b": 1]),
            // Plain texts in brackets and braces by YAML 1.2.
            ("{\"x\":1, y: a:b, 'z' :2}", ["x": 1, "y": "a:b", "z": 2]), ("[a?, -1, -x, a-]", ["a?", -1, "-x", "a-"]),
            ("[\n  1,\n  \t2 # two\n]", [1, 2]), ("?x", "?x"), (":x", ":x"),
            // The last line counts as ended.
            ("|+\n  x\n ", "x\n\n"), (">\n\n   \n   x", "\n\nx\n"),
        ] as [(String, PropertyListValue)]
    )
    func `a node has its value by the core schema`(_ text: String, _ value: PropertyListValue) throws {
        #expect(try parse("a: \(text)\n") == ["a": value])
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "--- # nothing\n...\n", "{}", "\u{FEFF}", "%YAML 1.2\n---\n"])
    func `a text without a node has no members`(_ text: String) throws {
        #expect(try parse(text).isEmpty)
    }

    @Test func `null makes a member absent, and its name is taken`() throws {
        #expect(try parse("a:\nb: ~\nc: null\nd: 1\n") == ["d": 1])
        #expect(throws: TextFileError.self) { try parse("a:\na: 1\n") }
    }

    @Test func `aliases stand for the last node of their name, with its lines`() throws {
        let text = """
            first: &a {port: 1}
            second: *a
            third: &a [&b x, *b]
            fourth: *a
            &c name: *c
            """
        let parsed = try YAMLText().parse(Array(text.utf8))
        #expect(
            parsed.members == [
                "first": ["port": 1], "second": ["port": 1], "third": ["x", "x"], "fourth": ["x", "x"], "name": "name",
            ]
        )
        let double = try FollowedFileDouble(.yaml, text)
        let store = try double.open(keys: ["first.port", "second.port"], unknownNames: .areIgnored)
        #expect(store.provenance(forKey: "second.port")?.description == "\(double.path):1")
    }

    static let refusals = [
        Refusal("a: 1\nb: 2\na: 3\n", line: 3, column: 1, "\"a\" again, which is in line 1 already"),
        Refusal("a:\n  x: 1\n  'x': 3\n", line: 3, column: 3, "which is in line 2 already"),
        Refusal("a: 1\n---\nb: 2\n", line: 2, column: 1, "expected one document"),
        Refusal("a: 1\n...\n---\n", line: 3, "expected one document"),
        Refusal("- a\n", line: 1, column: 1, "expected a mapping at the top level but found a sequence"),
        Refusal("text\n", line: 1, column: 1, "found a scalar"),
        Refusal("~\n", line: 1, column: 1, "found a scalar"),
        Refusal("8080: web\n", line: 1, column: 1, "found a number in line 1, column 1"),
        Refusal("a:\n  true: 1\n", line: 2, column: 3, "found a boolean"),
        Refusal("~: 1\n", line: 1, "found a null"),
        Refusal("? [a, b]\n: 1\n", line: 1, column: 3, "found a sequence"),
        Refusal("? {a: b}\n: 1\n", line: 1, column: 3, "found a mapping"),
        Refusal("a: &a x\n*a : 1\n", line: 2, column: 1, "found an alias"),
        Refusal("a: &a {b: 1}\nc:\n  <<: *a\n", line: 3, column: 3, "a merge key"),
        Refusal("a: *b\n", line: 1, column: 4, "without such a node"),
        Refusal("a: &a [*a]\n", line: 1, column: 8, "the node that it is in"),
        Refusal("a: !custom x\n", line: 1, column: 4, "expected one of the tags"),
        Refusal("a: !!set {x}\n", line: 1, column: 4, "expected one of the tags"),
        Refusal("a: !!python/object:os.system x\n", line: 1, "expected one of the tags"),
        Refusal("!!binary aGk=: x\n", line: 1, "expected one of the tags"),
        Refusal("a: !!int x\n", line: 1, column: 4, "the type that its tag names"),
        Refusal("a: !!binary \"%\"\n", line: 1, "expected Base64"),
        Refusal("a: !!timestamp soon\n", line: 1, "RFC 3339"),
        Refusal("a: [1, ~]\n", line: 1, column: 8, "found a null"),
        Refusal("a: 18446744073709551616\n", line: 1, column: 4, "an integer outside that range"),
        Refusal("a: -9223372036854775809\n", line: 1, "an integer outside that range"),
        Refusal("a: 0xFFFFFFFFFFFFFFFFF\n", line: 1, "an integer outside that range"),
        Refusal("a: 1e400\n", line: 1, column: 4, "a number outside that range"),
        Refusal("a: 12345678901234567890.0\n", line: 1, "more digits"),
        Refusal("a: 1\n\tb: 2\n", line: 2, "expected YAML"),
        Refusal("a: b: c\n", line: 1, column: 5, "mapping values are not allowed"),
        Refusal("a: [1\nb: 2\n", line: 2, "expected YAML"),
        Refusal("a: \"x\n", line: 2, "expected YAML"),
        Refusal("a: 1\n# ü\u{2028}b: 1\n", line: 2, column: 4, "U+2028"),
        Refusal("a: 'x\u{2029}y'\n", line: 1, column: 6, "U+2029"),
        Refusal("a: x\u{85}y\n", line: 1, column: 5, "U+0085"),
        Refusal((0..<65).map { "%TAG !\($0)! x\n" }.joined() + "---\na: 1\n", line: 65, column: 1, "%TAG"),
        // The parser reads these in another way than YAML 1.2.
        Refusal("a: {?b: 5}\n", line: 1, column: 6, "`?` without a space"),
        Refusal("a: &b:c d\n", line: 1, column: 6, "the name of an anchor without a space"),
        Refusal("a: &b 1\nc: [*b:d]\n", line: 2, column: 7, "the name of an anchor without a space"),
        Refusal("a: [:8080]\n", line: 1, column: 6, "`:` without a space"),
        Refusal("a: [-]\n", line: 1, column: 5, "`-` alone"),
        Refusal("a: [b,\nc]\n", line: 2, column: 1, "a line that is not indented"),
        Refusal("a:\n  b: [c,\n\td]\n", line: 3, column: 2, "a line that is not indented"),
        Refusal("a: [b\nc]\n", line: 2, column: 1, "a line that is not indented"),
        Refusal("a: \"b\nc\"\n", line: 2, column: 1, "a line that is not indented"),
        Refusal("a: \"b\n\tc\"\n", line: 2, column: 2, "a line that is not indented"),
        Refusal("a: \"b\"# c\n", line: 1, column: 7, "a comment without a space"),
        Refusal("a: [b,#c\n  d]\n", line: 1, column: 7, "a comment without a space"),
        Refusal("a: ># b\n  c\n", line: 1, column: 5, "a comment without a space"),
        Refusal("a:\n|\n  b\n", line: 2, column: 1, "a line that is not indented"),
        Refusal("a: >\n    \n  b\n", line: 3, column: 3, "fewer spaces than an empty one"),
        Refusal("%YAML 1.1#a\n---\nb: 1\n", line: 1, column: 10, "the version without a space"),
        Refusal("a: 1\n\u{FEFF}b: 2\n", line: 2, column: 1, "a byte-order mark"),
        Refusal("a: \u{1}\n", line: 1, column: 4, "control characters"),
        Refusal("a: \0\n", line: 1, column: 4, "a NUL byte"),
        Refusal("ü: 1\nü: 2\n", line: 2, column: 1, "which is in line 1 already"),
    ]

    /// Each level has nine aliases of the level before.
    private func bomb(_ levels: Int, _ node: (String) -> String) -> String {
        var text = "l0: &l0 [\(Array(repeating: "lol", count: 9).joined(separator: ", "))]\n"
        for level in 1...levels { text += "l\(level): &l\(level) " + node("*l\(level - 1)") + "\n" }
        return text
    }

    @Test func `aliases of aliases end at the limit`() throws {
        let nine = { (alias: String) in "[\(Array(repeating: alias, count: 9).joined(separator: ", "))]" }
        #expect(try parse(bomb(3, nine)).count == 4)
        let error = try #require(throws: TextFileError.self) { try parse(bomb(60, nine)) }
        #expect(error.expected == "aliases that stand for at most 4 MiB")
        let long =
            "a: &a \(String(repeating: "x", count: 500_000))\nb: [\(Array(repeating: "*a", count: 10_000).joined(separator: ","))]"
        #expect(throws: TextFileError.self) { try parse(long) }
    }

    @Test func `a mapping key of nested aliases is refused at once`() throws {
        let text = bomb(5) { "[\($0), \($0)]" } + "k:\n  ? *l5\n  : 1\n"
        let error = try #require(throws: TextFileError.self) { try parse(text) }
        #expect(error.found == "an alias")
    }

}
#endif
