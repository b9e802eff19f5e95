import ArgumentParser
import Foundation
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

/// The completions as the generated scripts ask for them.
@Suite(.heavy) struct CompletionTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox([
            "com.example.app": #"{"theme": "dark", "$(id)": 1, "a b": 2, "line\nfeed": 3}"#,
            "com.example.other": #"{"other": 1}"#, "damaged": "{",
        ])
        try sandbox.folder.write(#"{"plain": true}"#, to: "plain.json")
        try sandbox.folder.write("", to: "plain.txt")
        try sandbox.folder.write("", to: ".hidden.json")
    }

    /// The completions of the last word of a line, on one line with commas in between.
    private func candidates(
        for line: String,
        argument: Int = 0,
        commands: [String] = ["read"],
        shell: String = "fish",
        version: String = "4.0.0",
        in sandbox: Sandbox? = nil
    ) throws -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let call = "---completion \(commands.joined(separator: " ")) -- positional@\(argument)"
        let place = "\(words.count - 1) \(words.last.map { $0.unicodeScalars.count - 2 } ?? 0)"
        let arguments = "\(call) \(place) \(words.joined(separator: " "))"
        let result = try (sandbox ?? self.sandbox).shell(
            "export SAP_SHELL=\(shell) SAP_SHELL_VERSION=\(version); keyspan \(arguments)"
        )
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        return result.output.split(separator: "\n").joined(separator: ",")
    }

    @Test(arguments: [
        ("keyspan read com", "com.example.app,com.example.other"), ("keyspan read da", "damaged"),
        ("keyspan read pl", "plain.json"), ("keyspan read ./pl", "./plain.json"),
        ("keyspan read ./.h", "./.hidden.json"),
        ("keyspan read key", "keyspan/"), ("keyspan read keyspan/com.example.a", "keyspan/com.example.app.json"),
        ("keyspan read none/", ""), ("keyspan read -", ""),
        ("keyspan read ", "com.example.app,com.example.other,damaged,plain.json"),
    ])
    func `offers domains`(line: String, expected: String) throws {
        #expect(try candidates(for: line) == expected)
    }

    @Test func `offers the keys of a file that a program has locked, without a word`() throws {
        try sandbox.folder.write([], to: "keyspan/.com.example.other.json.journal", permissions: 0o600)
        let journal = try check(
            open(sandbox.folder.path("keyspan/.com.example.other.json.journal"), O_RDWR | O_CLOEXEC)
        )
        defer { close(journal) }
        try check(flock(journal, LOCK_EX))
        #expect(try candidates(for: "keyspan read com.example.other ot", argument: 1) == "other")
    }

    @Test(arguments: [
        ("keyspan read ", "a,a\u{301},b\u{600},a\u{301}.json,e\u{301}.json"),
        ("keyspan read a", "a,a\u{301},a\u{301}.json"), ("keyspan read e", "e\u{301}.json"),
        ("keyspan read b\u{600}", "b\u{600}"), ("keyspan read f", "f\u{600}/"),
        ("keyspan read f\u{600}/\u{301}", "f\u{600}/\u{301}\u{600}.json"), ("keyspan read \u{E9}", ""),
    ])
    func `compares the beginnings of domains by byte`(line: String, expected: String) throws {
        let text = #"{"key": 1}"#
        let empty = try Sandbox(["a": text, "a\u{301}": text, "b\u{600}": text])
        try empty.folder.makeFolder("f\u{600}")
        for name in ["e\u{301}.json", "a\u{301}.json", "f\u{600}/\u{301}\u{600}.json"] {
            try empty.folder.write("{}", to: name)
        }
        let found = try candidates(for: line, in: empty)
        // The order is that of strings, and does not matter here.
        let sets = [found, expected].map { Set($0.utf8.split(separator: UInt8(ascii: ",")).map(Array.init)) }
        #expect(sets[0] == sets[1], "\(found)")
    }

    @Test(arguments: [
        ("keyspan read com.example.app ", "$(id),a b,theme"), ("keyspan read com.example.app th", "theme"),
        ("keyspan read plain.json ", "plain"), ("keyspan read damaged ", ""), ("keyspan read none ", ""),
        ("keyspan read /etc ", ""),
    ])
    func `offers keys, and none where they cannot be read`(line: String, expected: String) throws {
        #expect(try candidates(for: line, argument: 1) == expected)
    }

    @Test(arguments: [
        ("keyspan read nested t", "tls"), ("keyspan read nested tls", "tls"),
        ("keyspan read nested tls.", "tls.client,tls.client.n,tls.port"),
        ("keyspan read nested tls.c", "tls.client,tls.client.n"), ("keyspan read nested tls.client.", "tls.client.n"),
        ("keyspan read nested list.", ""),
    ])
    func `offers nested names behind a dot`(line: String, expected: String) throws {
        try sandbox.write(#"{"tls": {"port": 1, "client": {"n": 1}}, "list": [{"a": 1}]}"#, toDomain: "nested")
        #expect(try candidates(for: line, argument: 1) == expected)
    }

    @Test(arguments: [
        ("keyspan write com.example.o", "com.example.other"), ("keyspan write com.example.other o", "other"),
        ("keyspan write com.example.app theme -d", "-data,-date,-dict,-dict-add"),
        ("keyspan write com.example.app theme -bool ", "true,false"), ("keyspan write com.example.app theme -int ", ""),
    ])
    func `offers what write takes`(line: String, expected: String) throws {
        #expect(try candidates(for: line, commands: ["write"]) == expected)
    }

    @Test(arguments: [
        ("get", "keyspan get com.example.o", 0, "com.example.other"),
        ("get", "keyspan get com.example.app th", 1, "theme"),
        ("get", "keyspan get --default x com.example.app th", 1, "theme"),
        ("set", "keyspan set com.example.o", 0, "com.example.other"),
        ("set", "keyspan set com.example.other o", 0, "other"),
        ("set", "keyspan set com.example.other other --", 0, "--stdin"),
        ("set", "keyspan set com.example.other other --stdin -i", 0, "-int,-integer"),
        ("incr", "keyspan incr com.example.app th", 1, "theme"),
        ("diff", "keyspan diff damaged com.example.o", 1, "com.example.other"),
        ("edit", "keyspan edit com.example.o", 0, "com.example.other"),
        ("validate", "keyspan validate pl", 0, "plain.json"),
    ])
    func `offers what the other commands take`(command: String, line: String, argument: Int, expected: String) throws {
        #expect(try candidates(for: line, argument: argument, commands: [command]) == expected)
    }

    @Test func `do not ask a cluster`() throws {
        let member = try SilentMember()
        #expect(try candidates(for: "keyspan read \(member.url)") == "")
        #expect(try candidates(for: "keyspan read \(member.url) ", argument: 1) == "")
        #expect(try candidates(for: "keyspan write \(member.url) ", commands: ["write"]) == "")
        let line = "keyspan kept restore \(member.url) "
        #expect(try candidates(for: line, argument: 1, commands: ["kept", "restore"]) == "")
        #expect(!member.wasAsked)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `are generated for all commands`(shell: String) throws {
        let script = try sandbox.run("--generate-completion-script \(shell)").output
        for command in ["get", "set", "incr", "diff", "edit", "validate"] {
            #expect(script.contains(command))
        }
        #expect(script.contains("schema"))
    }

    @Test func `offers kept keys only`() throws {
        let line = "keyspan kept restore com.example.app "
        #expect(try candidates(for: line, argument: 1, commands: ["kept", "restore"]) == "")
        try sandbox.write(
            """
            {"other": 1, "theme": 1, "keyspan.kept": {
              "theme": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"theme": 2}}]
            }}
            """,
            toDomain: "com.example.app"
        )
        #expect(try candidates(for: line, argument: 1, commands: ["kept", "restore"]) == "theme")
    }

    @Test(arguments: [
        ("bash", "", "'a b',theme"), ("bash", "\"", "'$(id)','a b',theme"), ("zsh", "", "$(id),a b,theme, "),
    ])
    func `offers nothing that a shell would run`(shell: String, quote: String, expected: String) throws {
        let line = "keyspan read com.example.app \(quote)"
        #expect(try candidates(for: line, argument: 1, shell: shell) == expected)
    }
}

@Suite struct CompletionRequestTests {
    private func request(
        _ line: [String],
        at index: Int,
        prefix: String = "",
        commands: Int = 1,
        shell: CompletionShell? = .bash,
        isQuoted: Bool = true
    ) -> CompletionRequest {
        CompletionRequest(
            line: line,
            index: index,
            prefix: prefix,
            commands: commands,
            shell: shell,
            isQuoted: isQuoted,
            home: "/home/ada"
        )
    }

    @Test(arguments: [
        (["keyspan", "read", "app", ""], 1, ["app"]),
        (["keyspan", "read", "--format", "json", "app", ""], 1, ["app"]),
        (["keyspan", "watch", "--initial", "app", ""], 1, ["app"]),
        (["keyspan", "read", "--", "app", ""], 1, ["app"]),
        (["keyspan", "kept", "restore", "--value", "2", "'my app'", ""], 2, ["my app"]),
        (["keyspan", "read", "~/app.json", ""], 1, ["/home/ada/app.json"]),
        (["keyspan", "read", ""], 1, []),
    ])
    func `knows what stands before the word`(line: [String], commands: Int, operands: [String]) {
        #expect(request(line, at: line.count - 1, commands: commands).operands == operands)
    }

    @Test func `takes the beginning of the last word as far as the cursor, and another word as a whole`() {
        #expect(request(["keyspan", "read", "app", #"my\ key"#], at: 3, prefix: #"my\ k"#).prefix == "my k")
        #expect(request(["keyspan", "read", "com", "key"], at: 2, prefix: "key").prefix == "com")
        let unquoted = request(["keyspan", "read", "app", #"a\b"#], at: 3, prefix: #"a\b"#, isQuoted: false)
        #expect(unquoted.prefix == #"a\b"#)
    }

    @Test(arguments: [#"a\'b"#, #"'a\'b'"#, #"'a\'b"#, #""a'b""#])
    func `takes a word of fish for what fish takes it for`(word: String) {
        let request = request(["keyspan", "read", word, word], at: 3, prefix: word, shell: .fish)
        #expect(request.operands == ["a'b"])
        #expect(request.prefix == "a'b")
    }
}
