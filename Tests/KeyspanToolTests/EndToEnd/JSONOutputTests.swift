import KeyspanTestSupport
import Testing

/// The output of commands for programs.
@Suite struct JSONOutputTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["a, b": #"{"port": 80}"#, "app": #"{"port": 80, "list": ["80"], "name": "x"}"#])
        try sandbox.folder.write(#"{"properties": {"port": {"type": "string"}}}"#, to: "schema.json")
    }

    @Test(arguments: ["--output", "--format"])
    func `is JSON for each command that prints facts`(option: String) throws {
        try sandbox.expect(
            "domains \(option) json",
            """
            [
              {
                "name": "a, b",
                "path": "~/keyspan/a, b.json"
              },
              {
                "name": "app",
                "path": "~/keyspan/app.json"
              }
            ]

            """
        )
        try sandbox.expect(
            "find 80 \(option) json",
            """
            {
              "a, b": {
                "port": 80
              },
              "app": {
                "list": [
                  "80"
                ],
                "port": 80
              }
            }

            """
        )
        try sandbox.expect("read-type app list \(option) json", "\"array\"\n")
        try sandbox.expect("incr app port 2 \(option) json", "82\n")
        let run = try sandbox.run("validate app --schema ~/schema.json \(option) json")
        let violations = """
            [
              {
                "column": 2,
                "file": "~/keyspan/app.json",
                "line": 1,
                "path": "port",
                "reason": "is an integer, but must be a string."
              }
            ]

            """
        #expect(run == Sandbox.Run(status: 1, output: violations, error: ""))
        for line in ["read app", "get app name", "kept app", "diff app app", "export app -"] {
            let run = try sandbox.run("\(line) \(option) json")
            #expect(run.status == 0 && run.error.isEmpty && run.output.contains { "{[\"".contains($0) }, "\(line)")
        }
    }

    @Test(arguments: ["read app", "get app list", "kept app", "export app -"])
    func `of property lists has the same names everywhere`(line: String) throws {
        let xml = try sandbox.run("\(line) --output xml")
        #expect(xml.status == 0 && xml.output.contains("<plist"))
        #expect(try sandbox.run("\(line) --format plist") == xml)
        #expect(try sandbox.run("\(line) --format binary").output.hasPrefix("bplist00"))
    }

    @Test func `has a name on one line whatever it contains`() throws {
        try sandbox.write(#"{"a\nfile:1:1: ok": 1, "x\u001b[31m": 1}"#, toDomain: "new\nline")
        try sandbox.folder.write(#"{"additionalProperties": false}"#, to: "schema.json")
        try sandbox.expect("domains", "a, b\napp\nnew\\U000aline\n")
        let found = try sandbox.run("find 31m")
        #expect(found.output.hasPrefix("Found 1 key in domain 'new\\U000aline': {"))
        let run = try sandbox.run("validate 'new\nline' --schema ~/schema.json")
        #expect(run.output.split(separator: "\n").count == 2 && !run.output.contains("\u{1B}"), "\(run)")
    }
}
