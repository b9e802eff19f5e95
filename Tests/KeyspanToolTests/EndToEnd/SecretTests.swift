import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Secret values, which listings hide.
@Suite(.heavy) struct SecretTests {
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

    private func hasSecret(_ text: String) -> Bool { Self.secrets.contains(where: text.contains) }

    /// Whether an output says that values are hidden: by a text for people, and by a member for programs.
    private func isMarked(_ output: String, for line: String) -> Bool {
        let isForPrograms = line.contains("--output json") || line.contains("plist")
        return output.contains("hidden") && output.contains("(hidden secret)") == !isForPrograms
    }

    /// The JSON that a command prints.
    private func json(_ line: String) throws -> PropertyListValue {
        try JSONText.parse(Array(sandbox.run(line).output.utf8))
    }

    @Test func `are absent from documents for programs, which list their paths`() throws {
        let users = #""users": [{"name": "ann", "pin": 1}], "pins": [1, 2], "theme": "dark","#
        try sandbox.folder.write(
            sandbox.folder.text(of: "app.json").replacing(#""theme": "dark","#, with: users),
            to: "app.json"
        )
        try sandbox.folder.write(
            #"{"properties": {"password": {"writeOnly": true}, "tls.key": {"writeOnly": true}, "pins": {"items": {"writeOnly": true}}, "#
                + #""users": {"items": {"properties": {"pin": {"writeOnly": true}}}}}}"#,
            to: "schema.json"
        )
        let listing = try json("read ~/app.json --output json")
        let paths = [
            "keyspan.kept.password", "keyspan.kept.tls[0].entries.tls.key", "password", "pins", "tls.key",
            "users[0].pin",
        ]
        #expect(listing["$hidden"] == .array(paths.map { .string($0) }))
        #expect(listing["users"] == [["name": "ann"]] && listing["tls"] == ["port": 8443] && listing["theme"] == "dark")
        #expect(listing["password"] == nil && listing["pins"] == nil)
        #expect(try json("get ~/app.json tls --output json") == ["$hidden": ["key"], "port": 8443])
        #expect(try json("get ~/app.json password --output json") == "pw-one")
        try sandbox.write(sandbox.folder.text(of: "app.json"), toDomain: "app")
        try sandbox.write(sandbox.folder.text(of: "schema.json"), toDomain: "schema")
        let all = try json("read --output json")
        #expect(all["$hidden"]?.arrayValue?.contains("app.tls.key") == true && all["app"]?["tls"] == ["port": 8443])
        // A value that is hidden as a whole makes an empty document, which is an error.
        for line in ["get ~/app.json pins", "get ~/app.json password --schema ~/schema.json"] {
            for format in ["json", "plist"] {
                try sandbox.refuse("\(line) --output \(format)", "is hidden", "--show-secrets")
            }
        }
        #expect(
            try json("diff ~/app.json ~/other.json --output json")["changed"]?["password"] == [
                ["hidden": true], ["hidden": true],
            ]
        )
        let kept = try json("kept ~/app.json --output json").arrayValue ?? []
        #expect(kept[0]["hidden"] == true && kept[0]["entries"] == [:])
        #expect(kept[1]["hidden"] == nil && kept[1]["entries"] == ["tls": ["$hidden": ["key"]]])
    }

    @Test(arguments: [
        "read ~/app.json", "read ~/app.json --output json", "read ~/app.json --output table",
        "read ~/app.json --output plist", "get ~/app.json tls", "get ~/app.json keyspan.kept",
        "diff ~/app.json ~/other.json", "diff ~/app.json ~/other.json --output json", "kept ~/app.json",
        "kept ~/app.json --output json", "kept ~/app.json tls",
    ])
    func `are hidden in a listing, which says so`(line: String) throws {
        let run = try sandbox.run(line)
        #expect(isMarked(run.output, for: line) && !hasSecret(run.output + run.error), "\(run)")
        #expect(run.error == "keyspan: The values of secret keys are hidden; --show-secrets shows them.\n")
        let shown = try sandbox.run(line + " --show-secrets")
        #expect(hasSecret(shown.output) && shown.error.isEmpty && shown.status == run.status)
    }

    @Test(arguments: [
        ("get ~/app.json password", "pw-one\n"), ("read ~/app.json password", "pw-one\n"),
        ("get ~/app.json tls.key", "pw-key\n"), ("get ~/app.json theme", "dark\n"),
        ("kept ~/app.json password", "password  2026-11-21T10:50:00.000Z  (\"pw-old\")\n"),
        ("read-type ~/app.json password", "Type is string\n"),
    ])
    func `are printed if exactly that key is named`(line: String, output: String) throws {
        try sandbox.expect(line, output)
    }

    @Test(arguments: [
        "get ~/app.json password", "read ~/app.json password", "get ~/app.json tls.key", "kept ~/app.json password",
    ])
    func `are hidden if the schema is named, also if exactly that key is`(line: String) throws {
        let run = try sandbox.run(line + " --schema ~/schema.json")
        #expect(
            run.status == 0 && run.output.contains("(hidden secret)") && !hasSecret(run.output + run.error),
            "\(run)"
        )
        #expect(run.error == "keyspan: The values of secret keys are hidden; --show-secrets shows them.\n")
    }

    @Test func `are hidden in other domains, too`() throws {
        for name in ["app", "other"] { try sandbox.write(sandbox.folder.text(of: "\(name).json"), toDomain: name) }
        try sandbox.folder.write(sandbox.folder.text(of: "schema.json"), to: "keyspan/schema.json")
        for line in ["read", "read --output table", "find pw", "find password"] {
            let run = try sandbox.run(line)
            #expect(!hasSecret(run.output + run.error), "\(line): \(run.output)")
        }
        // The values are not searched either, or the answer would tell.
        #expect(try sandbox.run("find pw-one").status == 3)
        #expect(try sandbox.run("find hidden").status == 3)
        #expect(try sandbox.run("find pw-one --show-secrets").output.contains("pw-one"))
    }

    @Test func `are marked by a schema that the user names`() throws {
        let text = try sandbox.folder.text(of: "app.json").replacing("\"$schema\": \"schema.json\",", with: "")
        try sandbox.folder.write(text, to: "plain.json")
        #expect(hasSecret(try sandbox.run("read ~/plain.json").output))
        #expect(!hasSecret(try sandbox.run("read ~/plain.json --schema ~/schema.json").output))
        try sandbox.folder.write(#"{"properties": {"theme": {"writeOnly": true}}}"#, to: "mine.json")
        let output = try sandbox.run("read ~/app.json --schema ~/mine.json --output json").output
        #expect(output.contains(#""theme"#) && !output.contains("dark") && output.contains("pw-one"))
        try sandbox.refuse("read ~/app.json --schema ~/none.json")
        try sandbox.refuse("read ~/app.json --schema ~/app.jsonc")
    }

    @Test(arguments: [
        "schema.json", "./schema.json", "sub/../schema.json", "$FOLDER/schema.json", "file://$FOLDER/schema.json",
    ])
    func `are marked by the schema that the file names`(reference: String) throws {
        try sandbox.folder.makeFolder("sub")
        try name(reference.replacing("$FOLDER", with: sandbox.folder.path))
        // Relative to the domain, and not to the working folder.
        let run = try sandbox.run("read ~/app.json")
        #expect(run.status == 0 && !hasSecret(run.output) && run.output.contains("theme = dark"))
    }

    /// Lets the file name another schema.
    private func name(_ reference: String) throws {
        let value = reference.hasPrefix("=") ? String(reference.dropFirst()) : "\"\(reference)\""
        let text = try sandbox.folder.text(of: "app.json").replacing("\"schema.json\"", with: value)
        try sandbox.folder.write(text, to: "app.json")
    }

    @Test(arguments: [
        "none.json", "node_modules/x.json", "sub", "pipe", "damaged.json", "https://example.com/schema.json",
        "urn:example:schema", "#/definitions", "", "=5", "=[1]", "=true", "referring.json",
    ])
    func `may be any text if what marks them is unknown, with a sentence`(reference: String) throws {
        try sandbox.folder.write(#"{"allOf": [{"$ref": "https://example.com/schema.json"}]}"#, to: "referring.json")
        try sandbox.folder.makeFolder("sub")
        #expect(mkfifo(sandbox.folder.path("pipe"), 0o600) == 0)
        try sandbox.folder.write("{", to: "damaged.json")
        try name(reference)
        for line in [
            "read ~/app.json", "read ~/app.json --output json", "get ~/app.json tls", "kept ~/app.json",
            "diff ~/app.json ~/other.json", "find 1", "kept ~/app.json --output json",
            "get ~/app.json tls --output plist",
            "read --output json",
        ] {
            try sandbox.write(sandbox.folder.text(of: "app.json"), toDomain: "app")
            let run = try sandbox.run(line)
            #expect(run.status == (line.hasPrefix("diff") ? 1 : 0), "\(run)")
            #expect(run.error.contains("it is unknown which values are secret"), "\(run)")
            #expect(run.error.contains("--show-secrets") && run.error.contains("--schema"), "\(run)")
            #expect(run.hasOneSentence || line.hasPrefix("diff"), "\(run)")
            #expect(!hasSecret(run.output) && (isMarked(run.output, for: line) || line.hasPrefix("find")), "\(run)")
        }
        let text = try sandbox.run("read ~/app.json").output
        #expect(
            text.contains("port = 8443;") && text.contains("\"$schema\" =") && !text.contains("dark"),
            "\(text)"
        )
        try sandbox.expect("get ~/app.json password", "pw-one\n")
        try sandbox.expect("set ~/app.json password pw-two")
        try sandbox.expect("set ~/app.json pin -int 4711")
        #expect(try !sandbox.run("read ~/app.json").output.contains("4711"))
        #expect(hasSecret(try sandbox.run("read ~/app.json --show-secrets").output))
    }

    @Test func `are in a backup, and a listing cannot replace them`() throws {
        try sandbox.expect("export ~/app.json ~/backup.json")
        #expect(try sandbox.run("export ~/app.json - --format json").output.contains("pw-one"))
        #expect(try sandbox.folder.text(of: "backup.json").contains("pw-one"))
        let (listing, before) = try (
            sandbox.run("read ~/app.json --output json").output, sandbox.folder.text(of: "app.json")
        )
        try sandbox.refuse("import ~/app.json -", "hidden in the document or value", "keyspan export", input: listing)
        try sandbox.refuse("write ~/app.json '\(listing)'")
        let group = try sandbox.run("read ~/app.json tls --output json").output
        try sandbox.refuse("write ~/app.json tls '\(group)'", "The secrets of \"tls\" are hidden")
        try sandbox.refuse("set ~/app.json copy -dict tls '\(group)'")
        try sandbox.refuse(
            "import ~/app.json -",
            "are hidden",
            input: sandbox.run("read ~/app.json --output plist").output
        )
        try sandbox.refuse("write ~/app.json password '(hidden secret)'")
        #expect(try sandbox.folder.text(of: "app.json") == before)
        try sandbox.expectKept("delete ~/app.json tls")
        #expect(try !hasSecret(sandbox.run("kept ~/app.json").output + sandbox.run("read ~/app.json").output))
        try sandbox.expect("import ~/app.json ~/backup.json")
        try sandbox.expect("get ~/app.json tls.key", "pw-key\n")
    }

    @Test(arguments: ["export ~/app.json -", "export ~/app.json /dev/stdout", "read ~/app.json"])
    func `are not on a terminal unless asked for`(line: String) throws {
        let text = try sandbox.shownOnTerminal(line)
        #expect(!hasSecret(text) && text.contains("hidden"))
    }

    @Test(arguments: [
        ("", "password = \"(hidden secret)\""), (" password", "password = \"pw-two\""),
        (" password --schema ~/schema.json", "password = \"(hidden secret)\""),
        (" --show-secrets", "password = \"pw-two\""),
    ])
    func `are hidden in what is watched, unless exactly that key is`(words: String, line: String) async throws {
        let watch = try sandbox.start("watch ~/app.json\(words) --initial")
        let last = words.hasPrefix(" password") ? "password" : "tls"
        try await eventually("watch prints what is there", watch.lines()) { $0.last?.hasPrefix(last) == true }
        let count = watch.lines().count
        try sandbox.expect("set ~/app.json password -", input: "pw-two")
        try await eventually("watch prints the change", watch.lines()) { $0.count > count }
        #expect(watch.lines().dropFirst(count) == [line])
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
    }

    /// Starts to watch the domain, and returns when the command has printed what is there.
    private func watch() async throws -> TestProcess {
        let watch = try sandbox.start("watch ~/app.json --initial")
        try await eventually("watch prints what is there", watch.lines()) { $0.last?.hasPrefix("tls") == true }
        return watch
    }

    /// Runs a command and awaits the lines that the other one prints of it.
    private func expect(_ watch: TestProcess, _ lines: String..., after line: String, input: String = "") async throws {
        let count = watch.lines().count
        try sandbox.expect(line, input: input)
        try await eventually("watch prints \(lines)", watch.lines().count, is: count + lines.count)
        #expect(Array(watch.lines().dropFirst(count)) == lines)
    }

    @Test func `are hidden in what is watched as the file of the schema marks them by then`() async throws {
        let watch = try await watch()
        try await expect(watch, "theme = light", after: "set ~/app.json theme light")
        // As the update of a program replaces it.
        let marks = #"{"properties": {"theme": {"writeOnly": true}, "password": {"writeOnly": true}}}"#
        try sandbox.folder.write(marks, to: "new.json")
        #expect(rename(sandbox.folder.path("new.json"), sandbox.folder.path("schema.json")) == 0)
        try await expect(watch, #"theme = "(hidden secret)""#, after: "set ~/app.json theme -", input: "dim")
        watch.send(SIGTERM)
        let result = try watch.finish()
        #expect(result.status == 0 && result.error.isEmpty, "\(result)")
    }

    @Test func `are all hidden in what is watched while the schema is not there, which is said once`() async throws {
        let watch = try await watch()
        // As a deployment in two steps: the settings before the schema.
        try await expect(watch, #""$schema" = "later.json""#, after: "set ~/app.json '$schema' later.json")
        for text in ["dim", "bright"] {
            try await expect(watch, #"theme = "(hidden secret)""#, after: "set ~/app.json theme \(text)")
        }
        // The values that the last schema marks are hidden, whatever their kind.
        try await expect(watch, #"password = "(hidden secret)""#, after: "set ~/app.json password - -int", input: "5")
        try await expect(watch, "count = 5", after: "set ~/app.json count -int 5")
        try sandbox.folder.write(sandbox.folder.text(of: "schema.json"), to: "later.json")
        try await expect(watch, "theme = dark", after: "set ~/app.json theme dark")
        try await expect(watch, #"password = "(hidden secret)""#, after: "set ~/app.json password - -int", input: "6")
        watch.send(SIGTERM)
        let result = try watch.finish()
        #expect(result.status == 0 && result.error.contains("later.json"), "\(result)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result)")
    }

    // MARK: Typing

    /// Whether a terminal shows what is typed.
    private func shows(_ terminal: PseudoTerminal) -> Bool {
        var settings = termios()
        return tcgetattr(terminal.device, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    @Test(arguments: ["-", "--stdin", "- -string", "--stdin -data"], [#""schema.json""#, #""none.json""#])
    func `are not shown while they are typed`(words: String, schema: String) async throws {
        try name("=" + schema)
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("set ~/app.json password \(words)", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("set asks", set.error, is: #"Value of "password", which is not shown: "#)
        #expect(!shows(terminal))
        try terminal.type("abcd")
        let result = try set.finish()
        #expect(result.status == 0 && result.error.hasSuffix("shown: "), "\(result)")
        #expect(try terminal.text() == "\n" && shows(terminal))
        let value = words.contains("data") ? "{length = 2, bytes = 0xabcd}\n" : "abcd\n"
        try sandbox.expect("get ~/app.json password", value)
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func `are not shown until the terminal shows what is typed again`(signal: Int32) async throws {
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("set ~/app.json tls.key -", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("set asks", set.error) { $0.hasSuffix("shown: ") }
        #expect(!shows(terminal))
        set.send(signal)
        #expect(try set.finish().status == 128 + signal && shows(terminal))
        try sandbox.expect("get ~/app.json tls.key", "pw-key\n")
    }

    @Test func `are asked for again after the command was stopped`() async throws {
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("set ~/app.json password -", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("set asks", set.error) { $0.hasSuffix("shown: ") }
        set.send(SIGTSTP)
        // It does not stop if nobody could continue it.
        try await eventually("set stops, or asks again") { shows(terminal) || set.error.contains("shown: Value") }
        try await eventually("set asks again", set.error) {
            set.send(SIGCONT)
            return $0.components(separatedBy: "shown: ").count == 3
        }
        try terminal.type("abcd")
        #expect(try set.finish().status == 0 && shows(terminal))
        try sandbox.expect("get ~/app.json password", "abcd\n")
    }

    @Test(arguments: ["", "\u{4}"])
    func `are asked for, and an empty line is none`(line: String) async throws {
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("set ~/app.json password -", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("set asks", set.error) { $0.hasSuffix("shown: ") }
        try terminal.type(line)
        let result = try set.finish()
        #expect(result.status == 2 && result.error.contains("No value was typed"), "\(result)")
        #expect(shows(terminal))
        try sandbox.expect("get ~/app.json password", "pw-one\n")
    }

    @Test func `are not what other keys have, which are typed with all their lines`() async throws {
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("write ~/app.json theme -", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("write asks", set.error) { $0.contains("Value of \"theme\", with Ctrl-D") }
        #expect(shows(terminal))
        for line in ["light", "blue", "\u{4}"] { try terminal.type(line) }
        #expect(try set.finish().status == 0)
        #expect(try terminal.text().contains("light\nblue\n"))
        try sandbox.expect("get ~/app.json theme", "light\nblue\n")
    }

    @Test(arguments: [
        ("set ~/app.json password pw-two", "password"), ("set ~/app.json tls.key -string pw-two", "tls.key"),
        ("set ~/app.json tls '{key = x;}'", "tls"), ("write ~/app.json tls -dict-add key x", "tls"),
        ("write ~/app.json '{tls = {key = x;};}'", "tls"),
        ("write ~/new.json '{\"$schema\": \"schema.json\", \"password\": 5}'", "password"),
        ("set ~/app.json password -", nil), ("set ~/app.json theme light", nil),
        ("set ~/app.json tls -dict port -int 1", nil),
        ("write ~/app.json '{theme = light;}'", nil), ("import ~/app.json ~/other.json", nil),
    ])
    func `are reported if they were arguments`(line: String, key: String?) throws {
        let run = try sandbox.run(line, input: "pw-two")
        #expect(run.status == 0 && run.output.isEmpty && !hasSecret(run.error), "\(run)")
        #expect(run.error.contains("was an argument") == (key != nil), "\(run)")
        if let key { #expect(run.error.contains("the key \"\(key)\" was an argument"), "\(run)") }
    }

    @Test func `are hidden in a change that removes the schema as well`() async throws {
        let watch = try sandbox.start("watch ~/app.json --initial --output json")
        let line = #""key": "tls""#
        try await eventually("watch prints what is there", watch.lines()) { $0.last?.contains(line) == true }
        let count = watch.lines().count
        try sandbox.folder.replace("app.json", #"{"theme": "light"}"#)
        try await eventually("watch prints the change", watch.lines()) {
            $0.count > count && $0.last?.contains(line) == true
        }
        let text = watch.output
        #expect(text.contains(#""hidden": true"#) && !text.contains("(hidden secret)") && !hasSecret(text), "\(text)")
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
    }

    @Test func `are in no record under their names, whatever the schema says of its own name`() throws {
        try sandbox.folder.write(
            #"{"patternProperties": {"^pass|key": {"writeOnly": true}}}"#,
            to: "schema.json"
        )
        let run = try sandbox.run("get ~/app.json keyspan.kept")
        #expect(run.status == 0 && run.output.contains("hidden") && !hasSecret(run.output), "\(run)")
    }

    @Test func `may be in what was kept while the domain named another schema`() throws {
        let lines = ["read ~/app.json", "get ~/app.json keyspan.kept", "kept ~/app.json"]
        for line in lines { #expect(try !hasSecret(sandbox.run(line).output)) }
        try sandbox.folder.write("{}", to: "empty.json")
        try sandbox.expectKept("delete ~/app.json '$schema'")
        for line in lines { #expect(try !sandbox.run(line).output.contains("pw-old")) }
        try sandbox.expect("set ~/app.json '$schema' empty.json")
        for line in lines { #expect(try !sandbox.run(line).output.contains("pw-old")) }
        try sandbox.expect("kept discard ~/app.json '$schema' --all")
        for line in lines { #expect(try sandbox.run(line).output.contains("pw-old")) }
    }

    @Test func `do not make a program's own list unreadable`() throws {
        let text = #"{"$hidden":["a","l[0].b"],"a":"(hidden secret)","l":[{"b":1}]}"#
        try sandbox.folder.write(text, to: "own.json")
        let shown = try JSONText.parse(Array(text.utf8))
        #expect(try json("read ~/own.json --output json --show-secrets") == shown)
        #expect(try json("read ~/own.json --output json") == shown)
        try sandbox.folder.write(text.replacing("(hidden secret)", with: "x"), to: "own.json")
        try sandbox.expect("export ~/own.json ~/copy.json")
        try sandbox.expect("import ~/own2.json ~/copy.json")
        try sandbox.refuse("import ~/own2.json -", "hidden in the document", input: #"{"$hidden":["a"]}"#)
    }

    @Test func `are in no suggestion`() throws {
        try sandbox.folder.write(#"{"properties": {"tls": {"writeOnly": true}}}"#, to: "schema.json")
        let run = try sandbox.run("get ~/app.json tls.por")
        #expect(run.status == 3 && !run.error.contains("tls.port"), "\(run)")
        #expect(try sandbox.run("get ~/app.json them").error.contains("theme"))
    }

    @Test(arguments: [String(repeating: "x", count: 200), "https://example.com/" + String(repeating: "x", count: 200)])
    func `are reported to be unknown with the beginning of a long reference`(reference: String) throws {
        try name(reference)
        let run = try sandbox.run("read ~/app.json")
        #expect(run.error.contains("x…") && run.error.utf8.count < 600, "\(run)")
        #expect(!run.error.contains(String(repeating: "x", count: 150)), "\(run)")
    }

    @Test(arguments: [("abc\u{4}", "abc"), (String(repeating: "x", count: 5000), nil)])
    func `are one line, which Ctrl-D ends as well, and which no terminal cuts`(line: String, value: String?)
        async throws
    {
        let terminal = try PseudoTerminal()
        let set = try sandbox.start("set ~/app.json password -", descriptors: [STDIN_FILENO: terminal.device])
        try await eventually("set asks", set.error) { $0.hasSuffix("shown: ") }
        try terminal.type(line)
        let result = try set.finish()
        #expect(result.status == (value == nil ? 2 : 0) && shows(terminal), "\(result)")
        #expect(result.error.contains("longer than a terminal passes on") == (value == nil), "\(result)")
        try sandbox.expect("get ~/app.json password", "\(value ?? "pw-one")\n")
    }

    @Test(arguments: [
        "set ~/app.json password -int pw-one", "write ~/app.json tls.key -data pw-key",
        "set ~/app.json password '{pw-one'", "set ~/app.json password -date pw-one", "set ~/app.json password -pw-one",
    ])
    func `are in no error`(line: String) throws {
        let run = try sandbox.run(line)
        #expect([0, 1, 64].contains(run.status) && !hasSecret(run.output + run.error), "\(run)")
    }

    @Test func `are in no violation`() throws {
        try sandbox.folder.write(
            """
            {"properties": {"password": {"type": "string", "enum": ["pw-two", "pw-old"], "writeOnly": true},
              "tls.key": {"type": "integer", "writeOnly": true}}}
            """,
            to: "strict.json"
        )
        let output = """
            ~/app.json:7:3: password is secret, and has a value that the schema does not allow.
            ~/app.json:9:11: tls.key is a string, but must be an integer.

            """
        let run = try sandbox.run("validate ~/app.json --schema ~/strict.json")
        #expect(run == Sandbox.Run(status: 1, output: output, error: ""))
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
        let run = try sandbox.run("validate ~/app.json")
        #expect(run.status == 1 && run.error.isEmpty && !hasSecret(run.output), "\(run)")
        #expect(run.output.contains("is secret, and has a value that the schema does not allow."), "\(run)")
    }
}
