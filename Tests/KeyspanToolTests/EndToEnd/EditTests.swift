import Foundation
import KeyspanTestSupport
import Testing

/// `edit`, with shell scripts as editors.
@Suite(.heavy) struct EditTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["app": #"{"a": 1, "b": 2}"#])
        try sandbox.folder.makeFolder("temporary")
    }

    /// Runs `edit` with a script as the editor, to which the copy is `$1` and the tool `$KEYSPAN`.
    ///
    /// - Parameter answers: The lines that a user types, if there is a terminal.
    private func edit(
        _ script: String,
        of domain: String = "app",
        variable: String = "EDITOR",
        answers: [String]? = nil
    ) throws -> Sandbox.Run {
        try sandbox.folder.write(script, to: "editor")
        let temporary = sandbox.folder.path("temporary")
        let variables = [variable: "sh '\(sandbox.folder.path("editor"))'", "TMPDIR": temporary]
        let keyboard = try answers.map { _ in try PseudoTerminal() }
        for answer in answers ?? [] { try keyboard?.type(answer) }
        let descriptors = keyboard.map { [STDIN_FILENO: $0.device] } ?? [:]
        let result = try sandbox.start("edit \(domain)", environment: variables, descriptors: descriptors).finish()
        return Sandbox.Run(status: result.status, output: result.output, error: result.error)
    }

    private static let success = Sandbox.Run(status: 0, output: "", error: "")

    /// The files of copies that are still there.
    private func copies() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path("temporary"))
            .filter { $0.hasSuffix(".json") }
    }

    /// The domain as JSON, without space.
    private func saved() throws -> String {
        try sandbox.run("read app --output json").output.filter { !$0.isWhitespace }
    }

    @Test(arguments: ["EDITOR", "VISUAL"])
    func `saves what has changed`(variable: String) throws {
        let script = """
            stat -c %a "$1" >"$TMPDIR/../mode"; cp "$1" "$TMPDIR/../shown"; cp "$1" "$1~"
            echo '{"a": 10, "c": [true]}' >"$1"
            """
        #expect(try edit(script, variable: variable) == Self.success)
        #expect(try sandbox.folder.text(of: "shown") == "{\n  \"a\": 1,\n  \"b\": 2\n}\n")
        #expect(try sandbox.folder.text(of: "mode") == "600\n")
        #expect(try saved() == #"{"a":10,"c":[true]}"#)
        // The editor's own backup is gone as well.
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path("temporary")).isEmpty)
    }

    @Test(arguments: [
        // Changes of other keys by other programs are kept, and the same change is none.
        (
            "\"$KEYSPAN\" set app b -int 20; \"$KEYSPAN\" set app o -int 3; echo '{\"a\": 10, \"b\": 2}' >\"$1\"",
            #"{"a":10,"b":20,"o":3}"#
        ),
        ("\"$KEYSPAN\" write app a -int 5; echo '{\"a\": 5, \"b\": 9}' >\"$1\"", #"{"a":5,"b":9}"#),
    ])
    func `merges what another program changes meanwhile`(script: String, json: String) throws {
        #expect(try edit(script) == Self.success)
        #expect(try saved() == json)
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
        let script = """
            "$KEYSPAN" set app tls.other x
            echo '{"tls": {"port": 8443, "list": [1], "client": {"n": 1, "m": 2}}, "a.b": 1, "c.d": 3}' >"$1"
            """
        #expect(try edit(script) == Self.success)
        let expected = text.replacing("443,", with: "8443,").replacing("    \"cert\": \"a\",\n", with: "")
            .replacing("{\"n\": 1}", with: "{\"m\": 2, \"n\": 1},\n    \"other\": \"x\"")
            .replacing("\"a.b\": 1", with: "\"a.b\": 1,\n  \"c.d\": 3")
        #expect(try sandbox.text(ofDomain: "app") == expected)
    }

    @Test func `reports a change of the same key by another program`() throws {
        let run = try edit("\"$KEYSPAN\" write app a -int 5; echo '{\"a\": 10, \"b\": 9}' >\"$1\"")
        #expect(run.status == 1 && run.error.contains("another program has changed the key \"a\""))
        #expect(try saved() == #"{"a":5,"b":2}"#)
        let copy = try #require(try copies().first)
        #expect(run.error.contains("kept in \(sandbox.folder.path("temporary/\(copy)"))"))
        #expect(try sandbox.folder.text(of: "temporary/\(copy)") == "{\"a\": 10, \"b\": 9}\n")
    }

    @Test(arguments: [
        (#"{"a": 1, "b": 2}"#, "a", "b -int 6", #"{"a": 10, "b": 2}"#, #"{"a":10,"b":6}"#),
        (
            #"{"tls": {"port": 443, "host": "a"}}"#, "tls.port", "tls.host b", #"{"tls": {"port": 8443, "host": "a"}}"#,
            #"{"tls":{"host":"b","port":8443}}"#
        ),
    ])
    func `replaces another program's change if the user edits again`(
        text: String,
        key: String,
        change: String,
        edited: String,
        json: String
    ) throws {
        try sandbox.write(text, toDomain: "app")
        let script = """
            test -e "$TMPDIR/../again" && exit 0
            touch "$TMPDIR/../again"; "$KEYSPAN" set app \(key) -int 5; "$KEYSPAN" set app \(change)
            echo '\(edited)' >"$1"
            """
        let run = try edit(script, answers: [""])
        #expect(run.status == 0)
        #expect(run.error.contains("another program has changed the key \"\(key)\" in the meantime"))
        #expect(try saved() == json)
    }

    @Test(arguments: [
        (#"{\n  "a": 1,\n}"#, "line 3, column 1"), (#"{"a": 1, "a": 2}"#, "line 1, column 10"),
        ("[]", "line 1, column 1"), ("", "line 1, column 1"),
    ])
    func `keeps a text that it cannot save and names the place of the mistake`(text: String, place: String) throws {
        let run = try edit("printf '\(text)' >\"$1\"")
        #expect(run.status == 1 && run.error.contains(place), "\(run)")
        #expect(try copies().count == 1)
        #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
    }

    @Test func `asks on a terminal whether to edit again, and keeps the copy if the answer is no`() throws {
        let script = "if grep -q oops \"$1\"; then echo '{\"a\": 7}' >\"$1\"; else echo oops >\"$1\"; fi"
        let again = try edit(script, answers: ["perhaps", "y"])
        #expect(again.status == 0 && again.error.contains("line 1, column 1"))
        #expect(again.error.hasSuffix("Edit it again? [Y/n] Edit it again? [Y/n] "))
        #expect(try saved() == #"{"a":7}"#)
        #expect(try copies().isEmpty)
        let never = try edit("echo oops >\"$1\"", answers: ["n"])
        #expect(never.status == 1 && never.error.contains("The edited text is kept in "))
        #expect(try copies().count == 1)
    }

    @Test func `makes a domain`() throws {
        #expect(try edit("cp \"$1\" \"$TMPDIR/../shown\"; echo '{\"a\": 1}' >\"$1\"", of: "new") == Self.success)
        #expect(try sandbox.folder.text(of: "shown") == "{}\n")
        try sandbox.expect("get new a", "1\n")
    }

    @Test func `edits a property list as JSON`() throws {
        try sandbox.expect("write ~/settings.plist when -date 2026-11-21T10:50:00Z")
        #expect(try edit("sed -i 's/2026/2027/' \"$1\"", of: "~/settings.plist") == Self.success)
        try sandbox.expect("get ~/settings.plist when", "2027-11-21 10:50:00 +0000\n")
    }

    @Test(arguments: [
        ("exit 0", 0, "keyspan: Nothing has changed, so nothing is saved.\n"), ("exit 3", 1, "status 3"),
        ("kill -TERM $$", 1, "status 143"), ("exit 127", 1, "cannot be run"),
    ])
    func `reports an editor that fails or changes nothing, and keeps no copy`(
        script: String,
        status: Int32,
        hint: String
    ) throws {
        let run = try edit(script)
        #expect(run.status == status && run.error.contains(hint), "\(run)")
        #expect(try copies().isEmpty)
        #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
    }

    @Test func `does not open a file that cannot be read`() throws {
        try sandbox.write("{", toDomain: "damaged")
        #expect(try edit("touch \"$TMPDIR/../opened\"", of: "damaged").status == 1)
        #expect(!sandbox.folder.contains("opened"))
    }
}
