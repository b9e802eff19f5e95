import Foundation
import Keyspan
import Testing

/// Secret values, which listings hide.
@Suite struct SecretTests {
    private let sandbox: Sandbox
    private static let secrets = ["pw-one", "pw-two", "pw-old", "pw-key"]

    init() throws {
        sandbox = try Sandbox()
        let description = Defaults(InMemoryStore()).describe([
            Defaults.Key<String?>("password").secret(), Defaults.Key<String?>("tls.key").secret(),
            Defaults.Key<Int>("tls.port", default: 443),
        ])
        try sandbox.folder.write(description.jsonSchema, to: "schema.json")
        try sandbox.folder.write(
            """
            {
              "$schema": "schema.json",
              "keyspan.kept": {
                "password": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"password": ["pw-old"]}}],
                "tls": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"tls": {"key": "pw-old"}}}]
              },
              "password": "pw-one",
              "theme": "dark",
              "tls": {"key": "pw-key", "port": 8443}
            }

            """,
            to: "app.json"
        )
        try sandbox.folder.write(
            try sandbox.folder.text(of: "app.json").replacing("pw-one", with: "pw-two").replacing("8443", with: "1"),
            to: "other.json"
        )
    }

    private func run(_ line: String) throws -> ToolProcess.Result { try sandbox.shell("\"$KEYSPAN\" \(line)") }

    private func hasSecret(_ text: String) -> Bool { Self.secrets.contains(where: text.contains) }

    @Test(arguments: [
        "read app.json", "read app.json --output json", "read app.json --output table", "read app.json --output plist",
        "get app.json tls", "get app.json keyspan.kept", "diff app.json other.json",
        "diff app.json other.json --output json",
        "kept app.json", "kept app.json --output json", "kept app.json tls",
    ])
    func `are hidden in a listing, which says so`(line: String) throws {
        let result = try run(line)
        #expect(result.output.contains("(hidden secret)"), "\(result.output)")
        #expect(!hasSecret(result.output + result.error), "\(result.output)")
        #expect(result.error == "keyspan: The values of secret keys are hidden; --show-secrets shows them.\n")
        let shown = try run(line + " --show-secrets")
        #expect(hasSecret(shown.output) && shown.error.isEmpty && shown.status == result.status)
    }

    @Test(arguments: [
        ("get app.json password", "pw-one\n"), ("read app.json password", "pw-one\n"),
        ("get app.json tls.key", "pw-key\n"),
        ("kept app.json password", "password  1  2026-11-21 10:50:00 +0000  (\"pw-old\")\n"),
        ("get app.json theme", "dark\n"), ("read-type app.json password", "Type is string\n"),
    ])
    func `are printed if exactly that key is named`(line: String, output: String) throws {
        let result = try run(line)
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(result.output == output)
    }

    @Test func `are hidden in other domains, too`() throws {
        for name in ["app", "other"] { try sandbox.write(sandbox.folder.text(of: "\(name).json"), toDomain: name) }
        try FileManager.default.copyItem(
            atPath: sandbox.folder.path("schema.json"),
            toPath: sandbox.folder.path("keyspan/schema.json")
        )
        for words in [["read"], ["read", "--output", "table"], ["find", "pw"], ["find", "password"]] {
            let result = try sandbox.run(words)
            #expect(!hasSecret(result.output + result.error), "\(words): \(result.output)")
        }
        // The values are not searched either, or the answer would tell.
        #expect(try sandbox.run("find", "pw-one").status == 1)
        #expect(try sandbox.run("find", "hidden").status == 1)
        #expect(try sandbox.run("find", "pw-one", "--show-secrets").output.contains("pw-one"))
    }

    @Test func `are marked by a schema that the user names`() throws {
        let text = try sandbox.folder.text(of: "app.json").replacing("\"$schema\": \"schema.json\",", with: "")
        try sandbox.folder.write(text, to: "plain.json")
        #expect(hasSecret(try run("read plain.json").output))
        #expect(!hasSecret(try run("read plain.json --schema schema.json").output))
        try sandbox.folder.write(#"{"properties": {"theme": {"writeOnly": true}}}"#, to: "mine.json")
        let result = try run("read app.json --schema mine.json --output json")
        #expect(result.output.contains(#""theme": "(hidden secret)""#) && result.output.contains("pw-one"))
        #expect(try run("read app.json --schema none.json").status == 1)
        #expect(try run("read app.json --schema app.jsonc").status == 1)
    }

    @Test(arguments: [
        ("schema.json", true), ("./schema.json", true), ("sub/../schema.json", true), ("$FOLDER/schema.json", true),
        ("file://$FOLDER/schema.json", true), ("https://example.com/schema.json", false), ("urn:example:schema", false),
        ("#/definitions", false), ("", false),
    ])
    func `are marked by the schema that the file names, if that is a file`(reference: String, isHidden: Bool) throws {
        let reference = reference.replacing("$FOLDER", with: sandbox.folder.path)
        try FileManager.default.createDirectory(atPath: sandbox.folder.path("sub"), withIntermediateDirectories: true)
        let text = try sandbox.folder.text(of: "app.json").replacing("\"schema.json\"", with: "\"\(reference)\"")
        try sandbox.folder.write(text, to: "app.json")
        // Relative to the domain, and not to the working folder.
        let result = try sandbox.run("read", sandbox.folder.path("app.json"))
        #expect(result.status == 0)
        #expect(hasSecret(result.output) == !isHidden)
    }

    @Test(arguments: ["none.json", "sub", "pipe", "damaged.json"])
    func `are not listed if the file that marks them cannot be read`(reference: String) throws {
        try FileManager.default.createDirectory(atPath: sandbox.folder.path("sub"), withIntermediateDirectories: true)
        #expect(mkfifo(sandbox.folder.path("pipe"), 0o600) == 0)
        try sandbox.folder.write("{", to: "damaged.json")
        let text = try sandbox.folder.text(of: "app.json").replacing("\"schema.json\"", with: "\"\(reference)\"")
        try sandbox.folder.write(text, to: "app.json")
        for line in ["read app.json", "get app.json tls", "kept app.json"] {
            let result = try run(line)
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.error.contains("correct the member \"$schema\"") && result.error.contains("--show-secrets"))
        }
        #expect(try run("diff app.json other.json").status == 2)
        #expect(try run("get app.json password").output == "pw-one\n")
        #expect(try run("set app.json password pw-two").status == 0)
        #expect(hasSecret(try run("read app.json --show-secrets").output))
    }

    @Test func `are in a backup, and a listing cannot replace them`() throws {
        #expect(try run("export app.json backup.json").error.isEmpty)
        #expect(try run("export app.json - --format json").output.contains("pw-one"))
        #expect(try sandbox.folder.text(of: "backup.json").contains("pw-one"))
        try sandbox.folder.write(try run("read app.json --output json").output, to: "listing.json")
        let before = try sandbox.folder.text(of: "app.json")
        let result = try run("import app.json listing.json")
        #expect(result.status == 1)
        #expect(result.error.contains("hidden in the document or value") && result.error.contains("keyspan export"))
        #expect(try run("write app.json \"$(cat listing.json)\"").status == 1)
        for value in ["\"$(\"$KEYSPAN\" read app.json tls --output json)\""] {
            let result = try run("write app.json tls \(value)")
            #expect(result.status == 1 && result.error.contains("as \"(hidden secret)\""), "\(result)")
        }
        #expect(try run("write app.json password '(hidden secret)'").status == 1)
        #expect(try sandbox.folder.text(of: "app.json") == before)
        #expect(try run("import app.json backup.json").status == 0)
        #expect(try run("get app.json tls.key").output == "pw-key\n")
    }

    @Test(arguments: [["export", "app.json", "-"], ["export", "app.json", "/dev/stdout"], ["read", "app.json"]])
    func `are not on a terminal unless asked for`(words: [String]) throws {
        let terminal = try PseudoTerminal()
        let arguments = words.map { $0 == "app.json" ? sandbox.folder.path($0) : $0 }
        _ = try ToolProcess(ToolProcess.executable, arguments, environment: sandbox.environment, terminal: terminal)
            .finish()
        let text = terminal.text()
        #expect(!hasSecret(text) && text.contains("(hidden secret)"))
    }

    @Test func `are hidden in what is watched, unless exactly that key is`() throws {
        let path = sandbox.folder.path("app.json")
        for (words, line) in [
            ([path], "password = \"(hidden secret)\""), ([path, "password"], "password = \"pw-two\""),
            ([path, "--show-secrets"], "password = \"pw-two\""),
        ] {
            try sandbox.run("set", path, "password", "pw-one")
            let output = try OutputPipe()
            let watch = try ToolProcess(
                ToolProcess.executable,
                ["watch"] + words + ["--initial"],
                environment: sandbox.environment,
                pipe: output
            )
            while try !output.line().hasPrefix(words.count == 1 || words[1] != "password" ? "tls" : "password") {}
            try sandbox.run("set", path, "password", "pw-two")
            #expect(try output.line() == line)
            watch.send(SIGTERM)
            #expect(try watch.finish().status == 0)
        }
    }

    @Test func `are hidden in a change that removes the schema as well`() throws {
        let output = try OutputPipe()
        let watch = try ToolProcess(
            ToolProcess.executable,
            ["watch", sandbox.folder.path("app.json"), "--initial", "--output", "json"],
            environment: sandbox.environment,
            pipe: output
        )
        while try !output.line().contains(#""key": "tls""#) {}
        try sandbox.folder.write(#"{"theme": "light"}"#, to: "new.json")
        #expect(try run("import app.json new.json").status == 0)
        var text = ""
        while !text.contains(#""key": "tls""#) { text += try output.line() }
        #expect(text.contains("(hidden secret)") && !hasSecret(text), "\(text)")
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
    }

    @Test(arguments: [
        "set app.json password -int pw-one", "write app.json tls.key -data pw-key", "set app.json password '{pw-one'",
        "set app.json password -date pw-one", "set app.json password -pw-one",
    ])
    func `are in no error`(line: String) throws {
        let result = try run(line)
        #expect(result.status == 64 || result.status == 1 || result.status == 0)
        #expect(!hasSecret(result.output + result.error), "\(result.error)")
    }

    @Test func `are in no violation`() throws {
        try sandbox.folder.write(
            """
            {"properties": {"password": {"type": "string", "enum": ["pw-two", "pw-old"], "writeOnly": true},
              "tls.key": {"type": "integer", "writeOnly": true}}}
            """,
            to: "strict.json"
        )
        let result = try run("validate app.json --schema strict.json")
        #expect(result.status == 1)
        #expect(
            result.output == """
                app.json:7:3: password is secret, and has a value that the schema does not allow.
                app.json:9:11: tls.key is a string, but must be an integer.

                """
        )
    }

    @Test(arguments: [
        #""password": {"enum": ["pw-two"], "allOf": [{"writeOnly": true}]}"#,
        ##""password": {"const": "pw-two", "$ref": "#/$defs/secret"}"##,
        #""password": {"pattern": "^pw-two$", "examples": ["pw-two"], "writeOnly": true}"#,
        #""password": {"anyOf": [{"const": "pw-two"}, {"const": "pw-old", "writeOnly": true}]}"#,
        #""tls": {"writeOnly": true, "properties": {"key": {"const": "pw-old"}}}"#,
        #""tls": {"properties": {"key": {"const": "pw-old", "writeOnly": true}}}"#,
        #""tls": {"properties": {"key": {"const": "pw-old"}}, "allOf": [{"properties": {"key": {"writeOnly": true}}}]}"#,
    ])
    func `are in no violation, however the schema marks them`(properties: String) throws {
        let schema = #"{"$defs": {"secret": {"writeOnly": true}}, "properties": {\#(properties)}}"#
        try sandbox.folder.write(schema, to: "schema.json")
        let result = try run("validate app.json")
        #expect(result.status == 1 && result.error.isEmpty, "\(result)")
        #expect(!hasSecret(result.output), "\(result.output)")
        #expect(
            result.output.contains("is secret, and has a value that the schema does not allow."),
            "\(result.output)"
        )
    }
}
