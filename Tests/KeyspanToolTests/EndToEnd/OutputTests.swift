import KeyspanTestSupport
import Testing

/// The commands that print values, as a user runs them.
@Suite struct OutputTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox([
            "app": #"{"count": 3, "long name": "Ada L", "list": [1, "two"]}"#, "other": #"{"é": true}"#, "damaged": "{",
        ])
    }

    @Test(arguments: [
        ("get app count", "3\n"), ("get app list --output json", "[\n  1,\n  \"two\"\n]\n"),
        ("get app count --output table", "KEY    KIND     VALUE\ncount  integer  3\n"),
        (
            "read app --output table",
            """
            KEY          KIND     VALUE
            count        integer  3
            list         array    (1, two)
            "long name"  string   "Ada L"

            """
        ),
        // A default takes the place of an absent key.
        ("get app count --default 7", "3\n"), ("get app nope --default 7", "7\n"),
        ("read app nope --default -5", "-5\n"),
        ("get nope nope --default x", "x\n"), ("get app nope --default (1) --output json", "[\n  \"1\"\n]\n"),
        ("get app nope --default ''", "\n"),
    ])
    func `has the form that was asked for`(line: String, output: String) throws {
        try sandbox.expect(line, output)
    }

    @Test func `is a table of all domains that can be read`() throws {
        let run = try sandbox.run("read --output table")
        #expect(run.status == 2 && run.error.contains("damaged.json"))
        #expect(
            run.output == """
                DOMAIN  KEY          KIND     VALUE
                app     count        integer  3
                app     list         array    (1, two)
                app     "long name"  string   "Ada L"
                other   "\\U00e9"     boolean  1

                """
        )
    }

    @Test(arguments: [("get app nope", 3), ("get nope key", 3), ("get damaged key --default 7", 2)])
    func `is empty after a failure`(line: String, status: Int32) throws {
        try sandbox.refuse(line, status: status)
    }

    @Test(arguments: [
        "read app", "export app -", "domains", "find two", "diff app other", "--help", "help read", "--version",
    ])
    func `that cannot be written is reported`(command: String) throws {
        let run = try sandbox.shell("test -w /dev/full || exit 9; keyspan \(command) >/dev/full")
        // 9: this system has no such device.
        #expect([2, 9].contains(run.status))
        #expect(run.status == 9 || run.error.contains("could not be written"))
    }
}
