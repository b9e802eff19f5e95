import Testing

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
