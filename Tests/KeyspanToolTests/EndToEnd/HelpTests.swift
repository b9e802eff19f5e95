import Testing

/// The help of the tool.
@Suite struct HelpTests {
    private static let commands = [
        "read", "read-type", "write", "rename", "delete", "domains", "find", "import", "export", "watch", "kept",
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

    @Test func `names its version`() throws {
        #expect(try Sandbox().run("--version").output == "0.1.0\n")
    }
}
