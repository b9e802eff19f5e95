import Foundation
import Keyspan
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Keys whose values a file nests, as a user reads and writes them.
@Suite struct NestedKeyTests {
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

    private func run(_ words: String...) throws -> ToolProcess.Result { try run(words) }

    private func run(_ words: [String]) throws -> ToolProcess.Result {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        return try sandbox.shell("\"$KEYSPAN\" \(quoted)")
    }

    @Test(arguments: ["settings.jsonc", "settings.json"])
    func `are read where they are`(file: String) throws {
        for (command, key, output) in [
            ("get", "tls.port", "8443\n"), ("read", "tls.client.retries", "1\n"),
            ("get", "tls.client", "{\n    retries = 1;\n}\n"),
            ("read-type", "tls.port", "Type is integer\n"), ("read-type", "tls", "Type is dictionary\n"),
            ("get", "host", "greeter.example\n"),
        ] {
            let result = try run(command, file, key)
            #expect(result.status == 0 && result.error.isEmpty, "\(command) \(key): \(result.error)")
            #expect(result.output == output)
        }
        #expect(try run("get", file, "tls.none", "--default", "5").output == "5\n")
        #expect(try sandbox.folder.text(of: file) == Self.commented)
    }

    @Test(arguments: ["settings.jsonc", "settings.json"])
    func `are written where they are, and comments stay`(file: String) throws {
        for words in [
            ["set", file, "tls.port", "-int", "443"], ["incr", file, "tls.client.retries", "2"],
            ["write", file, "tls.name", "a"], ["rename", file, "tls.name", "tls.label"],
            ["write", file, "tls.client.list", "-array-add", "x"], ["delete", file, "tls.client.list"],
        ] {
            let result = try run(words)
            #expect(result.status == 0 && result.error.isEmpty, "\(words): \(result.error)")
        }
        let expected = Self.commented.replacing("8443", with: "443").replacing(
            "\"retries\": 1}",
            with: "\"retries\": 3}"
        )
        .replacing("3},\n", with: "3},\n    \"label\": \"a\",\n")
        #expect(try sandbox.folder.text(of: file) == expected)
    }

    @Test(arguments: ["xml", "binary"]) func `are found in property lists`(format: String) throws {
        #expect(try run("export", "settings.jsonc", "p.plist", "--format", format).status == 0)
        #expect(try run("set", "p.plist", "tls.port", "-int", "1").status == 0)
        #expect(try run("set", "p.plist", "tls.client.name", "x").status == 0)
        #expect(try run("get", "p.plist", "tls.port").output == "1\n")
        #expect(try run("get", "p.plist", "tls.client").output == "{\n    name = x;\n    retries = 1;\n}\n")
        #expect(try run("read", "p.plist", "--output", "json").output.contains("\"tls\": {"))
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
        #expect(try sandbox.run("write", "app", key, "-int", "1").status == 0)
        let saved = try sandbox.text(ofDomain: "app")
        #expect(saved.filter { !$0.isWhitespace } == expected.filter { !$0.isWhitespace })
        #expect(try sandbox.run("get", "app", key).output == "1\n")
    }

    @Test func `are reported if they are there twice, and deleted together`() throws {
        try sandbox.write("{\n  \"tls\": {\"port\": 1},\n  \"tls.port\": 2\n}\n", toDomain: "app")
        let result = try sandbox.run("get", "app", "tls.port")
        #expect(result.output == "2\n")
        #expect(result.error.contains("line 3 counts, and line 2 does not"))
        #expect(try sandbox.run("delete", "app", "tls.port").status == 0)
        #expect(try sandbox.run("read", "app", "--output", "json").output == "{\n  \"tls\": {}\n}\n")
    }

    @Test(arguments: [
        (["get", "tls.prot"], #"did you mean "tls.port"?"#),
        (["delete", "tls.clinet"], #"did you mean "tls.client"?"#),
        (["read-type", "hots"], #"did you mean "host"?"#), (["rename", "tls.por", "x"], #"did you mean "tls.port"?"#),
        (["get", "host.name"], #""host" has a value of the kind string, which has no members"#),
        (["get", "tls.port.x"], #""tls.port" has a value of the kind integer"#),
        (["delete", "servers.0.host"], #""servers" is an array, which is read and written as a whole"#),
        (["get", "completely.different"], "`keyspan read settings.json` lists its keys."),
        (["rename", "tls.port", "tls"], "one is nested in the other"),
        (["rename", "tls", "tls.old"], "one is nested in the other"),
    ])
    func `have names, and others say what is near`(words: [String], text: String) throws {
        let result = try run([words[0], "settings.json"] + words.dropFirst())
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error.contains(text), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(try sandbox.folder.text(of: "settings.json") == Self.commented)
    }

    @Test func `leave the whole domain as the file has it`() throws {
        let json = #"{"host":"greeter.example","servers":[{"host":"a"}],"tls":{"client":{"retries":1},"port":8443}}"#
        for words in [
            ["read", "settings.jsonc", "--output", "json"], ["export", "settings.jsonc", "-", "--format", "json"],
        ] {
            #expect(try run(words).output.filter { !$0.isWhitespace } == json)
        }
        try sandbox.write(#"{"tls": {"port": 1}}"#, toDomain: "app")
        #expect(try sandbox.run("find", "tls.p").output.contains("Found 1 key in domain 'app'"))
    }

    @Test func `are those of a running program, which nests them itself`() async throws {
        try sandbox.write("{\n  \"tls\": {\n    \"port\": 443\n  }\n}\n", toDomain: "app")
        let (port, host) = (Defaults.Key<Int>("tls.port", default: 0), Defaults.Key<String?>("tls.host"))
        let store = try JSONFileStore(path: sandbox.folder.path("keyspan/app.json"), keys: [port, host])
        let program = Defaults(store)
        program[port] = 8443
        try await program.synchronize()
        // The value is in the program's journal, and not in the file.
        #expect(try sandbox.run("get", "app", "tls.port").output == "8443\n")
        #expect(try sandbox.run("read", "app", "--output", "json").output.contains("\"tls\": {\n    \"port\": 8443"))
        #expect(try sandbox.run("incr", "app", "tls.port").output == "8444\n")
        #expect(try sandbox.run("set", "app", "tls.host", "a").status == 0)
        try await eventually { program[port] == 8444 && program[host] == "a" }
        program[host] = "b"
        try await program.synchronize()
        #expect(try sandbox.run("get", "app", "tls.host").output == "b\n")
        #expect(try sandbox.run("get", "app", "tls").output == "{\n    host = b;\n    port = 8444;\n}\n")
        #expect(store.snapshot().sortedKeys == ["tls.host", "tls.port"])
    }

    @Test func `are members of a dictionary to a running program that has it as a value`() async throws {
        try sandbox.write(#"{"count": 1, "headers": {"a": "x"}}"#, toDomain: "app")
        let path = sandbox.folder.path("keyspan/app.json")
        let headers = Defaults.Key<[String: String]>("headers", default: [:])
        let (store, count) = (try JSONFileStore(path: path), Defaults.Key<Int>("count", default: 0))
        let program = Defaults(store)
        // The journal that this makes is the one that the tool must not announce its name in.
        program[count] = 2
        try await program.synchronize()
        #expect(try sandbox.run("set", "app", "headers.b", "y").status == 0)
        try await eventually { program[headers] == ["a": "x", "b": "y"] }
        // An editor replaces the file, so the program looks for what the journal says about older versions.
        try sandbox.folder.write(sandbox.text(ofDomain: "app").replacing("2", with: "3"), to: "keyspan/edited")
        #expect(rename(sandbox.folder.path("keyspan/edited"), path) == 0)
        try await eventually { program[count] == 3 }
        #expect(program[headers] == ["a": "x", "b": "y"])
        #expect(store.snapshot().sortedKeys == ["count", "headers"])
    }

    @Test func `can be watched`() throws {
        try sandbox.write("{\n  \"host\": \"x\",\n  \"tls\": {\n    \"port\": 443\n  }\n}\n", toDomain: "app")
        let output = try OutputPipe()
        let watch = try ToolProcess(
            ToolProcess.executable,
            ["watch", "app", "tls.port", "--initial"],
            environment: sandbox.environment,
            pipe: output
        )
        #expect(try output.line() == "\"tls.port\" = 443")
        try sandbox.run("set", "app", "host", "y")
        try sandbox.run("set", "app", "tls.port", "-int", "8443")
        #expect(try output.line() == "\"tls.port\" = 8443")
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
        #expect(try output.rest().isEmpty)
    }

    @Test func `are validated as the keys of a program`() throws {
        try sandbox.folder.write(
            #"{"properties": {"tls.port": {"type": "integer", "maximum": 1000}}}"#,
            to: "schema.json"
        )
        let result = try run("validate", "settings.jsonc", "--schema", "schema.json")
        #expect(result.status == 1)
        #expect(result.output == "settings.jsonc:5:5: tls.port is above the maximum, 1000.\n")
    }
}
