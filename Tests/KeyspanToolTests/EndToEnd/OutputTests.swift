import Testing

/// `get` and the options of commands that print values, as a user runs them.
@Suite struct OutputTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(#"{"count": 3, "long name": "Ada L", "list": [1, "two"]}"#, toDomain: "app")
        try sandbox.write(#"{"é": true}"#, toDomain: "other")
    }

    @Test(arguments: [
        (["get", "app", "count"], "3\n"),
        (["get", "app", "list", "--output", "json"], "[\n  1,\n  \"two\"\n]\n"),
        (["get", "app", "count", "--output", "table"], "KEY    KIND     VALUE\ncount  integer  3\n"),
        (
            ["read", "app", "--output", "table"],
            """
            KEY          KIND     VALUE
            count        integer  3
            list         array    (1, two)
            "long name"  string   "Ada L"

            """
        ),
        (
            ["read", "--output", "table"],
            """
            DOMAIN  KEY          KIND     VALUE
            app     count        integer  3
            app     list         array    (1, two)
            app     "long name"  string   "Ada L"
            other   "\\U00e9"     boolean  1

            """
        ),
    ])
    func `has the form that was asked for`(arguments: [String], output: String) throws {
        let result = try sandbox.run(arguments)
        #expect(result.output == output)
        #expect(result.error.isEmpty)
        #expect(result.status == 0)
    }

    @Test(arguments: [
        (["get", "app", "count", "--default", "7"], "3\n"), (["get", "app", "nope", "--default", "7"], "7\n"),
        (["read", "app", "nope", "--default", "-5"], "-5\n"), (["get", "nope", "nope", "--default", "x"], "x\n"),
        (["get", "app", "nope", "--default", "(1)", "--output", "json"], "[\n  \"1\"\n]\n"),
        (["get", "app", "nope", "--default", ""], "\n"),
    ])
    func `has a default for an absent key`(arguments: [String], output: String) throws {
        let result = try sandbox.run(arguments)
        #expect(result.output == output)
        #expect(result.error.isEmpty)
        #expect(result.status == 0)
    }

    @Test func `has no default for a file that cannot be read`() throws {
        try sandbox.write("{", toDomain: "damaged")
        let result = try sandbox.run("get", "damaged", "key", "--default", "7")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
    }

    @Test(
        arguments: [
            (["get", "app", "nope"], 1), (["get", "nope", "key"], 1), (["get", "app"], 64), (["get"], 64),
            (["read", "app", "--default", "x"], 64), (["get", "app", "count", "--output", "yaml"], 64),
            (["get", "app", "nope", "--default", "(a"], 64),
        ] as [([String], Int32)]
    )
    func `is empty after an error`(arguments: [String], status: Int32) throws {
        let result = try sandbox.run(arguments)
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
    }
}
