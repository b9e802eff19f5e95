import Foundation
import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct WriteRequestTests {
    @Test(
        arguments: [
            (["word"], "word"),
            (["two words"], "two words"),
            ([""], ""),
            (["-5"], "-5"),
            (["-string", "-"], "-"),
            (["-string", "--stdin"], "--stdin"),
            (["-.5"], "-.5"),
            (["5"], "5"),
            (["@\\U21a9"], "@\\U21a9"),
            (["http://example.com/?a=b"], "http://example.com/?a=b"),
            (["\"quoted text\""], "quoted text"),
            (["(a, b)"], ["a", "b"]),
            ([" {a = 1; b = \"two\";}"], ["a": "1", "b": "two"]),
            (["<0fbd77>"], .data(Data([0x0F, 0xBD, 0x77]))),
            (["[1, 2.0, true, \"x\"]"], [1, 2.0, true, "x"]),
            (["{\"a\": {\"b\": [1]}}"], ["a": ["b": [1]]]),
            (["{\"a\" = \"b\"; }"], ["a": "b"]),
            (["{\"$data\": \"AQI=\"}"], .data(Data([1, 2]))),
            (["<integer>7</integer>"], 7),
            (["<?xml version=\"1.0\"?><plist><array/></plist>"], []),
            (["-string", "-int"], "-int"),
            (["-string", "(a"], "(a"),
            (["-data", "0FbD77"], .data(Data([0x0F, 0xBD, 0x77]))),
            (["-data", ""], .data(Data())),
            (["-int", "-5"], -5),
            (["-integer", "18446744073709551615"], .integer(PropertyListInteger(UInt64.max))),
            (["-int", "-9223372036854775808"], .integer(PropertyListInteger(Int64.min))),
            (["-float", "-1"], -1.0),
            (["-float", "1e3"], 1000.0),
            (["-float", "-inf"], .real(-.infinity)),
            (["-bool", "YES"], true),
            (["-boolean", "False"], false),
            (["-bool", "1"], true),
            (["-date", "2001-01-01 00:00:01 +0000"], .date(Date(timeIntervalSinceReferenceDate: 1))),
            (["-array"], []),
            (["-array", "a", "b c", "-5"], ["a", "b c", "-5"]),
            (["-array", "-int", "1", "-string", "-x", "(y)"], [1, "-x", ["y"]]),
            (["-dict"], [:]),
            (["-dict", "k1", "v1", "k2", "-int", "2", "-3", "-float", "-0.5"], ["k1": "v1", "k2": 2, "-3": -0.5]),
            (["-dict", "k", "{\"a\": 1}"], ["k": ["a": 1]]),
        ] as [([String], PropertyListValue)]
    )
    func `reads a value`(words: [String], value: PropertyListValue) throws {
        #expect(try applied(WriteRequest(arguments: ["key"] + words), to: [:]) == ["key": value])
    }

    @Test func `reads what is to be added`() throws {
        #expect(
            try WriteRequest(arguments: ["--", "-int", "-int", "1"]) == .set(1, key: "-int")
                && WriteRequest(arguments: ["--", "--", "x"]) == .setText(.argument("x"), key: "--")
        )
        #expect(
            try WriteRequest(arguments: ["k", "-array-add", "a", "-int", "1"]) == .append(["a", 1], key: "k")
        )
        #expect(
            try WriteRequest(arguments: ["k", "-dict-add", "a", "-bool", "no"]) == .merge(["a": false], key: "k")
        )
    }

    @Test(
        arguments: [
            ("{a = 1; b = (2);}", ["a": "1", "b": ["2"]]),
            ("{}", [:]),
            ("{\"a\": 1}", ["a": 1]),
            ("{\"$data\": \"AQI=\"}", ["$data": "AQI="]),
            ("<dict><key>a</key><real>1</real></dict>", ["a": 1.0]),
        ] as [(String, PropertyListDictionary)]
    )
    func `reads a whole domain`(text: String, entries: PropertyListDictionary) throws {
        #expect(try WriteRequest(arguments: [text]) == .replace(entries))
    }

    @Test(arguments: [
        [], ["key"], ["(a)"], ["{a = 1"], ["-int", "5"], ["key", "-int"], ["key", "-int", "five"],
        ["key", "-int", "5.0"],
        ["key", "-int", "18446744073709551616"], ["key", "-int", " 5"], ["key", "-float", "1,5"],
        ["key", "-float", "1e999"], ["key", "-float", "1e-400"], ["key", "-float", "12345678901234567890.0"],
        ["key", "-float", "9007199254740993"], ["key", "[1e-400]"], ["key", "{\"a\": 12345678901234567890.0}"],
        ["key", "<plist><real>1e-400</real></plist>"], ["key", "-bool", "maybe"], ["key", "-bool", ""],
        ["key", "-data", "0fb"],
        ["key", "-data", "xyz"], ["key", "-date", "yesterday"], ["key", "-int", "5", "6"], ["key", "a", "b"],
        ["key", "-strin", "x"], ["key", "--string", "x"], ["key", "(a"], ["key", "[1,"], ["key", "{\"a\": }"],
        ["key", "<0g>"], ["key", "\"open"], ["key", "<dict>"], ["key", "-array", "-int"],
        ["key", "-array", "-array", "a"],
        ["key", "-array", "-x"], ["key", "-dict", "a"], ["key", "-dict", "-int", "5"],
        ["key", "-dict", "a", "b", "a", "c"],
        ["key", "-dict", "a", "-dict-add"], ["key", "-dict", "a", "b", "c"], ["key", "-", "x"],
        ["key", "--stdin", "-array"], ["key", "--stdin", "-int", "5"],
        ["-BuildVersion", "x"], ["--all", "x"], ["--"], ["--", "-k"],
    ])
    func `refuses anything else with the status for usage and a remedy`(words: [String]) {
        let error = #expect(throws: ToolError.self) { try applied(WriteRequest(arguments: words), to: [:]) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("; ") == true)
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test(
        arguments: [
            ("80", 5, 80), ("80", 0.5, 80.0), ("1e3", 0.5, 1000.0), ("yes", false, true), ("0", true, false),
            ("<integer>7</integer>", 5, 7), ("0FBD", .data(Data()), .data(Data([0x0F, 0xBD]))),
            ("<0fbd>", .data(Data()), .data(Data([0x0F, 0xBD]))),
            ("2001-01-01T00:00:01Z", .date(Date()), .date(Date(timeIntervalSinceReferenceDate: 1))),
            ("5", "old", "5"), ("(a", "old", "(a"), ("[1]", "old", "[1]"), ("\"quoted\"", "old", "quoted"),
            ("[1]", ["old"], [1]), ("{a = 1;}", [:], ["a": "1"]),
        ] as [(String, PropertyListValue, PropertyListValue)]
    )
    func `keeps the kind of the present value`(text: String, present: PropertyListValue, value: PropertyListValue)
        throws
    {
        #expect(try applied(WriteRequest(arguments: ["k", text]), to: ["k": present]) == ["k": value])
    }

    @Test(
        arguments: [
            ("1.5", 5, "an integer"), ("many", 5, "an integer"), ("1e999", 0.5, "a float"),
            ("perhaps", true, "a boolean"),
            ("soon", .date(Date()), "a date"), ("xyz", .data(Data()), "a value of data"), ("zzz", ["old"], "an array"),
            ("[1]", ["a": 1], "a dictionary"),
        ] as [(String, PropertyListValue, String)]
    )
    func `refuses a text of another kind than the present value`(
        text: String,
        present: PropertyListValue,
        kind: String
    ) throws {
        for request in [try WriteRequest(arguments: ["k", text]), try WriteRequest(arguments: ["k", "-"]) { text }] {
            let error = #expect(throws: ToolError.self) { try applied(request, to: ["k": present]) }
            #expect(error?.status == .failure)
            #expect(error?.message.contains("The key \"k\" has \(kind)") == true)
            #expect(error?.message.contains("-string") == true)
            #expect(error?.message.contains(text) == false)
        }
        #expect(
            try applied(WriteRequest(arguments: ["k", "-string", text]), to: ["k": present]) == ["k": .string(text)]
        )
    }

    @Test(
        arguments: [
            (["-"], "(secret", nil, "(secret"), (["--stdin"], "\"a\"", nil, "\"a\""), (["--stdin"], "5", 1, 5),
            (["--stdin", "-string"], "5", 1, "5"), (["-", "-int"], "5", nil, 5), (["-"], "[1]", [], [1]),
            (["-"], "\"a\"", "old", "\"a\""), (["--stdin", "-bool"], "no", "old", false),
        ] as [([String], String, PropertyListValue?, PropertyListValue)]
    )
    func `reads a value from standard input`(
        words: [String],
        input: String,
        present: PropertyListValue?,
        value: PropertyListValue
    ) throws {
        let request = try WriteRequest(arguments: ["k"] + words) { input }
        let table = present.map { PropertyListTable(["k": $0]) } ?? [:]
        #expect(try applied(request, to: table) == ["k": value])
    }

    @Test(arguments: [
        ["{s3cret"], ["(s3cret"], ["[s3cret"], ["\"s3cret"], ["<s3cret>"], ["<string>s3cret"], ["{\"a\": \"s3cret\", "],
        ["{a = s3cret;"], ["{\"$hidden\": s3cret}"], ["<s3cret>", "x"], ["s3cret", "s3cret"], ["-s3cret"], ["--s3cret"],
        ["-int", "s3cret"], ["-float", "s3cret"], ["-bool", "s3cret"], ["-date", "s3cret"], ["-data", "s3cret"],
        ["-array", "(s3cret"], ["-array", "-s3cret"], ["-array-add", "-int", "s3cret"],
        ["-dict", "a", "-int", "s3cret"],
        ["-dict", "a", "b", "s3cret"], ["-dict", "s3cret", "a", "s3cret", "b"], ["-dict-add", "a", "{s3cret"],
        ["-string", "a", "s3cret"], ["-", "s3cret"], ["--stdin", "-int", "s3cret"],
    ])
    func `repeats no value in an error`(words: [String]) {
        for arguments in [["k"] + words] + (words.count == 1 ? [words] : []) {
            let error = #expect(throws: ToolError.self) {
                _ = try applied(WriteRequest(arguments: arguments) { "" }, to: [:])
                // A single word can be a key, which is missing its value.
                throw ToolError.usage("")
            }
            let words = error?.message.replacing(#"Unknown option "\#(words[0])""#, with: "")
            #expect(words?.contains("s3cret") == false, "\(arguments)")
        }
    }

    @Test(arguments: [["--stdin", "-int"], ["-", "-date"]])
    func `does not repeat standard input in an error`(words: [String]) {
        let error = #expect(throws: ToolError.self) { try WriteRequest(arguments: ["k"] + words) { "s3cret" } }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test func `reports the kept kind only if it has decided`() throws {
        #expect(try notice(for: "80", replacing: 5)?.contains("an integer") == true)
        #expect(try notice(for: "(a", replacing: "old")?.contains("a string") == true)
        #expect(try notice(for: "new", replacing: "old") == nil)
        #expect(try notice(for: "(a)", replacing: ["old"]) == nil)
    }

    @Test(arguments: [
        ("80", "-int"), ("-5", "-int"), ("18446744073709551615", "-int"), ("0.5", "-float"), ("1e9", "-float"),
        ("true", "-bool"), ("false", "-bool"), ("null", "`keyspan delete`"), ("yes", nil), ("inf", nil),
        ("1.10.2", nil),
        ("word", nil), ("\"80\"", nil), ("(80)", nil), ("", nil),
    ])
    func `reports a new string that looks like another kind`(text: String, remedy: String?) throws {
        let notice = try notice(for: text, replacing: nil)
        #expect((notice == nil) == (remedy == nil))
        if let remedy { #expect(notice?.contains("is stored as a string; \(remedy)") == true) }
        #expect(try UntypedText.input(text).value(replacing: nil, ofKey: "k").notice == nil)
    }

    private func notice(for text: String, replacing present: PropertyListValue?) throws -> String? {
        try UntypedText.argument(text).value(replacing: present, ofKey: "k").notice
    }

    @Test func `adds to what is there`() throws {
        #expect(try applied(.append(["b"], key: "k"), to: ["k": ["a"]]) == ["k": ["a", "b"]])
        #expect(try applied(.append(["b"], key: "k"), to: [:]) == ["k": ["b"]])
        #expect(
            try applied(.merge(["a": 2, "b": 3], key: "k"), to: ["k": ["a": 1, "z": 0]]) == [
                "k": ["a": 2, "b": 3, "z": 0]
            ]
        )
        #expect(try applied(.merge([:], key: "k"), to: [:]) == ["k": [:]])
        #expect(try applied(.replace(["n": 1]), to: ["k": 1]) == ["n": 1])
    }

    @Test(arguments: [.append(["b"], key: "k"), .merge([:], key: "k")] as [WriteRequest])
    func `adds to no value of another kind`(request: WriteRequest) {
        let error = #expect(throws: ToolError.self) { try applied(request, to: ["k": "text"]) }
        #expect(error?.status == .failure)
        #expect(error?.message.contains("string") == true)
    }

    private func applied(_ request: WriteRequest, to table: PropertyListTable) throws -> PropertyListTable {
        let store = InMemoryStore(table)
        var batch = PropertyListBatch()
        try request.add(to: &batch, on: table)
        try store.apply(batch)
        return store.snapshot()
    }
}

@Suite struct WordSearchTests {
    @Test(arguments: [
        ("Window-Size", true), ("nested value", true), ("DEEP", true), ("42", true), ("1.5", true), ("theme", false),
        ("true", false),
    ])
    func `looks at keys and values of every depth, whatever their case`(word: String, isFound: Bool) {
        let value: PropertyListValue = ["Deep": ["a Nested Value", 42, 1.5, true]]
        #expect(WordSearch(word).matches(key: "window-size", value: value) == isFound)
    }
}

@Suite struct TerminalStyleTests {
    @Test(arguments: [
        ([:], true), (["TERM": "xterm"], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false),
        (["TERM": "dumb"], false), (["NO_COLOR": "0", "TERM": "xterm"], false),
    ])
    func `asks the environment whether colors are wanted`(environment: [String: String], areWanted: Bool) {
        #expect(TerminalStyle.areWanted(in: environment) == areWanted)
    }

    @Test func `colors keys, and nothing without colors`() {
        let writer = OldStyleWriter(style: TerminalStyle(hasColors: true))
        #expect(writer.text(of: ["k": 1]) == "{\n    \u{1B}[36mk\u{1B}[0m = 1;\n}")
        #expect(TerminalStyle.plain.key("k") == "k")
    }
}
