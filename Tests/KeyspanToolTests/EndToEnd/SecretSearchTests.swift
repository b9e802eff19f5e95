import Foundation
import KeyspanTestSupport
import Testing

/// Runs of all commands, in whose output and files secrets are searched that were put where they belong.
@Suite(.heavy) struct SecretSearchTests {
    /// The member `$schema` of the domains.
    enum Schema: String, CaseIterable {
        case known = #""schema.json""#
        case referring = #""referring.json""#
        case missing = #""none.json""#
        case url = #""https://example.com/schema.json""#
        case number = "5"
    }

    private let sandbox: Sandbox
    /// The secrets of the domains, also as the texts of data.
    private static let stored = [
        "planted-text", "planted-key", "planted-kept", "planted-user", "planted-allowed", "cGxhbnRlZC1kYXRh",
        "706c616e7465642d64617461", "706c616e 7465642d", "47114711",
    ]
    /// A secret that no command stores.
    private static let given = "planted-argument"

    init() throws {
        sandbox = try Sandbox([
            "schema": """
            {"properties": {
              "password": {"writeOnly": true}, "pin": {"writeOnly": true}, "tls.key": {"writeOnly": true},
              "data": {"writeOnly": true}, "users": {"items": {"properties": {"token": {"writeOnly": true}}}}
            }}
            """,
            "referring": #"{"allOf": [{"$ref": "https://example.com/schema.json"}]}"#,
        ])
        let allowed = #"{"enum": ["planted-allowed"], "writeOnly": true}"#
        try sandbox.folder.write(
            #"{"properties": {"password": \#(allowed), "pin": \#(allowed), "users": {"type": "integer"}}}"#,
            to: "strict.json"
        )
        try sandbox.folder.makeFolder("temporary")
        try sandbox.folder.write(#"printf '{"theme": "light"}' >"$1""#, to: "editor")
    }

    private func plant(_ schema: Schema) throws {
        for (name, port) in [("app", 1), ("other", 2)] {
            try sandbox.write(
                """
                {
                  "$schema": \(schema.rawValue),
                  "data": {"$data": "cGxhbnRlZC1kYXRh"},
                  "keyspan.kept": {
                    "password": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"password": ["planted-kept"]}}],
                    "tls": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"tls": {"key": "planted-kept"}}}]
                  },
                  "password": "planted-text",
                  "pin": 47114711,
                  "theme": "dark",
                  "tls": {"key": "planted-key", "port": \(port)},
                  "users": [{"name": "planted-user-name", "token": "planted-user"}]
                }
                """.replacing("planted-user-name", with: "ann"),
                toDomain: name
            )
        }
        let other = try sandbox.text(ofDomain: "other").replacing("planted-text", with: "planted-key")
        try sandbox.write(other, toDomain: "other")
    }

    private static let formats = ["text", "table", "json", "plist"]

    /// Commands that show what is stored, which all have an option to show everything.
    private static let listings: [String] =
        [
            "read", "read app", "read app tls", "get app tls", "get app users", "get app keyspan.kept", "kept app",
            "kept list app", "kept app tls",
        ].flatMap { line in formats.map { "\(line) --output \($0)" } }
        + ["diff app other", "diff other app --output json", "find planted", "find pass --output json"]

    /// Commands that name a key whose value is hidden nevertheless, that show no values, or that change something else.
    private static let others: [String] =
        ["get app password", "read app pin", "get app tls.key", "read app data", "kept app password"].flatMap { line in
            formats.flatMap { format in
                ["schema", "referring"].map { "\(line) --output \(format) --schema ~/keyspan/\($0).json" }
            }
        } + [
            "find 4711", "validate app", "validate app --schema ~/strict.json",
            "validate app --schema ~/strict.json --output json", "read-type app password", "domains",
            "set app theme light", "incr app tls.port", "rename app password word", "delete app theme",
            "write app theme -array-add x", "kept discard app password --all", "kept restore app tls",
            "export app ~/out-app.json", "import app ~/keyspan/other.json", "set app password -", "delete app",
        ]

    /// Commands that fail, with a secret among their words or on standard input.
    private static let failures: [String] = [
        "set app new '{planted-argument'", "set app new '(planted-argument'", "set app new '\"planted-argument'",
        "set app new '[\"planted-argument\",'", "set app new '<string>planted-argument'",
        "set app new '<planted-argument>'",
        "set app pin planted-argument", "set app tls planted-argument", "set app users '{a = planted-argument'",
        "write app new -int planted-argument", "write app new -float planted-argument",
        "write app new -date planted-argument",
        "write app new -data planted-argument", "write app new -bool planted-argument",
        "write app new -planted-argument",
        "write app new a planted-argument", "write app new -array -int planted-argument",
        "write app new -dict planted-argument",
        "write app new -dict a b planted-argument", "write app password -array-add planted-argument",
        "write app '{\"new\": \"planted-argument\", '", "write app '{new = planted-argument'",
        "write app planted-argument",
        "write app '(planted-argument)'", "write app new - planted-argument", "write app pin -",
        "write app tls --stdin",
        "write app new --stdin -date", "import app -", "incr app new planted-argument", "incr app password",
        "get app new --default '{planted-argument'", "read app new --default '(planted-argument' --output json",
        "get app new --default two planted-argument", "get app new --default '<planted-argument>'",
    ]

    @Test func `name all commands`() throws {
        let lines = Self.listings + Self.others + Self.failures + ["watch", "edit"]
        let named = Set(lines.map { $0.split(separator: " ")[0] })
        let help = try sandbox.run("help").output.split(separator: "SUBCOMMANDS:\n")[1].split(separator: "\n")
        let all = help.filter { $0.hasPrefix("  ") }.map { $0.dropFirst(2).prefix { $0 != " " } }.filter {
            $0.first?.isLowercase == true
        }
        #expect(all.count > 16 && all.filter { !named.contains($0) }.isEmpty)
    }

    @Test(arguments: Schema.allCases)
    func `show no secret`(schema: Schema) throws {
        for line in Self.listings + Self.others {
            try plant(schema)
            let run = try sandbox.run(line, input: "planted-text")
            #expect(run.status != 64, "\(line): \(run)")
            try search(run.output + run.error, line)
        }
    }

    @Test(arguments: Schema.allCases)
    func `repeat no secret in an error`(schema: Schema) throws {
        for line in Self.failures {
            try plant(schema)
            let run = try sandbox.run(line, input: "{\"new\": \"planted-argument\", ")
            #expect(run.status != 0 && run.output.isEmpty, "\(line): \(run)")
            try search(run.error, line)
        }
    }

    @Test(arguments: Schema.allCases)
    func `show no secret on a terminal`(schema: Schema) throws {
        for line in [
            "export app -", "export app /dev/stdout --format json", "export app - --format binary", "read app",
        ] {
            try plant(schema)
            try search(try sandbox.shownOnTerminal(line), line)
        }
    }

    @Test(arguments: Schema.allCases)
    func `leave no secret in what is watched or was edited`(schema: Schema) async throws {
        for format in ["text", "json"] {
            try plant(schema)
            let watch = try sandbox.start("watch app --initial --output \(format)")
            try await eventually("watch prints what is there", watch.lines().count) { $0 >= 7 }
            try sandbox.expect("set app password -", input: "planted-key")
            let present = #""$schema": \#(schema.rawValue),"#
            let text = try sandbox.text(ofDomain: "app").replacing(present, with: #""$schema": "later.json","#)
            try sandbox.write(text, toDomain: "app")
            try sandbox.expect("set app tls.port -int 3")
            let last = format == "text" ? "port = 3" : "\"port\": 3"
            try await eventually("watch prints the changes", watch.output) { $0.contains(last) }
            watch.send(SIGTERM)
            let result = try watch.finish()
            try search(result.output + result.error, "watch --output \(format)")
        }
        let variables = [
            "EDITOR": "sh '\(sandbox.folder.path("editor"))'", "TMPDIR": sandbox.folder.path("temporary"),
        ]
        let result = try sandbox.start("edit app", environment: variables).finish()
        #expect(result.status == 0)
        try search(result.output + result.error, "edit")
    }

    @Test(arguments: Schema.allCases)
    func `are found if they are shown`(schema: Schema) throws {
        try plant(schema)
        for line in Self.listings {
            let run = try sandbox.run(line + " --show-secrets")
            #expect(!secrets(in: run.output).isEmpty, "\(line): \(run)")
        }
        try sandbox.folder.write(Self.given, to: "temporary/copy")
        #expect(
            try files(with: Self.stored + [Self.given]) == [
                "keyspan/app.json", "keyspan/other.json", "strict.json", "temporary/copy",
            ]
        )
    }

    /// Searches the text that a run has printed, and the files that it has left, other than those of domains, of which none has the
    /// secret that was given.
    private func search(_ text: String, _ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(secrets(in: text).isEmpty, "\(line): \(text)", sourceLocation: sourceLocation)
        let places = try files(with: Self.stored).filter { !$0.contains("app.json") && !$0.contains("other.json") }
        #expect(places == ["strict.json"], "\(line)", sourceLocation: sourceLocation)
        #expect(try files(with: [Self.given]).isEmpty, "\(line)", sourceLocation: sourceLocation)
    }

    private func secrets(in text: String) -> [String] { (Self.stored + [Self.given]).filter(text.contains) }

    /// The files in the sandbox, hidden ones as well, that have one of some texts.
    private func files(with texts: [String]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path).filter { path in
            guard let data = FileManager.default.contents(atPath: sandbox.folder.path(path)) else { return false }
            let text = String(decoding: data, as: UTF8.self)
            return texts.contains(where: text.contains)
        }.sorted()
    }
}
