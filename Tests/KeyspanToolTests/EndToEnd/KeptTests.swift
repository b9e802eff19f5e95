import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

/// `kept` and its subcommands, as a user runs them.
@Suite struct KeptTests {
    private let sandbox: Sandbox

    /// Values that a program with other types has replaced, as the library stores them.
    private static let text = """
        {
          "account": "{}",
          "keyspan.kept": {
            "account": [
              {
                "date": {"$date": "2026-11-21T10:50:00Z"},
                "entries": {
                  "account": "first"
                }
              },
              {
                "date": {"$date": "2026-11-22T10:50:00.25Z"},
                "entries": {
                  "account": [
                    1,
                    "two words"
                  ]
                }
              }
            ],
            "window": [
              {
                "absent": [
                  "window.title"
                ],
                "date": {"$date": "2026-11-21T10:50:00Z"},
                "entries": {
                  "window.height": 2,
                  "window.width": "wide"
                }
              }
            ]
          }
        }

        """

    private static let accountLines = """
        account  1  2026-11-21 10:50:00 +0000  first
        account  2  2026-11-22 10:50:00 +0000  (1, "two words")

        """

    private static let windowLine =
        "window  1  2026-11-21 10:50:00 +0000  \"window.height\" = 2; \"window.width\" = wide;\n"

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(Self.text, toDomain: "app")
    }

    @Test(arguments: [
        (["app"], accountLines + windowLine), (["list", "app"], accountLines + windowLine),
        (["app", "account"], accountLines), (["app", "window"], windowLine),
    ])
    func `lists what is kept`(arguments: [String], output: String) throws {
        let result = try sandbox.run(["kept"] + arguments)
        #expect(result.output == output)
        #expect(result.error.isEmpty)
        #expect(result.status == 0)
        #expect(try sandbox.text(ofDomain: "app") == Self.text)
    }

    @Test func `lists it exactly as JSON`() throws {
        let result = try sandbox.run("kept", "app", "window", "--format", "json")
        #expect(
            try JSONText.parse(Array(result.output.utf8)) == [
                [
                    "key": "window", "number": 1, "date": .date(try Date("2026-11-21T10:50:00Z", strategy: .iso8601)),
                    "entries": ["window.height": 2, "window.width": "wide"], "absent": ["window.title"],
                ]
            ]
        )
        #expect(try sandbox.run("kept", "app", "--format", "plist").output.hasPrefix("<?xml"))
    }

    @Test func `numbers the values of two keys apart whose names only look alike`() throws {
        let lists = ["\u{E9}", "e\u{301}"].map { key in
            #""\#(key)": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"\#(key)": 1}}]"#
        }
        try sandbox.write(#"{"keyspan.kept": {\#(lists.joined(separator: ","))}}"#, toDomain: "alike")
        #expect(try sandbox.run("kept", "alike").output.split(separator: "\n").allSatisfy { $0.contains("  1  2026") })
        for key in ["\u{E9}", "e\u{301}"] {
            #expect(try sandbox.run("kept", "restore", "alike", key, "--number", "1").status == 0)
        }
    }

    @Test func `prints nothing for a domain that keeps nothing`() throws {
        try sandbox.write(#"{"account": 1}"#, toDomain: "app")
        let result = try sandbox.run("kept", "app")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.run("kept", "app", "--format", "json").output == "[]\n")
    }

    @Test(arguments: [([], "(\n    1,\n    \"two words\"\n)\n"), (["--number", "1"], "first\n")])
    func `restores a value and keeps what was there`(options: [String], output: String) throws {
        let result = try sandbox.run(["kept", "restore", "app", "account"] + options)
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.run("read", "app", "account").output == output)
        let lines = try sandbox.run("kept", "app", "account").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasSuffix("  \"{}\"") == true)
        #expect(try sandbox.run("kept", "app", "window").output == Self.windowLine)
    }

    @Test func `restores all entries of a value together`() throws {
        #expect(try sandbox.run("write", "app", "window.title", "now").status == 0)
        #expect(try sandbox.run("kept", "restore", "app", "window").status == 0)
        #expect(try sandbox.run("read", "app", "window.width").output == "wide\n")
        #expect(try sandbox.run("read", "app", "window.height").output == "2\n")
        #expect(try sandbox.run("read", "app", "window.title").status == 1)
        #expect(try sandbox.run("kept", "app", "account").output == Self.accountLines)
        #expect(try sandbox.run("kept", "app", "window").output.hasSuffix("  \"window.title\" = now;\n"))
    }

    @Test func `refuses a value of which it does not know all entries`() throws {
        let earlier = Self.text.replacing("\"absent\"", with: "\"other\"")
        try sandbox.write(earlier, toDomain: "app")
        let result = try sandbox.run("kept", "restore", "app", "window")
        #expect(result.status == 1)
        #expect(result.error.contains("\"window\"") && result.error.contains("restore(_:for:)"), "\(result.error)")
        #expect(try sandbox.text(ofDomain: "app") == earlier)
    }

    @Test func `puts back what a program replaced`() throws {
        let store = try JSONFileStore(path: sandbox.folder.path("keyspan/app.json"))
        let defaults = Defaults(store)
        defaults[Defaults.Key<[Int]>("account", default: [])] = [3]
        try defaults.synchronize()
        #expect(try sandbox.run("kept", "restore", "app", "account").status == 0)
        #expect(try sandbox.run("read", "app", "account").output == "{}\n")
    }

    @Test func `puts a nested value back where it was`() throws {
        let text = "{\n  \"tls\": {\n    \"port\": \"none\"\n  }\n}\n"
        try sandbox.write(text, toDomain: "app")
        let port = Defaults.Key<[Int]>("tls.port", default: [])
        do {
            let defaults = Defaults(try JSONFileStore(path: sandbox.folder.path("keyspan/app.json"), keys: [port]))
            defaults[port] = [1]
            try defaults.synchronize()
        }
        #expect(try sandbox.run("kept", "restore", "app", "tls.port").status == 0)
        #expect(try sandbox.run("get", "app", "tls.port").output == "none\n")
        #expect(try sandbox.text(ofDomain: "app").contains("\"tls\": {\n    \"port\": \"none\"\n  }"))
        // What the program had written is kept in turn.
        #expect(try sandbox.run("kept", "restore", "app", "tls.port").status == 0)
        #expect(try sandbox.run("get", "app", "tls.port", "--output", "json").output == "[\n  1\n]\n")
    }

    @Test(arguments: ["text", "json", "plist"])
    func `lists and restores a value of the deepest nesting`(format: String) throws {
        let deep = (1..<PropertyListValue.maximumNesting).reduce(PropertyListValue.array([])) { value, _ in [value] }
        let path = sandbox.folder.path("keyspan/deep.json")
        do {
            let store = try JSONFileStore(path: path)
            try store.apply(PropertyListBatch(.set(deep, key: "account")))
            try Defaults(store).set([3], for: Defaults.Key<[Int]>("account", default: []))
            try store.synchronize()
        }
        let result = try sandbox.run("kept", "deep", "--format", format)
        #expect(result.status == 0)
        #expect(result.output.contains("account"))
        #expect(try sandbox.run("kept", "restore", "deep", "account").status == 0)
        #expect(try JSONFileStore(path: path).value(forKey: "account") == deep)
    }

    @Test(arguments: [
        (["account", "--number", "1"], "account  1  2026-11-22 10:50:00 +0000  (1, \"two words\")\n" + windowLine),
        (["account", "--number", "2"], "account  1  2026-11-21 10:50:00 +0000  first\n" + windowLine),
        (["account", "--all"], windowLine),
        (["window"], accountLines),
    ])
    func `discards a value, or all of a key`(arguments: [String], output: String) throws {
        let result = try sandbox.run(["kept", "discard", "app"] + arguments)
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.run("kept", "app").output == output)
        #expect(try sandbox.run("read", "app", "account").output == "{}\n")
    }

    @Test(arguments: [
        (["nope"], "does not exist"), (["app", "nope"], "`keyspan kept app`"), (["restore", "app", "nope"], "nope"),
        (["discard", "app", "nope"], "nope"), (["restore", "nope", "account"], "nope"),
        (["restore", "app", "account", "--number", "3"], "values 1 to 2"),
        (["restore", "app", "account", "--number", "0"], "values 1 to 2"),
        (["discard", "app", "window", "--number", "2"], "only value 1"),
    ])
    func `says in one sentence what does not exist`(arguments: [String], hint: String) throws {
        try refuses(arguments, status: 1, hint: hint)
    }

    @Test(arguments: [
        ([], "see `keyspan help kept`"), (["restore", "app"], "<key>"), (["discard", "app"], "<key>"),
        (["discard", "app", "account"], "--number"),
        (["discard", "app", "account", "--number", "1", "--all"], "--all"),
        (["restore", "app", "account", "--number", "x"], "--number"), (["app", "account", "extra"], "extra"),
        (["restore", "app", "account", "--number", "-1"], "--number"), (["app", "--format", "yaml"], "yaml"),
    ])
    func `refuses arguments that it cannot understand`(arguments: [String], hint: String) throws {
        try refuses(arguments, status: 64, hint: hint)
    }

    @Test(arguments: ["list", "restore", "discard"])
    func `explains its subcommands`(command: String) throws {
        let help = try sandbox.run("help", "kept", command)
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: keyspan kept \(command)"))
        #expect(try sandbox.run("help", "kept").output.contains("  \(command)"))
        #expect(help.output.contains("`import` refuses it") == (command == "list"))
    }

    @Test func `is a part of what the domain's other readers see`() throws {
        #expect(try sandbox.run("read", "app").output.contains("\"keyspan.kept\" ="))
        #expect(try sandbox.shell("\"$KEYSPAN\" export app - | \"$KEYSPAN\" import copy -").status == 0)
        #expect(try sandbox.run("kept", "copy", "window").output == Self.windowLine)
    }

    private func refuses(_ arguments: [String], status: Int32, hint: String) throws {
        let result = try sandbox.run(["kept"] + arguments)
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.error.contains(hint))
        #expect(try sandbox.text(ofDomain: "app") == Self.text)
        #expect(try sandbox.folder.names == ["keyspan"])
    }
}
