import Testing

/// The help of the tool.
@Suite struct HelpTests {
    private static let commands = [
        "read", "read-type", "write", "get", "set", "incr", "rename", "delete", "domains", "find", "diff", "validate",
        "edit",
        "import", "export", "watch", "kept",
    ]

    @Test(arguments: [["help"], ["--help"], ["-h"], []])
    func `lists all commands`(arguments: [String]) throws {
        let result = try Sandbox().run(arguments)
        #expect(result.status == 0)
        for command in Self.commands {
            #expect(result.output.contains("  \(command) "))
        }
    }

    @Test(arguments: commands)
    func `explains a command in both ways`(command: String) throws {
        let sandbox = try Sandbox()
        let help = try sandbox.run("help", command)
        #expect(help.status == 0)
        #expect(help.output.contains("USAGE: keyspan \(command)"))
        let option = try sandbox.run(command, "--help")
        #expect(option.status == 0)
        #expect(option.output == help.output)
    }

    @Test(arguments: ["read", "read-type", "get", "set", "write", "incr", "rename", "delete", "watch"])
    func `mentions nested keys where they apply`(command: String) throws {
        let words = try Sandbox().run("help", command).output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("A key with dots is found nested as well: tls.port names"))
        #expect(
            words.contains("a new one into the innermost dictionary")
                == ["set", "write", "incr", "rename"].contains(command)
        )
    }

    @Test(arguments: [["read"], ["get"], ["find"], ["diff"], ["watch"], ["export"], ["kept", "list"]])
    func `says which secrets a listing hides`(command: [String]) throws {
        let words = try Sandbox().run(["help"] + command).output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("A listing hides the values that a JSON Schema marks"))
        #expect(words.contains("--show-secrets Show the values of secret keys."))
    }

    @Test(arguments: [
        ["-host", "x", "read", "a.b"], ["-host"], ["-currentHost", "read", "a"], ["read", "-host", "a"], ["-hx"],
        ["help", "nope"], ["help", "read", "nope"], ["help", "kept", "nope"], ["help", "kept", "list", "nope"],
        ["help", "--nope"], ["nope"],
    ])
    func `is not given for what it does not know`(arguments: [String]) throws {
        let result = try Sandbox().run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["help", "help"], ["help", "kept", "list"], ["kept", "list", "--help"], ["read", "a", "-h"]])
    func `is given for commands within commands`(arguments: [String]) throws {
        let result = try Sandbox().run(arguments)
        #expect(result.status == 0)
        #expect(result.output.contains("USAGE: keyspan \(arguments[0] == "help" ? arguments[1] : arguments[0])"))
    }

    @Test(arguments: [
        (["raed"], "Unknown command `raed`; did you mean `read`?"),
        (["raed", "--help"], "Unknown command `raed`; did you mean `read`?"),
        (["help", "wacth"], "Unknown command `wacth`; did you mean `watch`?"),
        (["help", "kept", "restor"], "Unknown command `restor`; did you mean `restore`?"),
        (["xyzzy"], "Unknown command `xyzzy`; `keyspan help` lists all commands."),
        (["read", "app", "--formt", "json"], "did you mean '--format'?"),
        (["read", "app", "-output", "json"], "did you mean '--output'?"),
        (["kept", "restore", "a", "k", "--numbr", "2"], "did you mean '--number'?"),
        (["write", "app", "key", "-strin", "x"], "did you mean -string?"),
    ])
    func `suggests the word that was meant`(arguments: [String], text: String) throws {
        try expectUsageError(of: arguments, containing: text)
    }

    @Test(arguments: [
        (["read", "-g"], "There is no global domain"), (["read", "-globalDomain", "key"], "There is no global domain"),
        (["write", "-g", "key", "value"], "There is no global domain"),
        (["delete", "NSGlobalDomain"], "There is no global domain"),
        (["read", "-app", "Greeter"], "give the name of the program"),
        (["write", "-app", "Greeter", "key", "value"], "give the name of the program"),
        (["-currentHost", "read", "app"], "There are no settings by host"),
        (["-host", "other", "read", "app"], "There are no settings by host"),
        (["write", "-currentHost", "app", "key", "value"], "There are no settings by host"),
    ])
    func `answers arguments that only the command of macOS has`(arguments: [String], text: String) throws {
        try expectUsageError(of: arguments, containing: text)
    }

    @Test func `leaves words alone that only look like arguments of the macOS command`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.run("write", "app", "-g", "-string", "-app").status == 0)
        #expect(try sandbox.run("read", "app", "--", "-g").output == "-app\n")
    }

    private func expectUsageError(of arguments: [String], containing text: String) throws {
        let result = try Sandbox().run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.error.contains(text), "\(result.error)")
    }

    @Test func `names its version`() throws {
        #expect(try Sandbox().run("--version").output == "0.1.0\n")
    }
}
