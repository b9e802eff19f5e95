import KeyspanTestSupport
import Testing

/// The help of the tool.
@Suite struct HelpTests {
    private let sandbox: Sandbox
    private static let commands = [
        "read", "read-type", "write", "get", "set", "incr", "rename", "delete", "domains", "find", "diff", "validate",
        "edit", "import", "export", "watch", "kept",
    ]

    init() throws {
        sandbox = try Sandbox()
    }

    /// The help that a command line prints.
    private func help(_ line: String) throws -> String {
        let run = try sandbox.run(line)
        #expect(run.status == 0 && run.error.isEmpty, "\(line): \(run)")
        return run.output
    }

    /// The words of a help, without its line ends.
    private func words(_ line: String) throws -> String {
        try help(line).split { $0.isWhitespace }.joined(separator: " ")
    }

    @Test(arguments: ["help", "--help", "-h", ""])
    func `lists all commands`(line: String) throws {
        let help = try help(line)
        #expect(Self.commands.allSatisfy { help.contains("  \($0) ") })
    }

    @Test(arguments: commands)
    func `explains a command in both ways`(command: String) throws {
        let help = try help("help \(command)")
        #expect(help.contains("USAGE: keyspan \(command)"))
        #expect(try self.help("\(command) --help") == help)
    }

    @Test(arguments: ["set", "write", "incr"], ["", "app", "app key", "app key value", "app key 5"])
    func `is given anywhere before the option of a value`(command: String, words: String) throws {
        for option in ["--help", "-h"] {
            #expect(try help("\(command) \(words) \(option)").contains("USAGE: keyspan \(command)"))
        }
    }

    @Test func `is a value behind the option of one`() throws {
        try sandbox.expect("set app key -string --help")
        try sandbox.expect("get app key", "--help\n")
    }

    @Test(arguments: ["list", "restore", "discard"])
    func `explains the commands of kept`(command: String) throws {
        let help = try help("help kept \(command)")
        #expect(help.contains("USAGE: keyspan kept \(command)"))
        #expect(try self.help("help kept").contains("  \(command)"))
        #expect(help.contains("`import` refuses it") == (command == "list"))
    }

    @Test(arguments: [("help help", "help"), ("kept list --help", "kept"), ("read a -h", "read")])
    func `is given for commands within commands`(line: String, command: String) throws {
        #expect(try help(line).contains("USAGE: keyspan \(command)"))
    }

    @Test func `mentions nested keys and hidden secrets where they apply`() throws {
        for command in ["read", "read-type", "get", "set", "write", "incr", "rename", "delete", "watch"] {
            let words = try words("help \(command)")
            #expect(words.contains("A key with dots is found nested as well: tls.port names"))
            let isNew = words.contains("a new one into the innermost dictionary")
            #expect(isNew == ["set", "write", "incr", "rename"].contains(command))
        }
        for command in ["read", "get", "find", "diff", "watch", "export", "kept list"] {
            let words = try words("help \(command)")
            #expect(words.contains("A listing hides the values that a JSON Schema marks"))
            #expect(words.contains("--show-secrets Show the values of secret keys."))
        }
    }

    @Test func `leaves words alone that only look like arguments of the macOS command`() throws {
        try sandbox.expect("write app -- -g -string -app")
        try sandbox.expect("read app -- -g", "-app\n")
    }

    @Test func `names its version`() throws {
        try sandbox.expect("--version", "0.1.0\n")
    }
}
