import Foundation
import Keyspan
import KeyspanTestSupport
import Testing

/// Keys whose values a file nests, as a user reads and writes them.
@Suite(.heavy) struct NestedKeyTests {
    private let sandbox: Sandbox
    private static let commented = """
        {
          // Where clients connect.
          "host": "greeter.example", // public
          "tls": {
            "port": 8443, /* 443 needs root */
            "client": {"retries": 1},
          },
          "servers": [{"host": "a"}],
        }

        """

    init() throws {
        sandbox = try Sandbox()
        for name in ["settings.jsonc", "settings.json"] { try sandbox.folder.write(Self.commented, to: name) }
    }

    @Test(arguments: ["settings.jsonc", "settings.json"])
    func `are read and written where they are, and comments stay`(file: String) throws {
        for (command, key, output) in [
            ("get", "tls.port", "8443\n"), ("read", "tls.client.retries", "1\n"),
            ("get", "tls.client", "{\n    retries = 1;\n}\n"), ("read-type", "tls.port", "Type is integer\n"),
            ("read-type", "tls", "Type is dictionary\n"), ("get", "host", "greeter.example\n"),
            ("get", "tls.none --default 5", "5\n"),
        ] { try sandbox.expect("\(command) ~/\(file) \(key)", output) }
        #expect(try sandbox.folder.text(of: file) == Self.commented)
        try sandbox.expectKept("set ~/\(file) tls.port -int 443")
        try sandbox.expect("incr ~/\(file) tls.client.retries 2", "3\n")
        try sandbox.expect("write ~/\(file) tls.name a")
        try sandbox.expect("rename ~/\(file) tls.name tls.label")
        try sandbox.expect("write ~/\(file) tls.client.list -array-add x")
        try sandbox.expectKept("delete ~/\(file) tls.client.list")
        let expected = Self.commented.replacing("8443", with: "443")
            .replacing("\"retries\": 1},\n", with: "\"retries\": 3},\n    \"label\": \"a\",\n")
        #expect(try sandbox.settings(in: file) == expected)
    }

    @Test(arguments: ["xml", "binary"]) func `are found in property lists`(format: String) throws {
        try sandbox.expect("export ~/settings.jsonc ~/p.plist --format \(format)")
        try sandbox.expectKept("set ~/p.plist tls.port -int 1")
        try sandbox.expect("set ~/p.plist tls.client.name x")
        try sandbox.expect("get ~/p.plist tls.port", "1\n")
        try sandbox.expect("get ~/p.plist tls.client", "{\n    name = x;\n    retries = 1;\n}\n")
        #expect(try sandbox.run("read ~/p.plist --output json").output.contains("\"tls\": {"))
    }

    @Test(arguments: [
        ("{}", "a.b", #"{"a.b": 1}"#), (#"{"x": {"y": 1}}"#, "a.b", #"{"a": {"b": 1}, "x": {"y": 1}}"#),
        (#"{"x.y": 1}"#, "a.b", #"{"a.b": 1, "x.y": 1}"#),
        (#"{"a": {"c": 1}}"#, "a.b.d", #"{"a": {"b": {"d": 1}, "c": 1}}"#),
        (#"{"a": {"b": 0}, "a.b": 0}"#, "a.b", #"{"a": {"b": 0}, "a.b": 1}"#),
        (#"{"a": 5}"#, "a.b", #"{"a": 5, "a.b": 1}"#), (#"{"a": [1]}"#, "a.0", #"{"a": [1], "a.0": 1}"#),
        (#"{"a.b": {"c": 0}}"#, "a.b.c", #"{"a.b": {"c": 1}}"#),
        (#"{"x": {"y": 1}}"#, "plain", #"{"plain": 1, "x": {"y": 1}}"#),
    ])
    func `go where the file has a place for them`(text: String, key: String, expected: String) throws {
        try sandbox.write(text, toDomain: "app")
        #expect(try sandbox.run("write app \(key) -int 1").status == 0)
        let saved = try sandbox.settings(ofDomain: "app")
        #expect(saved.filter { !$0.isWhitespace } == expected.filter { !$0.isWhitespace })
        #expect(try sandbox.run("get app \(key)").output == "1\n")
    }

    @Test func `stand beside names with dots, which no command breaks up`() throws {
        let text = "{\n  \"users\": {\n    \"ann@example.com\": \"x\",\n    \"bob@example.com\": \"y\"\n  }\n}\n"
        try sandbox.folder.write(text, to: "members.json")
        try sandbox.expect("set ~/members.json users.fred@example.com -string z")
        let fred = text.replacing("\"y\"", with: "\"y\",\n    \"fred@example.com\": \"z\"")
        #expect(try sandbox.folder.text(of: "members.json") == fred)
        try sandbox.expect("get ~/members.json users.fred@example.com", "z\n")
        try sandbox.expect("rename ~/members.json users.fred@example.com users.eve@example.com")
        try sandbox.expect("rename ~/members.json users.eve@example.com users.fred@example.com")
        try sandbox.expectKept("write ~/members.json users.fred@example.com -string w")
        try sandbox.expect("incr ~/members.json users.count@example.com", "1\n")
        try sandbox.expectKept("delete ~/members.json users.count@example.com")
        try sandbox.expect("write ~/members.json users -dict-add gil@example.com -string v")
        try sandbox.expectKept("delete ~/members.json users.gil@example.com")
        try sandbox.expect("export ~/members.json ~/copy.json")
        try sandbox.expect("import ~/members.json ~/copy.json")
        #expect(try sandbox.settings(in: "members.json") == fred.replacing("\"z\"", with: "\"w\""))
        try sandbox.expectKept("delete ~/members.json users.fred@example.com")
        #expect(try sandbox.settings(in: "members.json") == text)
    }

    @Test(arguments: [
        (#"{"x": 1}"#, #"{"a": {"b": 1}, "a.b": 2}"#), (#"{"a.b": 1, "x": 2}"#, #"{"a": {"b": 3}, "x": 2}"#),
        (#"{"a": {"b": 1}}"#, #"{"a.b": 2, "a": {"c": 3}}"#),
        (#"{"a": {"b": {"c": 1}}}"#, #"{"a.b.c": 1, "a.b": 2, "a": {}}"#),
    ])
    func `are written as a document has them, whatever leads to what`(before: String, document: String) throws {
        for line in ["import app -", "write app '\(document)'"] {
            try sandbox.write(before, toDomain: "app")
            try sandbox.expectKept(line, input: document)
            try sandbox.folder.write(document, to: "document.json")
            try sandbox.expect("diff app ~/document.json")
            let saved = try sandbox.settings(ofDomain: "app").filter { !$0.isWhitespace }
            #expect(saved.count == document.filter { !$0.isWhitespace }.count, "\(saved)")
        }
    }

    @Test func `begin with a hyphen behind a terminator, for all commands alike`() throws {
        try sandbox.folder.write("{\n  \"-BuildVersion\": \"1\"\n}\n", to: "hyphen.json")
        try sandbox.expect("get ~/hyphen.json -- -BuildVersion", "1\n")
        try sandbox.expectKept("set ~/hyphen.json -- -BuildVersion x")
        try sandbox.expect("read ~/hyphen.json -- -BuildVersion", "x\n")
        try sandbox.expect("write ~/hyphen.json -- -BuildVersion -int 5")
        try sandbox.expect("write -- ~/hyphen.json -int -int 5")
        try sandbox.expect("incr ~/hyphen.json -- -BuildVersion 2", "7\n")
        try sandbox.expect("incr ~/hyphen.json n -- 5", "5\n")
        try sandbox.expect("read-type ~/hyphen.json -- -BuildVersion", "Type is integer\n")
        try sandbox.expect("rename ~/hyphen.json -- -BuildVersion -h")
        try sandbox.expect("get ~/hyphen.json -- -h", "7\n")
        try sandbox.expectKept("delete ~/hyphen.json -- -h")
        #expect(try sandbox.settings(in: "hyphen.json") == "{\n  \"-int\": 5,\n  \"n\": 5\n}\n")
        #expect(try sandbox.run("set ~/hyphen.json --help").output.contains("Store a value under one key."))
    }

    @Test func `are reported if they are there twice, and deleted together`() throws {
        try sandbox.write("{\n  \"tls\": {\"port\": 1},\n  \"tls.port\": 2\n}\n", toDomain: "app")
        let run = try sandbox.run("get app tls.port")
        #expect(run.output == "2\n" && run.error.contains("line 3 counts, and line 2 does not"))
        #expect(try sandbox.run("delete app tls.port").status == 0)
        #expect(try sandbox.settings(ofDomain: "app") == "{\n  \"tls\": {}\n}\n")
    }

    @Test(arguments: [
        ("get # tls.prot", #"did you mean "tls.port"?"#), ("delete # tls.clinet", #"did you mean "tls.client"?"#),
        ("read-type # hots", #"did you mean "host"?"#), ("rename # tls.por x", #"did you mean "tls.port"?"#),
        ("get # host.name", #""host" has a value of the kind string, which has no members"#),
        ("get # tls.port.x", #""tls.port" has a value of the kind integer"#),
        ("delete # servers.0.host", #""servers" is an array, which is read and written as a whole"#),
        ("get # completely.different", "`keyspan read ~/settings.json` lists its keys."),
        ("rename # tls.port tls", "one is nested in the other"), ("rename # tls tls.old", "one is nested in the other"),
    ])
    func `have names, and others say what is near`(line: String, text: String) throws {
        try sandbox.refuse(line.replacing("#", with: "~/settings.json"), text, status: text.hasPrefix("one") ? 2 : 3)
        #expect(try sandbox.folder.text(of: "settings.json") == Self.commented)
    }

    @Test func `leave the whole domain as the file has it`() throws {
        let json = #"{"host":"greeter.example","servers":[{"host":"a"}],"tls":{"client":{"retries":1},"port":8443}}"#
        for line in ["read ~/settings.jsonc --output json", "export ~/settings.jsonc - --format json"] {
            #expect(try sandbox.run(line).output.filter { !$0.isWhitespace } == json)
        }
        try sandbox.write(#"{"tls": {"port": 1}}"#, toDomain: "app")
        #expect(try sandbox.run("find tls.p").output.contains("Found 1 key in domain 'app'"))
    }

    @Test func `are those of a running program, which nests them itself`() async throws {
        try sandbox.write("{\n  \"tls\": {\n    \"port\": 443\n  }\n}\n", toDomain: "app")
        let (port, host) = (Defaults.Key<Int>("tls.port", default: 0), Defaults.Key<String?>("tls.host"))
        let store = try JSONFileStore(path: sandbox.folder.path("keyspan/app.json"), keys: [port, host])
        let program = Defaults(store)
        program[port] = 8443
        try await program.synchronize()
        // The value is in the program's journal, and not in the file.
        let commands = "keyspan get app tls.port; keyspan incr app tls.port; keyspan set app tls.host a"
        #expect(try sandbox.shell(commands) == Sandbox.Run(status: 0, output: "8443\n8444\n", error: ""))
        try await eventually("the program reads the new port", program[port], is: 8444)
        try await eventually("the program reads the new host", program[host], is: "a")
        program[host] = "b"
        try await program.synchronize()
        let json = "{\n  \"tls\": {\n    \"host\": \"b\",\n    \"port\": 8444\n  }\n}\n"
        #expect(try sandbox.shell("keyspan read app --output json").output == json)
        #expect(store.snapshot().sortedKeys == ["tls.host", "tls.port"])
    }

    @Test func `are members of a dictionary to a running program that has it as a value`() async throws {
        try sandbox.write(#"{"count": 1, "headers": {"a": "x"}}"#, toDomain: "app")
        let headers = Defaults.Key<[String: String]>("headers", default: [:])
        let store = try JSONFileStore(path: sandbox.folder.path("keyspan/app.json"))
        let (program, count) = (Defaults(store), Defaults.Key<Int>("count", default: 0))
        // The journal that this makes is the one that the tool must not announce its name in.
        program[count] = 2
        try await program.synchronize()
        #expect(try sandbox.shell("keyspan set app headers.b y").status == 0)
        try await eventually("the program reads the new header", program[headers], is: ["a": "x", "b": "y"])
        // An editor replaces the file, so the program looks for what the journal says about older versions.
        try sandbox.folder.replace("keyspan/app.json", sandbox.text(ofDomain: "app").replacing("2", with: "3"))
        try await eventually("the program reads what the editor wrote", program[count], is: 3)
        #expect(program[headers] == ["a": "x", "b": "y"])
        #expect(store.snapshot().sortedKeys == ["count", "headers"])
    }
}
