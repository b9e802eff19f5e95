import Foundation
import KeyspanTestSupport
import Testing

/// The treatment of control characters, which a terminal would obey.
@Suite(.heavy) struct TerminalTests {
    private let sandbox: Sandbox

    /// Moves the cursor, changes the title and clears the screen, in ASCII and beyond.
    private static let hostile = "a\u{1B}[2J\u{9B}31m\u{7F}\u{85}\u{7}\rb"
    private static let visible = #"a\U001b[2J\U009b31m\U007f\U0085\U0007\U000db"#

    init() throws {
        sandbox = try Sandbox(["d\u{9B}2J\u{1B}\n": #"{"key": "other"}"#])
        try sandbox.expect("write app key -string \(Self.hostile)")
        try sandbox.expect("write app lines -string one\n\ttwo")
    }

    @Test func `shows them in a value, and leaves lines and tabs`() throws {
        #expect(try sandbox.shownOnTerminal("read app key") == Self.visible + "\n")
        // The terminal itself makes spaces of a tab.
        let lines = try sandbox.shownOnTerminal("read app lines").split(separator: "\n")
        #expect(lines.map { $0.drop { $0.isWhitespace } } == ["one", "two"])
    }

    @Test(arguments: [
        "read", "read app", "read app key", "read app --format json", "read app key --format json", "domains",
        "find other", "find 2J", "export app - --format json", "export app /dev/stdout --format json",
        "read nope\u{9B}2J", "read app nope\u{9B}2J\u{1B}", "read \u{9B}/\u{1B}.json", "\u{9B}\u{1B}c",
        "export app /nope\u{9B}/\u{1B}[2J", "import app nope\u{9B}", "read app --\u{9B}", "write app key -int \u{9B}",
        "help \u{9B}2J", "-\u{9B}h",
    ])
    func `never sends one`(line: String) throws {
        let text = try sandbox.shownOnTerminal(line)
        #expect(!text.isEmpty)
        let controls = text.unicodeScalars.filter {
            $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
        #expect(controls.isEmpty, "\(text.debugDescription)")
    }

    @Test func `writes documents that mean the same`() throws {
        let json = try sandbox.shownOnTerminal("read app key --format json")
        #expect(try JSONDecoder().decode(String.self, from: Data(json.utf8)) == Self.hostile)
        try sandbox.expect("write app key -string \u{9B}\u{85}\u{7F}")
        let list = try sandbox.shownOnTerminal("read app key --format plist")
        #expect(list.contains("<string>&#x9b;&#x85;&#x7f;</string>"))
        try sandbox.expect("import copy -", input: "{\"a\": \(json)}")
        try sandbox.expect("read copy a", Self.hostile + "\n")
    }

    @Test(arguments: ["-", "/dev/stdout"])
    func `gets no binary property list`(file: String) throws {
        let text = try sandbox.shownOnTerminal("export app \(file) --format binary")
        #expect(text.hasPrefix("keyspan: ") && text.hasSuffix(".\n") && !text.contains("bplist"))
    }

    @Test func `is the only place where values are changed`() throws {
        try sandbox.expect("read app key", Self.hostile + "\n")
        // A name is one line, whatever it contains.
        try sandbox.expect("domains", #"app\#nd\U009b2J\U001b\U000a\#n"#)
        #expect(try sandbox.run("read app key --format json").output.contains("\u{9B}31m"))
        try sandbox.refuse(
            "import app no\nsuch\u{9B}\u{1B}file",
            #"keyspan: no\U000asuch\U009b\U001bfile cannot be read"#
        )
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["TERM": "xterm", "NO_COLOR": "1"], false),
    ])
    func `has colors unless they are not wanted`(variables: [String: String], areShown: Bool) throws {
        try sandbox.expect("write colors key value")
        let output = try sandbox.shownOnTerminal("read colors", variables)
        #expect(output == (areShown ? "{\n    \u{1B}[36mkey\u{1B}[0m = value;\n}\n" : "{\n    key = value;\n}\n"))
        let error = try sandbox.shownOnTerminal("read nope", variables)
        #expect(error.hasPrefix(areShown ? "\u{1B}[31mkeyspan:\u{1B}[0m The" : "keyspan: The"))
        let file = try sandbox.start("read colors", environment: variables).finish()
        #expect(file.output == "{\n    key = value;\n}\n")
    }

    // MARK: Standard streams that the tool is started without, whose numbers the next files would get

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), arguments: [0, 1, 2])
    func `closed streams are never files of the tool`(descriptor: Int) throws {
        // Opening the pipe waits for the tool, which has then opened the document to import.
        let line = """
            mkfifo pipe
            ( exec \(descriptor)>&-; exec "$KEYSPAN" import app pipe ) & exec 4>pipe
            readlink /proc/$!/fd/\(descriptor); echo '{}' >&4; exec 4>&-; wait $!
            """
        let run = try sandbox.shell(line)
        #expect(run.output == "/dev/null\n" && run.status == 0)
    }

    @Test(arguments: [("read app >&-", "Bad file descriptor"), ("import app - <&-", "Standard input cannot be read")])
    func `closed streams fail when a command uses them`(command: String, hint: String) throws {
        let run = try sandbox.shell("keyspan \(command)")
        #expect(run.status == 2 && run.error.contains(hint), "\(run)")
        try sandbox.expect("read app key", Self.hostile + "\n")
    }
}
