import Foundation
import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanTool

/// Values that the tool itself replaces or removes, as a user has them back.
@Suite(.heavy) struct ReplacedValuesTests {
    private let sandbox: Sandbox
    private static let text = """
        {
          // The name.
          "name": "Ada",
          "count": 1.0,
          "list": ["a", "b"],
          "tls": {"port": 443, "client": {"retries": 1}}, // for clients
          "users": {"ann@example.com": "x", "bob@example.com": "y"},
          "blob": {"$data": "D713"},
          "one": {"fred@example.com": "z"},
          "smtp.port": 25
        }

        """
    private static let document = #"{"name": "Ada", "list": ["b"], "tls": {"client": {"retries": 2}}, "users": {}}"#

    init() throws {
        sandbox = try Sandbox()
        try sandbox.folder.write(Self.text, to: "app.jsonc")
        for format in ["xml", "binary"] {
            try sandbox.expect("export ~/app.jsonc ~/\(format).plist --format \(format)")
        }
        try sandbox.write(sandbox.run("read ~/app.jsonc --output json").output, toDomain: "app")
        try sandbox.folder.write(Self.document, to: "document.json")
    }

    /// The newest kept value of each key.
    private func kept(_ domain: String) throws -> [String: PropertyListValue] {
        let list = try JSONText.parse(Array(sandbox.run("kept \(domain) --output json").output.utf8))
        let values = try #require(list.arrayValue).compactMap(\.dictionaryValue)
        let pairs = values.map { ($0["key"]?.stringValue ?? "", $0["entries"]?.dictionaryValue?.values.first ?? "") }
        return Dictionary(pairs) { $1 }
    }

    @Test(
        arguments: [
            "set # name Grace", "write # name -int 5", "set # name -", "delete # name", "write # count -int 1",
            "write # list '(b, a)'",
            "delete # list", "set # tls.port -int 8443", "delete # tls.port", "delete # tls", "set # tls '{a = 1;}'",
            "write # tls -dict-add port -int 1", "delete # tls.client", "write # tls -string text",
            "delete # users.ann@example.com",
            "set # users.ann@example.com z", "delete # one.fred@example.com", "delete # smtp.port", "delete # blob",
            "delete #",
            "import # ~/document.json", "write # '{tls = 5;}'", "write # '{\"one\": {}, \"tls\": {\"port\": {}}}'",
        ],
        ["app", "~/app.jsonc", "~/xml.plist", "~/binary.plist"]
    )
    func `come back`(line: String, domain: String) throws {
        try sandbox.expect("export \(domain) ~/former.json --format json")
        #expect(try sandbox.run(line.replacing("#", with: domain), input: "Grace").status == 0)
        #expect(try sandbox.run("diff ~/former.json \(domain)").status == 1)
        let keys = try kept(domain).keys
        #expect(!keys.isEmpty)
        for key in keys { try sandbox.expect("kept restore \(domain) \(key)") }
        try sandbox.expect("diff ~/former.json \(domain)")
    }

    @Test(
        arguments: [
            ("edit-by-entries", #"{"name": "Grace", "tls": {"port": 443}}"#, ["name": "Ada", "list": ["a", "b"]]),
            ("edit-by-members", #"{"name": "Ada", "list": ["a", "b"], "tls": {"port": 1}}"#, ["tls.port": 443]),
            ("edit-more", #"{"name": "Ada", "list": ["a", "b", "c"], "tls": {"port": 443, "host": "x"}}"#, [:]),
        ] as [(String, String, [String: PropertyListValue])]
    )
    func `of an editor come back`(name: String, edited: String, replaced: [String: PropertyListValue]) throws {
        let text = #"{"name": "Ada", "list": ["a", "b"], "tls": {"port": 443}}"#
        try sandbox.write(text, toDomain: name)
        try sandbox.folder.write("cp '\(sandbox.folder.path("edited"))' \"$1\"", to: "editor")
        try sandbox.folder.write(edited, to: "edited")
        let variables = ["EDITOR": "sh '\(sandbox.folder.path("editor"))'", "TMPDIR": sandbox.folder.path]
        #expect(try sandbox.start("edit \(name)", environment: variables).finish().status == 0)
        #expect(try sandbox.settings(ofDomain: name) == edited)
        #expect(try kept(name) == replaced)
        for key in replaced.keys { try sandbox.expect("kept restore \(name) \(key)") }
        try sandbox.folder.write(text, to: "former.json")
        #expect(try sandbox.run("diff ~/former.json \(name)").status == (replaced.isEmpty ? 1 : 0))
    }

    @Test func `are none if a value is still there`() throws {
        for line in [
            "set app name Ada", "rename app name title", "rename app title name", "incr app tls.port", "incr app new",
            "write app list -array-add c", "write app tls -dict-add host x",
            "write app users -dict-add cid@example.com z",
            "set app other x", "import copy ~/document.json", "write app list '(a, b, c, d)'",
        ] { #expect(try sandbox.run(line).status == 0) }
        try sandbox.expect("export app ~/app.json")
        try sandbox.expect("import app ~/app.json")
        try sandbox.expect("kept app")
        #expect(try !sandbox.text(ofDomain: "app").contains("keyspan"))
        try sandbox.refuse("set app name -int x", "give a whole number", status: 64)
        try sandbox.expect("kept app")
    }

    @Test func `are the last eight of a key, each with a time of its own`() throws {
        for number in 0...9 { try sandbox.expect("write app n -int \(number)") }
        let lines = try sandbox.run("kept app n").output.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(lines.map { $0[2] } == (1...8).map(String.init))
        #expect(Set(lines.map { $0[1] }).count == 8)
        // A name stays that of its value, whatever is kept or discarded since, and names no other.
        try sandbox.expect("kept discard app n --value \(lines[0][1])")
        try sandbox.expect("kept restore app n --value \(lines[3][1])")
        try sandbox.expect("get app n", "4\n")
        for number in 10...18 { try sandbox.expect("write app n -int \(number)") }
        try sandbox.refuse("kept restore app n --value \(lines[4][1])", "keeps no value", status: 3)
        try sandbox.refuse("kept discard app n --value \(lines[4][1])", "keeps no value", status: 3)
    }

    @Test func `are discarded without what is kept since`() throws {
        try sandbox.expect("set app name Grace")
        let place = Domain(name: "app", path: sandbox.folder.path("keyspan/app.json"))
        let values = try place.keptValues().map(\.value)
        try sandbox.expect("set app name Barbara")
        try place.discard(values)
        #expect(try kept("app") == ["name": "Grace"])
    }

    @Test func `of several processes are all kept`() throws {
        let numbers = 1...TestLevel.current.pick(4, thorough: 8)
        let processes = try numbers.map { try sandbox.start("set app name -string name\($0)") }
        for process in processes { #expect(try process.finish().status == 0) }
        let list = try sandbox.run("kept app name").output + sandbox.run("get app name").output
        #expect(Set(list.split(whereSeparator: \.isWhitespace)).isSuperset(of: numbers.map { "name\($0)" } + ["Ada"]))
    }

    @Test func `are kept at the limit of nesting`() throws {
        let deep = (1..<PropertyListValue.maximumNesting).reduce(PropertyListValue.array([])) { value, _ in [value] }
        for line in ["set deep account -string x", "delete deep account", "delete deep", "write deep '{account = x;}'"]
        {
            do {
                let store = try JSONFileStore(path: sandbox.folder.path("keyspan/deep.json"))
                try store.apply(PropertyListBatch(.set(deep, key: "account")))
                try store.synchronize()
            }
            #expect(try sandbox.run(line).status == 0)
            try sandbox.expect("kept restore deep account")
            #expect(try sandbox.run("get deep account --output json").output.contains("[]"))
        }
    }

    // MARK: Records

    private static let records = """
        {
          "$schema": "schema.json",
          "a": 1,
          "keyspan.kept": {"b": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"b": "first"}}]},
          "keyspan.migrations": {"app": {"version": 1}}
        }

        """

    @Test(arguments: ["import app -", "write app '{n = 2;}'", "delete app"])
    func `stay with the other records of a domain`(line: String) throws {
        try sandbox.write(Self.records, toDomain: "app")
        try sandbox.folder.write("{}", to: "keyspan/schema.json")
        let run = try sandbox.run(line, input: "{n = 2;}")
        let sentence = """
            keyspan: The domain's own entries "$schema", "keyspan.migrations" stay; the former value of the key "a" is kept; \
            `keyspan kept discard app a --all` removes it for good.

            """
        #expect(run == Sandbox.Run(status: 0, output: "", error: sentence))
        let entries = try JSONText.parseTable(Array(sandbox.text(ofDomain: "app").utf8))
        #expect(entries["a"] == nil && entries["n"] == (line == "delete app" ? nil : "2"))
        #expect(entries["$schema"] == "schema.json" && entries["keyspan.migrations"] == ["app": ["version": 1]])
        #expect(try kept("app") == ["a": 1, "b": "first"])
    }

    @Test func `are taken from a document that has its own, but for kept values`() throws {
        try sandbox.write(Self.records, toDomain: "app")
        try sandbox.folder.write("{}", to: "keyspan/schema.json")
        let document = """
            {"$schema": "other.json", "a": 1, "keyspan.migrations": {"app": {"version": 2}}, \
            "keyspan.kept": {"c": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"c": 5}}]}}
            """
        try sandbox.expectKept("import app -", input: document)
        let entries = try JSONText.parseTable(Array(sandbox.text(ofDomain: "app").utf8))
        #expect(entries["$schema"] == "other.json" && entries["keyspan.migrations"] == ["app": ["version": 2]])
        #expect(entries["keyspan.kept"]?.dictionaryValue?.keys.sorted() == ["$schema", "b"])
    }

    @Test func `are those that a rename does not move`() throws {
        try sandbox.write(#"{"tls.port": 1, "tls": {"port": 2}}"#, toDomain: "app")
        #expect(try sandbox.run("rename app tls.port port").error.contains(#"value of the key "tls.port" is kept"#))
        try sandbox.expect("get app port", "1\n")
        try sandbox.expect("kept restore app tls.port")
        try sandbox.expect("get app tls.port", "2\n")
    }

    @Test func `with dots in their names come back in their dictionary, whatever has gone since`() throws {
        let users = #"{"users": {"ann@example.com": "x", "bob@example.com": "y", "z": 1}}"#
        try sandbox.write(users, toDomain: "app")
        let before = try sandbox.run("read app users")
        try sandbox.expectKept("delete app users.ann@example.com")
        try sandbox.expectKept("delete app users.bob@example.com")
        let first = try sandbox.run("kept app users --output json").output.firstMatch(of: /"id": "([^"]*)"/)
        try sandbox.expect("kept restore app users --value \(try #require(first).1)")
        #expect(try sandbox.run("read app users") == before)
    }

    @Test(arguments: [#"{"keyspan": 5, "a": 1}"#, #"{"": 5, "a": 1}"#])
    func `that cannot come back are not said to be kept`(document: String) throws {
        try sandbox.write(document, toDomain: "app")
        let run = try sandbox.run("delete app")
        #expect(run.status == 0 && run.error.contains("cannot be kept: "), "\(run)")
        #expect(run.error.contains(#"he former value of the key "a" is kept"#), "\(run)")
    }

    @Test func `take a bounded place, in which the newest stay`() throws {
        let value = String(repeating: "x", count: 300_000)
        try sandbox.write(#"{"small": "s"}"#, toDomain: "app")
        try sandbox.expect("set app small t")
        let runs = try (0..<8).map { try sandbox.run("set app large -", input: "\($0)\(value)") }
        #expect(runs.allSatisfy { $0.status == 0 } && runs.contains { $0.error.contains("older kept values are gone") })
        #expect(try sandbox.text(ofDomain: "app").utf8.count < 4 * value.utf8.count + 3_000_000)
        let kept = try sandbox.run("kept app --output json").output
        #expect(kept.contains("\"6xx") && !kept.contains("\"0xx") && !kept.contains("\"s\""))
        // A value that is larger alone is said to be lost.
        let large = String(repeating: "y", count: 3_000_000)
        #expect(try sandbox.run("set app large -", input: large).error.contains("older kept value"))
        try sandbox.expectKept("delete app large")
    }

    @Test func `of one change of all entries have a place, whatever the others become`() {
        let before = PropertyListTable((0..<20_000).reduce(into: [:]) { $0["setting\($1)"] = .boolean(true) })
        var after = PropertyListTable([:])
        var replaced = ReplacedValues(from: before, to: after, isNested: true)
        replaced.keep(in: &after)
        #expect(replaced.values.count == 20_000 && KeptValues(after[KeptValues.entryName]).all.count == 20_000)
        // Two entries that exchange their values have moved none, unless the command has named both.
        let (left, right) = (PropertyListTable(["a": 1, "b": 2]), PropertyListTable(["a": 2, "b": 1]))
        #expect(ReplacedValues(from: left, to: right, isNested: false).values.map(\.key) == ["a", "b"])
    }

    @Test func `are told when the file of a path gets the record of them`() throws {
        try sandbox.folder.write(#"{"debug": true}"#, to: "daemon.json")
        let sentence = #"The file has the new member "keyspan.kept"; the former value of the key "debug" is kept; "#
        let run = try sandbox.run("set ~/daemon.json debug -bool false")
        #expect(run.status == 0 && run.error.hasPrefix("keyspan: \(sentence)"), "\(run)")
        try sandbox.expect("set ~/daemon.json debug -bool true")
        try sandbox.expect("kept discard ~/daemon.json debug --all")
        try sandbox.expect("read ~/daemon.json --output json", "{\n  \"debug\": true\n}\n")
    }

    @Test(arguments: [
        (
            "delete app name",
            #"The former value of the key "name" is kept; `keyspan kept discard app name --all` removes it for good."#
        ),
        ("delete app", "The former values of 8 keys are kept; `keyspan kept discard app --all` removes them for good."),
        (
            "delete ~/a.json -- -k",
            #"The former value of the key "-k" is kept; `keyspan kept discard --all -- ~/a.json -k` removes it for good."#
        ),
    ])
    func `are told with the command that removes them`(line: String, sentence: String) throws {
        try sandbox.folder.write(#"{"-k": 1}"#, to: "a.json")
        let run = try sandbox.run(line)
        #expect(run == Sandbox.Run(status: 0, output: "", error: "keyspan: \(sentence)\n"))
    }

    @Test func `are no setting`() throws {
        try sandbox.expect("export app ~/former.json")
        try sandbox.expect("set app name Grace")
        try sandbox.expect("set app name Ada")
        try sandbox.expect("diff app ~/former.json")
        #expect(try sandbox.run("read app").output.contains("\"keyspan.kept\""))
        let properties = #"{"properties": {"name": {"type": "string"}}, "additionalProperties": false}"#
        try sandbox.folder.write(properties, to: "schema.json")
        try sandbox.write(#"{"name": "Ada"}"#, toDomain: "strict")
        try sandbox.expect("set strict name Grace")
        try sandbox.expect("validate strict --schema ~/schema.json")
    }
}
