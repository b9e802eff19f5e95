import Foundation
import Testing

/// `edit`, with shell scripts as editors.
@Suite struct EditTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(#"{"a": 1, "b": 2}"#, toDomain: "app")
    }

    /// Runs `edit` with a script as the editor, to which the copy is `$1` and the tool `$KEYSPAN`.
    private func edit(
        _ script: String,
        domain: String = "app",
        variable: String = "EDITOR",
        keyboard: PseudoTerminal? = nil
    ) throws -> ToolProcess.Result {
        try sandbox.folder.write(script, to: "editor")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let variables = [
            variable: "sh '\(sandbox.folder.path("editor"))'", "TMPDIR": temporary, "KEYSPAN": ToolProcess.executable,
        ]
        return try ToolProcess(
            ToolProcess.executable,
            ["edit", domain],
            environment: sandbox.environment.merging(variables) { $1 },
            keyboard: keyboard
        ).finish()
    }

    private var temporary: String { sandbox.folder.path("temporary") }

    /// The files of copies that are still there.
    private func copies() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: temporary).filter { $0.hasSuffix(".json") }
    }

    @Test(arguments: ["EDITOR", "VISUAL"])
    func `saves what has changed`(variable: String) throws {
        let result = try edit(
            """
            stat -c %a "$1" >"$TMPDIR/../mode"; cp "$1" "$TMPDIR/../shown"; cp "$1" "$1~"
            echo '{"a": 10, "c": [true]}' >"$1"
            """,
            variable: variable
        )
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.folder.text(of: "shown") == "{\n  \"a\": 1,\n  \"b\": 2\n}\n")
        #expect(try sandbox.folder.text(of: "mode") == "600\n")
        let json = try sandbox.run("read", "app", "--output", "json").output
        #expect(json == "{\n  \"a\": 10,\n  \"c\": [\n    true\n  ]\n}\n")
        // The editor's own backup is gone as well.
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }

    @Test func `keeps changes of other keys by other programs`() throws {
        let result = try edit(
            """
            "$KEYSPAN" write app b -int 20; "$KEYSPAN" write app other -int 3
            echo '{"a": 10, "b": 2}' >"$1"
            """
        )
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        let json = try sandbox.run("read", "app", "--output", "json").output
        #expect(json == "{\n  \"a\": 10,\n  \"b\": 20,\n  \"other\": 3\n}\n")
    }

    @Test func `saves what has changed inside a dictionary, and leaves its comments`() throws {
        let text = """
            {
              "tls": {
                "port": 443, // needs root
                "cert": "a",
                "list": [1], // stays
                "client": {"n": 1}
              },
              "a.b": 1
            }

            """
        try sandbox.write(text, toDomain: "app")
        let result = try edit(
            """
            "$KEYSPAN" set app tls.other x
            echo '{"tls": {"port": 8443, "list": [1], "client": {"n": 1, "m": 2}}, "a.b": 1, "c.d": 3}' >"$1"
            """
        )
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        let expected = text.replacing("443,", with: "8443,").replacing("    \"cert\": \"a\",\n", with: "")
            .replacing("{\"n\": 1}", with: "{\"m\": 2, \"n\": 1},\n    \"other\": \"x\"")
            .replacing("\"a.b\": 1", with: "\"a.b\": 1,\n  \"c.d\": 3")
        #expect(try sandbox.text(ofDomain: "app") == expected)
    }

    @Test func `replaces another program's change inside a dictionary if the user edits again`() throws {
        try sandbox.write(#"{"tls": {"port": 443, "host": "a"}}"#, toDomain: "app")
        let keyboard = try PseudoTerminal()
        try keyboard.type("")
        let result = try edit(
            """
            test -e "$TMPDIR/../again" && exit; touch "$TMPDIR/../again"
            "$KEYSPAN" set app tls.port -int 1; "$KEYSPAN" set app tls.host b
            echo '{"tls": {"port": 8443, "host": "a"}}' >"$1"
            """,
            keyboard: keyboard
        )
        #expect(result.status == 0)
        #expect(result.error.contains("another program has changed the key \"tls.port\" in the meantime"))
        #expect(try sandbox.text(ofDomain: "app") == #"{"tls": {"port": 8443, "host": "b"}}"#)
    }

    @Test func `reports a change of the same key by another program`() throws {
        let result = try edit("\"$KEYSPAN\" write app a -int 5; echo '{\"a\": 10, \"b\": 9}' >\"$1\"")
        #expect(result.status == 1)
        #expect(result.error.contains("another program has changed the key \"a\""))
        #expect(try sandbox.run("read", "app", "--output", "json").output == "{\n  \"a\": 5,\n  \"b\": 2\n}\n")
        let copy = try #require(try copies().first)
        #expect(result.error.contains("kept in \(temporary)/\(copy)"))
        #expect(try sandbox.folder.text(of: "temporary/\(copy)") == "{\"a\": 10, \"b\": 9}\n")
    }

    @Test func `takes the same change by another program for none`() throws {
        let result = try edit("\"$KEYSPAN\" write app a -int 5; echo '{\"a\": 5, \"b\": 9}' >\"$1\"")
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        #expect(try sandbox.run("read", "app", "--output", "json").output == "{\n  \"a\": 5,\n  \"b\": 9\n}\n")
    }

    @Test(arguments: [
        (#"{\n  "a": 1,\n}"#, "line 3, column 1"), (#"{"a": 1, "a": 2}"#, "line 1, column 10"),
        ("[]", "line 1, column 1"),
        ("", "line 1, column 1"),
    ])
    func `keeps a text that it cannot save and names the place of the mistake`(text: String, place: String) throws {
        let before = try sandbox.text(ofDomain: "app")
        let result = try edit("printf '\(text)' >\"$1\"")
        #expect(result.status == 1)
        #expect(result.error.contains(place), "\(result.error)")
        #expect(try copies().count == 1)
        #expect(try sandbox.text(ofDomain: "app") == before)
    }

    @Test func `asks on a terminal whether to edit again`() throws {
        let keyboard = try PseudoTerminal()
        try keyboard.type("perhaps")
        try keyboard.type("y")
        let result = try edit(
            "if grep -q oops \"$1\"; then echo '{\"a\": 7}' >\"$1\"; else echo oops >\"$1\"; fi",
            keyboard: keyboard
        )
        #expect(result.status == 0)
        #expect(result.error.contains("line 1, column 1"))
        #expect(result.error.hasSuffix("Edit it again? [Y/n] Edit it again? [Y/n] "))
        #expect(try sandbox.run("read", "app", "--output", "json").output == "{\n  \"a\": 7\n}\n")
        #expect(try copies().isEmpty)
    }

    @Test func `replaces another program's change if the user edits again`() throws {
        let keyboard = try PseudoTerminal()
        try keyboard.type("")
        let result = try edit(
            """
            test -e "$TMPDIR/../again" && exit 0
            touch "$TMPDIR/../again"; "$KEYSPAN" write app a -int 5; "$KEYSPAN" write app b -int 6
            echo '{"a": 10, "b": 2}' >"$1"
            """,
            keyboard: keyboard
        )
        #expect(result.status == 0)
        #expect(result.error.contains("another program has changed the key \"a\""))
        #expect(try sandbox.run("read", "app", "--output", "json").output == "{\n  \"a\": 10,\n  \"b\": 6\n}\n")
    }

    @Test func `keeps the copy if the answer is no`() throws {
        let keyboard = try PseudoTerminal()
        try keyboard.type("n")
        let result = try edit("echo oops >\"$1\"", keyboard: keyboard)
        #expect(result.status == 1)
        #expect(result.error.contains("The edited text is kept in "))
        #expect(try copies().count == 1)
    }

    @Test func `makes a domain`() throws {
        let result = try edit("cp \"$1\" \"$TMPDIR/../shown\"; echo '{\"a\": 1}' >\"$1\"", domain: "new")
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        #expect(try sandbox.folder.text(of: "shown") == "{}\n")
        #expect(try sandbox.run("get", "new", "a").output == "1\n")
    }

    @Test func `edits a property list as JSON`() throws {
        let path = sandbox.folder.path("settings.plist")
        try sandbox.run("write", path, "when", "-date", "2026-11-21T10:50:00Z")
        let result = try edit("sed -i 's/2026/2027/' \"$1\"", domain: path)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        #expect(try sandbox.run("get", path, "when").output == "2027-11-21 10:50:00 +0000\n")
    }

    @Test func `saves nothing if nothing has changed`() throws {
        let before = try sandbox.text(ofDomain: "app")
        let result = try edit("exit 0")
        #expect(result.status == 0)
        #expect(result.error == "keyspan: Nothing has changed, so nothing is saved.\n")
        #expect(try sandbox.text(ofDomain: "app") == before)
    }

    @Test(arguments: [("exit 3", "status 3"), ("kill -TERM $$", "status 143"), ("exit 127", "cannot be run")])
    func `reports an editor that fails and keeps no copy without changes`(script: String, hint: String) throws {
        let result = try edit(script)
        #expect(result.status == 1)
        #expect(result.error.contains(hint), "\(result.error)")
        #expect(try copies().isEmpty)
    }

    @Test func `does not open a file that cannot be read`() throws {
        try sandbox.write("{", toDomain: "damaged")
        let result = try edit("touch \"$TMPDIR/../opened\"", domain: "damaged")
        #expect(result.status == 1)
        #expect(!sandbox.folder.contains("opened"))
    }

    @Test(arguments: [["edit"], ["edit", ".."], ["edit", "app", "key"]])
    func `refuses arguments that it cannot understand`(arguments: [String]) throws {
        #expect(try sandbox.run(arguments).status == 64)
    }
}
