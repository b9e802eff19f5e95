import Testing

/// `read`, `read-type`, `domains` and `find`, as a user runs them.
@Suite struct ReadingTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            #"{"name": "Ada L", "count": 3, "ratio": 1.0, "on": true, "list": [1, "two"], "blob": {"$data": "D713"}}"#,
            toDomain: "app"
        )
        try sandbox.write(#"{"theme": "dark"}"#, toDomain: "other")
    }

    @Test(arguments: [
        (["read", "app", "name"], "Ada L\n"),
        (["read", "app", "on"], "1\n"),
        (["read", "app", "list"], "(\n    1,\n    two\n)\n"),
        (["read", "app", "blob"], "{length = 3, bytes = 0x0fbd77}\n"),
        (["read", "other"], "{\n    theme = dark;\n}\n"),
        (["read", "app", "list", "--format", "json"], "[\n  1,\n  \"two\"\n]\n"),
        (["read", "other", "--format", "json"], "{\n  \"theme\": \"dark\"\n}\n"),
        (["read-type", "app", "name"], "Type is string\n"),
        (["read-type", "app", "count"], "Type is integer\n"),
        (["read-type", "app", "ratio"], "Type is float\n"),
        (["read-type", "app", "on"], "Type is boolean\n"),
        (["read-type", "app", "list"], "Type is array\n"),
        (["read-type", "app", "blob"], "Type is data\n"),
        (["domains"], "app, other\n"),
        (["find", "DARK"], "Found 1 key in domain 'other': {\n    theme = dark;\n}\n"),
        (["find", "TWO"], "Found 1 key in domain 'app': {\n    list =     (\n        1,\n        two\n    );\n}\n"),
    ])
    func `prints what is there`(arguments: [String], output: String) throws {
        let result = try sandbox.run(arguments)
        #expect(result.output == output)
        #expect(result.error.isEmpty)
        #expect(result.status == 0)
    }

    @Test func `prints all domains without an argument`() throws {
        let result = try sandbox.run("read")
        #expect(result.output.hasPrefix("{\n    app =     {\n        blob = {length = 3, bytes = 0x0fbd77};\n"))
        #expect(result.output.hasSuffix("    other =     {\n        theme = dark;\n    };\n}\n"))
        #expect(result.status == 0)
    }

    @Test func `prints an XML property list`() throws {
        let result = try sandbox.run("read", "other", "--format", "plist")
        #expect(result.output.hasPrefix("<?xml"))
        #expect(result.output.contains("<key>theme</key>\n\t<string>dark</string>\n"))
    }

    @Test(arguments: [
        (["read", "nope"], "nope"), (["read", "nope", "key"], "nope"), (["read", "app", "nope"], "nope"),
        (["read-type", "nope", "k"], "nope"), (["read-type", "app", "nope"], "nope"), (["find", "nope"], "nope"),
        (["read", "./nope.json"], "nope"), (["rename", "app", "nope", "x"], "nope"), (["delete", "nope"], "nope"),
        (["delete", "app", "nope"], "nope"), (["export", "nope", "-"], "nope"), (["rename", "nope", "a", "b"], "nope"),
    ])
    func `says in one sentence what does not exist`(arguments: [String], name: String) throws {
        let before = try sandbox.folder.names
        let result = try sandbox.run(arguments)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.error.contains(name))
        #expect(try sandbox.folder.names == before)
    }

    @Test func `creates nothing by reading`() throws {
        let empty = try Sandbox()
        #expect(try empty.run("read", "app").status == 1)
        #expect(try empty.run("domains").output == "\n")
        #expect(try empty.run("read").output == "{\n}\n")
        #expect(try empty.folder.names.isEmpty)
    }

    @Test(arguments: ["empty", "empty.json", "empty.plist"])
    func `takes a file without keys for a domain`(domain: String) throws {
        try sandbox.write("{}", toDomain: "empty")
        try sandbox.folder.write("{}", to: "empty.json")
        try sandbox.folder.write("<plist version=\"1.0\"><dict/></plist>", to: "empty.plist")
        for (command, output) in [
            ("read \(domain)", "{\n}\n"), ("read \(domain) --format json", "{}\n"), ("kept \(domain)", ""),
            ("export \(domain) - --format json", "{}\n"), ("domains", "app, empty, other\n"), ("delete \(domain)", ""),
        ] {
            let result = try sandbox.shell("\"$KEYSPAN\" \(command)")
            #expect(result.status == 0 && result.error.isEmpty, "\(command): \(result.error)")
            #expect(result.output == output, "\(command)")
        }
        #expect(try sandbox.shell("\"$KEYSPAN\" read").output.contains("    empty =     {\n    };\n"))
        let result = try sandbox.shell("\"$KEYSPAN\" read \(domain) key")
        #expect(result.status == 1)
        #expect(result.error.contains("has no key"))
    }

    @Test func `warns of a folder that everyone may write to only when it writes`() throws {
        try sandbox.folder.write(#"{"key": 1}"#, to: "settings.json")
        for (mode, isReported) in [("1777", false), ("0777", true)] {
            let read = try sandbox.shell("chmod \(mode) . && \"$KEYSPAN\" read settings.json")
            #expect(read.status == 0 && read.error.isEmpty)
            let write = try sandbox.shell("\"$KEYSPAN\" write settings.json key -string value")
            #expect(write.status == 0)
            #expect(write.error.contains("every user may put files") == isReported, "\(write.error)")
        }
    }

    @Test func `shows readable domains although one is damaged`() throws {
        try sandbox.write("{", toDomain: "bad")
        let result = try sandbox.run("read")
        #expect(result.status == 1)
        #expect(result.output.contains("theme = dark"))
        #expect(result.error.contains("bad.json"))
        #expect(try sandbox.run("find", "dark").output.contains("theme"))
        #expect(try sandbox.run("domains").output == "app, bad, other\n")
    }

    @Test func `ends quietly when its output has no reader`() throws {
        let result = try sandbox.shell("(\"$KEYSPAN\" read app; echo $? >status) | true")
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
    }

    @Test(arguments: ["read app", "export app -", "domains", "find dark"])
    func `reports output that cannot be written`(command: String) throws {
        let result = try sandbox.shell("test -w /dev/full || exit 9; \"$KEYSPAN\" \(command) >/dev/full")
        // 9: this system has no such device.
        #expect(result.status == 1 || result.status == 9)
        #expect(result.status == 9 || result.error.contains("could not be written"))
    }
}
