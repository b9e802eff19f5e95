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
        let keyboard = try answers.map { _ in try PseudoTerminal() }
        for answer in answers ?? [] { try keyboard?.type(answer) }
        let descriptors = keyboard.map { [STDIN_FILENO: $0.device] } ?? [:]
        let result = try start(script, of: domain, variable: variable, descriptors: descriptors).finish()
        return Sandbox.Run(status: result.status, output: result.output, error: result.error)
    }

    /// Starts `edit` with a script as the editor.
    private func start(
        _ script: String,
        of domain: String = "app",
        variable: String = "EDITOR",
        descriptors: [Int32: Int32] = [:]
    ) throws -> TestProcess {
        try sandbox.folder.write(script, to: "editor")
        let temporary = sandbox.folder.path("temporary")
        let variables = [variable: "sh '\(sandbox.folder.path("editor"))'", "TMPDIR": temporary]
        return try sandbox.start("edit \(domain)", environment: variables, descriptors: descriptors)
    }

    private static let success = Sandbox.Run(status: 0, output: "", error: "")

    /// The files and folders that are left in the folder for temporary files.
    private func remains() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path("temporary"))
    }

    /// The files of copies that are still there.
    private func copies() throws -> [String] { try remains().filter { $0.hasSuffix(".json") } }

    /// The domain as JSON, without space.
    private func saved() throws -> String {
        try Sandbox.settings(in: Array(sandbox.run("read app --output json").output.utf8)).filter { !$0.isWhitespace }
    }

    @Test(arguments: ["EDITOR", "VISUAL"])
    func `saves what has changed`(variable: String) throws {
        let script = """
            stat -c %a "$1" >"$TMPDIR/../mode"; cp "$1" "$TMPDIR/../shown"; cp "$1" "$1~"
            echo '{"a": 10, "c": [true]}' >"$1"
            """
        #expect(try edit(script, variable: variable) == Self.success)
        #expect(try sandbox.folder.text(of: "shown") == #"{"a": 1, "b": 2}"#)
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
            cp "$1" "$TMPDIR/../shown"; "$KEYSPAN" set app tls.other x
            sed -i -e 's/443,/8443,/' -e '/cert/d' -e 's/"n": 1/"n": 1, "m": 2/' -e 's/"a.b": 1/"a.b": 1, "c.d": 3/' "$1"
            """
        #expect(try edit(script) == Self.success)
        #expect(try sandbox.folder.text(of: "shown") == text)
        let expected = text.replacing("443,", with: "8443,").replacing("    \"cert\": \"a\",\n", with: "")
            .replacing("{\"n\": 1}", with: "{\"n\": 1, \"m\": 2},\n    \"other\": \"x\"")
            .replacing("\"a.b\": 1", with: "\"a.b\": 1, \"c.d\": 3")
        #expect(try sandbox.settings(ofDomain: "app") == expected)
    }

    private static let commented = "{\n  // the port of the server\n  \"port\": 1\n}\n"

    @Test(arguments: [
        ("cat \"$1\" >\"$TMPDIR/../shown\"", commented, "Nothing has changed"),
        ("sed -i 's/server/proxy/' \"$1\"", commented.replacing("server", with: "proxy"), ""),
        ("sed -i 's/1$/2, \\/* new *\\//' \"$1\"", commented.replacing("1\n", with: "2, /* new */\n"), ""),
        ("sed -i '/the port/d' \"$1\"", "{\n  \"port\": 1\n}\n", ""),
        ("printf '{ \"port\" : 1  } // end' >\"$1\"", "{ \"port\" : 1  } // end", ""),
        // With the changes of other programs.
        (
            "\"$KEYSPAN\" set \"$FILE\" host x; sed -i 's/server/proxy/' \"$1\"",
            "{\n  // the port of the proxy\n  \"port\": 1,\n  \"host\": \"x\"\n}\n", ""
        ),
        (
            "sed -i 's/server/gate/' \"$FILE\"; sed -i 's/: 1/: 7/' \"$1\"",
            commented.replacing("server", with: "gate").replacing(": 1", with: ": 7"), ""
        ),
        (
            "sed -i 's/server/gate/' \"$FILE\"; sed -i 's/server/x/' \"$1\"",
            commented.replacing("server", with: "gate"), "such as a comment"
        ),
        (
            "sed -i 's/: 1/: 3/' \"$FILE\"; sed -i 's/: 1/: 7/' \"$1\"", commented.replacing(": 1", with: ": 3"),
            "the key \"port\""
        ),
    ])
    func `shows, keeps and takes comments`(script: String, text: String, hint: String) throws {
        for name in ["settings.jsonc", "settings.json"] {
            try sandbox.folder.write(Self.commented, to: name)
            let run = try edit("FILE='\(sandbox.folder.path(name))'; \(script)", of: "~/\(name)")
            #expect(hint.isEmpty ? run == Self.success : run.error.contains(hint), "\(run)")
            #expect(try sandbox.settings(in: name) == text)
        }
    }

    @Test func `takes no comments where nothing could keep them`() throws {
        try sandbox.folder.write("{\"a\": 1}\n", to: "plain.json")
        let plain = try edit("echo '{\"a\": 2} // x' >\"$1\"", of: "~/plain.json")
        #expect(plain.status == 2 && plain.error.contains("name the file `.jsonc`"), "\(plain)")
        try sandbox.expect("set ~/settings.plist a b")
        let list = try edit("echo '{\"a\": \"c\"} // x' >\"$1\"", of: "~/settings.plist")
        #expect(list.status == 2 && list.error.contains("only a JSON file keeps comments"), "\(list)")
        try sandbox.expect("get ~/settings.plist a", "b\n")
    }

    @Test(arguments: [
        (#"{"a.b": 1, "x": 2}"#, #"{"a": {"b": 3}, "x": 2}"#),
        (#"{"a": {"b": 1}, "x": 2}"#, #"{"a": {"b": 3}, "a.b": 4, "x": 2}"#),
        (#"{"a": {"b": 1}}"#, #"{"a.b": 1}"#), (#"{"a": 1}"#, #"{"a": {"b": 1}, "a.b": {}}"#),
    ])
    func `saves entries, whatever names lead to them`(before: String, edited: String) throws {
        try sandbox.write(before, toDomain: "app")
        #expect(try edit("printf '%s' '\(edited)' >\"$1\"") == Self.success)
        #expect(try sandbox.settings(ofDomain: "app") == edited)
    }

    @Test(arguments: [
        ("tls -int 5", #"{"tls": {"port": 443, "host": "a"}}"#), ("tls.host b", #"{"tls": 5}"#),
        ("tls.port -int 5", "{}"),
    ])
    func `notices a change of another program around or inside of its own`(change: String, edited: String) throws {
        try sandbox.write(#"{"tls": {"port": 443}}"#, toDomain: "app")
        let run = try edit("\"$KEYSPAN\" set app \(change); echo '\(edited)' >\"$1\"")
        #expect(run.status == 2 && run.error.contains("another program has changed the key \"tls"), "\(run)")
    }

    @Test func `stores no placeholder of a hidden secret`() throws {
        let run = try edit("echo '{\"a\": \"(hidden secret)\", \"b\": 2}' >\"$1\"")
        #expect(run.status == 2 && run.error.contains("are hidden in the document"))
        #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
    }

    @Test func `reports a change of the same key by another program`() throws {
        let run = try edit("\"$KEYSPAN\" write app a -int 5; echo '{\"a\": 10, \"b\": 9}' >\"$1\"")
        #expect(run.status == 2 && run.error.contains("another program has changed the key \"a\""))
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
        let run = try edit(script, answers: ["y"])
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
        #expect(run.status == 2 && run.error.contains(place), "\(run)")
        #expect(try copies().count == 1)
        #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
    }

    @Test func `asks on a terminal whether to edit again, and keeps the copy if the answer is no`() throws {
        let script = "if grep -q oops \"$1\"; then echo '{\"a\": 7}' >\"$1\"; else echo oops >\"$1\"; fi"
        let again = try edit(script, answers: ["perhaps", "y"])
        #expect(again.status == 0 && again.error.contains("line 1, column 1"))
        #expect(
            again.error.hasSuffix("until it is saved or you remove it.\nEdit it again? [Y/n] Edit it again? [Y/n] ")
        )
        #expect(try saved() == #"{"a":7}"#)
        #expect(try copies().isEmpty)
        let never = try edit("echo oops >\"$1\"", answers: ["n"])
        #expect(never.status == 2 && never.error.contains("The edited text is kept in "))
        #expect(try copies().count == 1)
    }

    @Test func `replaces another program's change for no empty answer`() throws {
        let run = try edit("\"$KEYSPAN\" set app a -int 5; echo '{\"a\": 10}' >\"$1\"", answers: [""])
        #expect(run.status == 2 && run.error.hasSuffix("Edit it again? [y/N] "), "\(run)")
        #expect(try saved() == #"{"a":5,"b":2}"#)
        #expect(try copies().count == 1)
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func `ends at its question with a signal, and has said where the text is`(signal: Int32) async throws {
        let keyboard = try PseudoTerminal()
        let run = try start("echo oops >\"$1\"", descriptors: [STDIN_FILENO: keyboard.device])
        try await eventually("the command asks", run.error) { $0.hasSuffix("Edit it again? [Y/n] ") }
        run.send(signal)
        #expect(run.waitForExit() == 128 + signal)
        let path = sandbox.folder.path("temporary/\(try #require(try copies().first))")
        #expect(run.error.contains("kept in \(path) until"))
        withExtendedLifetime(keyboard) {}
    }

    @Test(arguments: [
        ("echo '{\"a\": 3}' >\"$1\"", 0, false), ("exit 0", 0, false), ("exit 3", 2, false),
        ("kill -KILL $$", 2, false),
        ("rm \"$1\"", 2, false), ("rm -r \"$(dirname \"$1\")\"", 2, false), ("echo oops >\"$1\"", 2, true),
        // The parent of the editor is the command, which passes signals on to it.
        ("tidy; kill -HUP $PPID; exec sleep 60", 129, false), ("tidy; kill -INT $PPID; exec sleep 60", 130, false),
        ("tidy; kill -TERM $PPID; exec sleep 60", 143, false), ("tidy; kill -VTALRM $PPID; exec sleep 60", 154, false),
        // A stopped editor.
        ("tidy; kill -TERM $PPID & kill -STOP $$; exec sleep 60", 143, false),
        ("echo '{}' >\"$1\"; kill -HUP $PPID; exec sleep 60", 129, true),
        ("echo oops >\"$1\"; kill -TERM $PPID; exec sleep 60", 143, true),
        ("tidy; trap '' TERM; kill -TERM $PPID; exec sleep 60", 143, false),
        // Files that vanish, and that cannot be listed or removed without a change of their permissions.
        ("chmod 000 .undo; chmod 500 .; touch \"$(printf '\\377')\"; kill -KILL $$", 2, false),
        // An editor that uses SIGINT itself.
        ("trap : INT; kill -INT $PPID; echo '{\"a\": 3}' >\"$1\"", 0, false),
    ])
    func `leaves nothing but an unsaved text, however it ends`(script: String, status: Int32, isKept: Bool) throws {
        // The folders and links that editors make beside a file.
        let beside = """
            cd "$(dirname "$1")"; mkdir -p .undo/deep "$TMPDIR/../outside"; cp "$1" .undo/deep; touch "$TMPDIR/../outside/file"
            ln -s "$TMPDIR/../outside" link; mkfifo pipe
            tidy() { rm -r .undo link pipe; }

            """
        let run = try edit(beside + script)
        #expect(run.status == status, "\(run)")
        let remains = try remains()
        let texts = remains.filter { $0.hasSuffix("/app.json") && !$0.contains(".undo") }
        #expect(isKept ? texts.count == 1 : remains.isEmpty, "\(remains)")
        let paths = texts.map { sandbox.folder.path("temporary/\($0)") }
        for path in paths { #expect(run.error.contains("kept in \(path) until"), "\(run)") }
        #expect(sandbox.folder.contains("outside/file"))
        if status == 0, script.contains("echo") {
            try sandbox.expect("get app a", "3\n")
        } else {
            #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
        }
        #expect(try sandbox.files == ["app.json"])
    }

    @Test(arguments: ["HUP", "INT", "TERM"])
    func `keeps what an editor has rescued after a signal`(signal: String) throws {
        let run = try edit("echo oops >\"$(dirname \"$1\")/.app.json.swp\"; kill -\(signal) $PPID; exec sleep 60")
        #expect(run.status > 128)
        let rescued = try #require(try remains().first { $0.hasSuffix("/.app.json.swp") })
        let folder = sandbox.folder.path("temporary/\(rescued.dropLast("/.app.json.swp".count))")
        #expect(run.error.contains("they are kept in \(folder) until you remove it."), "\(run)")
    }

    @Test(arguments: [true, false])
    func `empties no folder that has got the place of its own`(isLink: Bool) throws {
        try sandbox.folder.makeFolder("outside")
        try sandbox.folder.write("x", to: "outside/file")
        let replacement = isLink ? "ln -s \"$TMPDIR/../outside\" \"$FOLDER\"" : "mv \"$TMPDIR/../outside\" \"$FOLDER\""
        let run = try edit("FOLDER=$(dirname \"$1\"); mv \"$FOLDER\" \"$TMPDIR/away\"; \(replacement)")
        #expect(run.status == 2 && run.error.contains("is not the folder of the copy anymore"), "\(run)")
        let names = try remains()
        #expect(isLink ? sandbox.folder.contains("outside/file") : names.contains { $0.hasSuffix("/file") })
        #expect(!names.contains { $0.hasSuffix(".json") }, "\(names)")
    }

    @Test(arguments: ["mkfifo \"$1\"", "ln -s \"$TMPDIR/../keyspan/app.json\" \"$1\"", "mkdir \"$1\""])
    func `reads only a regular file`(replacement: String) throws {
        let run = try edit("rm \"$1\"; \(replacement)")
        #expect(run.status == 2 && run.error.contains("in a regular file"), "\(run)")
        #expect(try sandbox.text(ofDomain: "app") == #"{"a": 1, "b": 2}"#)
    }

    @Test(arguments: ["exec", "command", "exec env", "A=1"])
    func `runs an editor behind a word of the shell`(word: String) throws {
        try sandbox.folder.write("echo '{\"a\": 3}' >\"$1\"", to: "editor")
        let variables = [
            "EDITOR": "\(word) sh '\(sandbox.folder.path("editor"))'", "TMPDIR": sandbox.folder.path("temporary"),
        ]
        let run = try sandbox.start("edit app", environment: variables).finish()
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        try sandbox.expect("get app a", "3\n")
    }

    @Test func `puts the mode of the terminal back after an editor that fails`() throws {
        let terminal = try PseudoTerminal()
        var (before, after) = (termios(), termios())
        try check(tcgetattr(terminal.device, &before))
        let script = "stty raw -echo <&0; stty -a <&0 >\"$TMPDIR/../mode\"; kill -KILL $$"
        let run = try start(script, descriptors: [STDIN_FILENO: terminal.device]).finish()
        #expect(run.status == 2)
        #expect(try sandbox.folder.text(of: "mode").contains("-echo "))
        try check(tcgetattr(terminal.device, &after))
        #expect(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag)
    }

    @Test func `a signal ends a save that waits for a lock`() async throws {
        try sandbox.folder.write([], to: "keyspan/.app.json.journal", permissions: 0o600)
        let journal = try check(open(sandbox.folder.path("keyspan/.app.json.journal"), O_RDWR | O_CLOEXEC))
        defer { close(journal) }
        try check(flock(journal, LOCK_EX))
        let run = try start(
            "echo '{\"a\": 3}' >\"$1\"; printf %s $$ >\"$TMPDIR/../number\"; mv \"$TMPDIR/../number\" \"$TMPDIR/../editor-number\""
        )
        try await eventually("the editor runs", sandbox.folder.contains("editor-number"), is: true)
        let editor = try #require(pid_t(sandbox.folder.text(of: "editor-number")))
        try await eventually("the editor has ended", kill(editor, 0) != 0, is: true)
        run.send(SIGTERM)
        #expect(run.waitForExit() == 128 + SIGTERM)
        let copy = try #require(try copies().first)
        #expect(run.error.contains("kept in \(sandbox.folder.path("temporary/\(copy)")) until"), "\(run.error)")
        #expect(!run.error.contains("is not saved"), "\(run.error)")
    }

    #if os(Linux)
    @Test func `awaits its editor although its parent has had the signal of children ignored`() throws {
        try sandbox.folder.write("echo '{\"a\": 3}' >\"$1\"", to: "editor")
        let run = try sandbox.shell(
            "EDITOR=\"sh '$PWD/editor'\" TMPDIR=$PWD/temporary env --ignore-signal=CHLD \"$KEYSPAN\" edit app"
        )
        #expect(run == Self.success)
        try sandbox.expect("get app a", "3\n")
    }
    #endif

    @Test func `says that the editor has removed the text`() throws {
        let run = try edit("rm \"$1\"")
        #expect(
            run.error.contains("is gone, because the editor has removed it") && !run.error.contains("kept"),
            "\(run)"
        )
    }

    @Test(arguments: [("exit 3", 0), ("echo oops >\"$1\"", 1)])
    func `cleans up although nobody reads what it says`(script: String, count: Int) throws {
        let output = try TestPipe()
        output.closeReader()
        let run = try start(script, descriptors: [STDERR_FILENO: output.writer]).finish()
        #expect(run.status != 0)
        #expect(try copies().count == count)
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
        ("exit 0", 0, "keyspan: Nothing has changed, so nothing is saved.\n"), ("exit 3", 2, "status 3"),
        ("kill -TERM $$", 2, "status 143"), ("exit 127", 2, "cannot be run"),
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
        #expect(try edit("touch \"$TMPDIR/../opened\"", of: "damaged").status == 2)
        #expect(!sandbox.folder.contains("opened"))
    }
}
