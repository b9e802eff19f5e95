import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// `kept` and its subcommands, as a user runs them.
@Suite(.heavy) struct KeptTests {
    private let sandbox: Sandbox

    /// Values that a program with other types has replaced, as the library stores them.
    private static let text = """
        {
          "account": "{}",
          "keyspan.kept": {
            "account": [
              {"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"account": "first"}},
              {"date": {"$date": "2026-11-22T10:50:00.25Z"}, "entries": {"account": [1, "two words"]}}
            ],
            "window": [
              {
                "absent": ["window.title"],
                "date": {"$date": "2026-11-21T10:50:00Z"},
                "entries": {"window.height": 2, "window.width": "wide"}
              }
            ]
          }
        }

        """

    private static let first = "account  2026-11-21T10:50:00.000Z  first\n"
    private static let second = "account  2026-11-22T10:50:00.250Z  (1, \"two words\")\n"
    private static let accountLines = first + second
    private static let windowLine =
        "window  2026-11-21T10:50:00.000Z  \"window.height\" = 2; \"window.width\" = wide;\n"

    init() throws {
        sandbox = try Sandbox(["app": Self.text])
    }

    @Test(arguments: [
        ("app", accountLines + windowLine), ("list app", accountLines + windowLine), ("app account", accountLines),
        ("app window", windowLine),
    ])
    func `lists what is kept`(words: String, output: String) throws {
        try sandbox.expect("kept \(words)", output)
        #expect(try sandbox.text(ofDomain: "app") == Self.text)
    }

    @Test func `lists it exactly as JSON`() throws {
        let output = try sandbox.run("kept app window --format json").output
        #expect(
            try JSONText.parse(Array(output.utf8)) == [
                [
                    "key": "window", "id": "2026-11-21T10:50:00.000Z",
                    "date": .date(try Date("2026-11-21T10:50:00Z", strategy: .iso8601)),
                    "entries": ["window.height": 2, "window.width": "wide"], "absent": ["window.title"],
                ]
            ]
        )
        #expect(try sandbox.run("kept app --format plist").output.hasPrefix("<?xml"))
    }

    @Test func `names the values of two keys apart whose names only look alike`() throws {
        let keys = ["\u{E9}", "e\u{301}"]
        let lists = keys.map { key in
            #""\#(key)": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"\#(key)": 1}}]"#
        }
        try sandbox.write(#"{"keyspan.kept": {\#(lists.joined(separator: ","))}}"#, toDomain: "alike")
        #expect(
            try sandbox.run("kept alike").output.split(separator: "\n").allSatisfy {
                $0.hasSuffix("  2026-11-21T10:50:00.000Z  1")
            }
        )
        for key in keys { try sandbox.expect("kept restore alike \(key) --value 2026-11-21T10:50:00.000Z") }
    }

    @Test(arguments: [
        "write app keyspan.kept -int 1", "set app keyspan.kept x", "write app keyspan.kept -dict-add account x",
        "rename app keyspan.kept mine", "rename app account keyspan.migrations",
        "incr app keyspan.migrations", "write app keyspan.kept.account x",
    ])
    func `refuses to write the entry like a key`(words: String) throws {
        let outcome = try sandbox.run(words)
        #expect(
            outcome.status == 2 && outcome.error.contains("the library itself uses the entry \"keyspan."),
            "\(outcome)"
        )
        #expect(try sandbox.text(ofDomain: "app") == Self.text)
    }

    @Test func `a damaged record can be deleted`() throws {
        try sandbox.write(#"{"keyspan.migrations": 5, "a": 1}"#, toDomain: "app")
        try sandbox.expect("delete app keyspan.migrations")
        try sandbox.expect("kept app")
        try sandbox.refuse("read app keyspan.migrations", status: 3)
        try sandbox.expect("read app a", "1\n")
    }

    @Test func `prints nothing for a domain that keeps nothing`() throws {
        try sandbox.write(#"{"account": 1}"#, toDomain: "app")
        try sandbox.expect("kept app")
        try sandbox.expect("kept app --format json", "[]\n")
    }

    @Test(arguments: [("", "(\n    1,\n    \"two words\"\n)\n"), (" --value 2026-11-21T10:50:00.000Z", "first\n")])
    func `restores a value and keeps what was there`(options: String, output: String) throws {
        try sandbox.expect("kept restore app account\(options)")
        try sandbox.expect("read app account", output)
        let lines = try sandbox.run("kept app account").output.split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.hasSuffix("  \"{}\"") == true)
        try sandbox.expect("kept app window", Self.windowLine)
    }

    @Test func `restores all entries of a value together`() throws {
        try sandbox.expect("write app window.title now")
        try sandbox.expect("kept restore app window")
        try sandbox.expect("read app window.width", "wide\n")
        try sandbox.expect("read app window.height", "2\n")
        try sandbox.refuse("read app window.title", status: 3)
        try sandbox.expect("kept app account", Self.accountLines)
        #expect(try sandbox.run("kept app window").output.hasSuffix("  \"window.title\" = now;\n"))
    }

    @Test func `refuses a value of which it does not know all entries`() throws {
        let earlier = Self.text.replacing("\"absent\"", with: "\"other\"")
        try sandbox.write(earlier, toDomain: "app")
        try sandbox.refuse("kept restore app window", "\"window\"", "restore(_:for:)")
        #expect(try sandbox.text(ofDomain: "app") == earlier)
    }

    /// Lets a program replace the value of a key in a domain.
    private func replace(_ key: Defaults.Key<[Int]>, by value: [Int], in domain: String) throws {
        let path = sandbox.folder.path("keyspan/\(domain).json")
        let defaults = Defaults(try JSONFileStore(path: path, keys: [key]))
        defaults[key] = value
        try defaults.synchronize()
    }

    @Test func `puts a nested value back where it was`() throws {
        try sandbox.write("{\n  \"tls\": {\n    \"port\": \"none\"\n  }\n}\n", toDomain: "app")
        try replace(Defaults.Key("tls.port", default: []), by: [1], in: "app")
        try sandbox.expect("kept restore app tls.port")
        try sandbox.expect("get app tls.port", "none\n")
        #expect(try sandbox.text(ofDomain: "app").contains("\"tls\": {\n    \"port\": \"none\"\n  }"))
        // The value of the program is kept in turn.
        try sandbox.expect("kept restore app tls.port")
        try sandbox.expect("get app tls.port --output json", "[\n  1\n]\n")
    }

    @Test(arguments: ["text", "json", "plist"])
    func `lists and restores a value of the deepest nesting`(format: String) throws {
        let deep = (1..<PropertyListValue.maximumNesting).reduce(PropertyListValue.array([])) { value, _ in [value] }
        let path = sandbox.folder.path("keyspan/deep.json")
        do {
            let store = try JSONFileStore(path: path)
            try store.apply(PropertyListBatch(.set(deep, key: "account")))
            try store.synchronize()
        }
        try replace(Defaults.Key("account", default: []), by: [3], in: "deep")
        let run = try sandbox.run("kept deep --format \(format)")
        #expect(run.status == 0 && run.output.contains("account"))
        try sandbox.expect("kept restore deep account")
        #expect(try JSONFileStore(path: path).value(forKey: "account") == deep)
    }

    @Test(arguments: [
        ("account --value 2026-11-21T10:50:00.000Z", second + windowLine),
        ("account --value 2026-11-22T10:50:00.250Z", first + windowLine), ("account --all", windowLine),
        ("window", accountLines), ("--all", ""),
    ])
    func `discards a value, or all of a key`(words: String, output: String) throws {
        try sandbox.expect("kept discard app \(words)")
        try sandbox.expect("kept app", output)
        try sandbox.expect("read app account", "{}\n")
    }

    @Test(arguments: [
        ("nope", "does not exist", 3), ("app nope", "`keyspan kept app`", 3), ("restore app nope", "nope", 3),
        ("discard app nope", "nope", 3), ("restore nope account", "nope", 3),
        ("restore app account --value 3", "`keyspan kept app account` lists", 3),
        ("restore app account --value 2026-11-21T10:50:00Z", "no value \"2026-11-21T10:50:00Z\"", 3),
        ("discard app window --value 2026-11-22T10:50:00.250Z", "`keyspan kept app window` lists", 3),
        ("discard app account", "--value", 64),
    ])
    func `says in one sentence what does not exist`(words: String, hint: String, status: Int32) throws {
        try sandbox.refuse("kept \(words)", hint, status: status)
        #expect(try sandbox.text(ofDomain: "app") == Self.text)
        #expect(try sandbox.folder.names == ["keyspan"])
    }

    @Test func `is a part of what the domain's other readers see`() throws {
        let list = try sandbox.run("read app").output
        #expect(list.contains("\"keyspan.kept\" ="))
        try sandbox.expect("import copy -", input: sandbox.run("export app -").output)
        try sandbox.expect("kept copy window", Self.windowLine)
    }
}
