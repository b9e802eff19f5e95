import Foundation
import Testing

/// The treatment of control characters, which a terminal would obey.
@Suite struct TerminalTests {
    private let sandbox: Sandbox

    /// Moves the cursor, changes the title and clears the screen, in ASCII and beyond.
    private static let hostile = "a\u{1B}[2J\u{9B}31m\u{7F}\u{85}\u{7}\rb"
    private static let visible = #"a\U001b[2J\U009b31m\U007f\U0085\U0007\U000db"#

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "key", "-string", Self.hostile)
        try sandbox.run("write", "app", "lines", "-string", "one\n\ttwo")
        try sandbox.write(#"{"key": "other"}"#, toDomain: "d\u{9B}2J\u{1B}\n")
    }

    /// The text that a terminal receives, apart from line ends.
    private func shown(_ arguments: String...) throws -> String {
        let terminal = try PseudoTerminal()
        let environment = sandbox.environment.merging(["TERM": "dumb"]) { $1 }
        _ = try ToolProcess(ToolProcess.executable, arguments, environment: environment, terminal: terminal).finish()
        return terminal.text()
    }

    @Test func `shows them in a value, and leaves lines and tabs`() throws {
        #expect(try shown("read", "app", "key") == Self.visible + "\n")
        // The terminal itself makes spaces of a tab.
        #expect(
            try shown("read", "app", "lines").split(separator: "\n").map { $0.drop { $0.isWhitespace } } == [
                "one", "two",
            ]
        )
    }

    @Test(arguments: [
        ["read"], ["read", "app"], ["read", "app", "key"], ["read", "app", "--format", "json"],
        ["read", "--format", "json"],
        ["read", "app", "key", "--format", "json"], ["domains"], ["find", "other"], ["find", "2J"],
        ["export", "app", "-", "--format", "json"], ["export", "app", "/dev/stdout", "--format", "json"],
        ["read", "nope\u{9B}2J"], ["read", "app", "nope\u{9B}2J\u{1B}"], ["read", "\u{9B}/\u{1B}.json"],
        ["\u{9B}\u{1B}c"],
        ["export", "app", "/nope\u{9B}/\u{1B}[2J"], ["import", "app", "nope\u{9B}"], ["read", "app", "--\u{9B}"],
        ["write", "app", "key", "-int", "\u{9B}"], ["help", "\u{9B}2J"], ["-\u{9B}h"],
    ])
    func `never sends one`(arguments: [String]) throws {
        let terminal = try PseudoTerminal()
        let environment = sandbox.environment.merging(["TERM": "dumb"]) { $1 }
        _ = try ToolProcess(ToolProcess.executable, arguments, environment: environment, terminal: terminal).finish()
        let text = terminal.text()
        #expect(!text.isEmpty)
        let controls = text.unicodeScalars.filter {
            $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
        #expect(controls.isEmpty, "\(text.debugDescription)")
    }

    @Test func `writes documents that mean the same`() throws {
        let json = try shown("read", "app", "key", "--format", "json")
        #expect(try JSONDecoder().decode(String.self, from: Data(json.utf8)) == Self.hostile)
        try sandbox.run("write", "app", "key", "-string", "\u{9B}\u{85}\u{7F}")
        let list = try shown("read", "app", "key", "--format", "plist")
        #expect(list.contains("<string>&#x9b;&#x85;&#x7f;</string>"))
        #expect(try sandbox.run("import", "copy", "-", input: "{\"a\": \(json)}").status == 0)
        #expect(try sandbox.run("read", "copy", "a").output == Self.hostile + "\n")
    }

    @Test(arguments: ["-", "/dev/stdout"])
    func `gets no binary property list`(file: String) throws {
        let text = try shown("export", "app", file, "--format", "binary")
        #expect(text.hasPrefix("keyspan: ") && text.hasSuffix(".\n"))
        #expect(!text.contains("bplist"))
    }

    @Test func `is the only place where values are changed`() throws {
        #expect(try sandbox.run("read", "app", "key").output == Self.hostile + "\n")
        #expect(try sandbox.run("domains").output == "app, d\u{9B}2J\u{1B}\n\n")
        #expect(try sandbox.run("read", "app", "key", "--format", "json").output.contains("\u{9B}31m"))
    }

    @Test func `has one line of each error, wherever it goes`() throws {
        let result = try sandbox.run("import", "app", "no\nsuch\u{9B}\u{1B}file")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix(#"keyspan: no\U000asuch\U009b\U001bfile cannot be read"#))
        #expect(result.error.split(separator: "\n").count == 1)
    }
}

/// Colors, on a terminal and elsewhere.
@Suite struct ColourTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "key", "value")
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["TERM": "xterm", "NO_COLOR": "1"], false),
    ])
    func `appear on a terminal unless they are not wanted`(variables: [String: String], areShown: Bool) throws {
        let output = try onTerminal(["read", "app"], variables)
        #expect(output == (areShown ? "{\n    \u{1B}[36mkey\u{1B}[0m = value;\n}\n" : "{\n    key = value;\n}\n"))
        let error = try onTerminal(["read", "nope"], variables)
        #expect(error.hasPrefix(areShown ? "\u{1B}[31mkeyspan:\u{1B}[0m The" : "keyspan: The"))
    }

    @Test func `do not appear in a file`() throws {
        let environment = sandbox.environment.merging(["TERM": "xterm"]) { $1 }
        for arguments in [["read", "app"], ["read", "nope"], ["find", "key"]] {
            let result = try ToolProcess(ToolProcess.executable, arguments, environment: environment).finish()
            #expect(!(result.output + result.error).contains("\u{1B}"))
        }
    }

    private func onTerminal(_ arguments: [String], _ variables: [String: String]) throws -> String {
        let terminal = try PseudoTerminal()
        let environment = sandbox.environment.merging(variables) { $1 }
        _ = try ToolProcess(ToolProcess.executable, arguments, environment: environment, terminal: terminal).finish()
        return terminal.text()
    }
}

/// Standard streams that the tool is started without, whose numbers the next files would get.
@Suite struct ClosedStreamTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "key", "value")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), arguments: [0, 1, 2])
    func `are never files of the tool`(descriptor: Int) throws {
        // Opening the pipe waits for the tool, which has then opened the document to import.
        let line = """
            mkfifo pipe
            ( exec \(descriptor)>&-; exec "$KEYSPAN" import app pipe ) & exec 4>pipe
            readlink /proc/$!/fd/\(descriptor); echo '{}' >&4; exec 4>&-; wait $!
            """
        let result = try sandbox.shell(line)
        #expect(result.output == "/dev/null\n")
        #expect(result.status == 0)
    }

    @Test(arguments: [("read app >&-", "Bad file descriptor"), ("import app - <&-", "Standard input cannot be read")])
    func `fail when a command uses them`(command: String, hint: String) throws {
        let result = try sandbox.shell("\"$KEYSPAN\" \(command)")
        #expect(result.status == 1)
        #expect(result.error.contains(hint))
        #expect(try sandbox.run("read", "app", "key").output == "value\n")
    }
}
