import Foundation
import KeyspanTestSupport
import Testing

/// `read`, `read-type`, `domains` and `find`, as a user runs them.
@Suite(.heavy) struct ReadingTests {
    private let sandbox: Sandbox

    init() throws {
        let text =
            #"{"name": "Ada L", "count": 3, "ratio": 1.0, "on": true, "list": [1, "two"], "blob": {"$data": "D713"}}"#
        sandbox = try Sandbox(["app": text, "other": #"{"theme": "dark"}"#])
    }

    @Test(arguments: [
        ("read app name", "Ada L\n"), ("read app on", "1\n"), ("read app list", "(\n    1,\n    two\n)\n"),
        ("read app blob", "{length = 3, bytes = 0x0fbd77}\n"), ("read other", "{\n    theme = dark;\n}\n"),
        ("read app list --format json", "[\n  1,\n  \"two\"\n]\n"),
        ("read other --format json", "{\n  \"theme\": \"dark\"\n}\n"), ("read-type app name", "Type is string\n"),
        ("read-type app count", "Type is integer\n"), ("read-type app ratio", "Type is float\n"),
        ("read-type app on", "Type is boolean\n"), ("read-type app list", "Type is array\n"),
        ("read-type app blob", "Type is data\n"), ("domains", "app\nother\n"),
        ("find DARK", "Found 1 key in domain 'other': {\n    theme = dark;\n}\n"),
        ("find TWO", "Found 1 key in domain 'app': {\n    list =     (\n        1,\n        two\n    );\n}\n"),
    ])
    func `prints what is there`(line: String, output: String) throws {
        try sandbox.expect(line, output)
    }

    @Test func `prints all domains without an argument`() throws {
        let run = try sandbox.run("read")
        #expect(run.output.hasPrefix("{\n    app =     {\n        blob = {length = 3, bytes = 0x0fbd77};\n"))
        #expect(run.output.hasSuffix("    other =     {\n        theme = dark;\n    };\n}\n"))
        #expect(run.status == 0)
    }

    @Test(arguments: [
        "read nope", "read nope key", "read app nope", "read-type nope k", "read-type app nope", "find nope",
        "read ~/nope.json", "rename app nope x", "delete nope", "delete app nope", "export nope -", "rename nope a b",
    ])
    func `says in one sentence what does not exist`(line: String) throws {
        try sandbox.refuse(line, "nope", status: 3)
        #expect(try sandbox.folder.names == ["keyspan"])
    }

    @Test func `creates nothing by reading`() throws {
        let empty = try Sandbox()
        try empty.refuse("read app", status: 3)
        try empty.expect("domains")
        try empty.expect("read", "{\n}\n")
        #expect(try empty.folder.names.isEmpty)
    }

    @Test(arguments: ["empty", "~/empty.json", "~/empty.plist"])
    func `takes a file without keys for a domain`(domain: String) throws {
        try sandbox.write("{}", toDomain: "empty")
        try sandbox.folder.write("{}", to: "empty.json")
        try sandbox.folder.write("<plist version=\"1.0\"><dict/></plist>", to: "empty.plist")
        for (line, output) in [
            ("read \(domain)", "{\n}\n"), ("read \(domain) --format json", "{}\n"), ("kept \(domain)", ""),
            ("export \(domain) - --format json", "{}\n"), ("domains", "app\nempty\nother\n"), ("delete \(domain)", ""),
        ] { try sandbox.expect(line, output) }
        #expect(try sandbox.run("read").output.contains("    empty =     {\n    };\n"))
        try sandbox.refuse("read \(domain) key", "has no key", status: 3)
    }

    @Test(arguments: [("1777", false), ("0777", true)])
    func `warns of a folder that everyone may write to only when it writes`(mode: String, isReported: Bool) throws {
        try sandbox.folder.write(#"{"key": 1}"#, to: "settings.json")
        _ = try sandbox.shell("chmod \(mode) .")
        try sandbox.expect("read ~/settings.json", "{\n    key = 1;\n}\n")
        let write = try sandbox.run("write ~/settings.json key -string value")
        #expect(write.status == 0)
        #expect(write.error.contains("every user may put files") == isReported, "\(write.error)")
    }

    @Test func `shows readable domains although one is damaged`() throws {
        try sandbox.write("{", toDomain: "bad")
        let run = try sandbox.run("read")
        #expect(run.status == 2 && run.output.contains("theme = dark") && run.error.contains("bad.json"))
        #expect(try sandbox.run("find dark").output.contains("theme"))
        try sandbox.expect("domains", "app\nbad\nother\n")
    }

    // MARK: The lock of a writer, which a process may hold for long that is stopped

    @Test(arguments: [
        ("get app name", "Ada L\n"), ("get app list.more --default none", "none\n"), ("find Ada", "name = \"Ada L\""),
        ("read-type app count", "Type is integer\n"), ("diff app other", "+ theme = dark\n"),
        ("export app -", "<string>Ada L<"),
        ("kept app", ""), ("domains", "app\nother\n"),
    ])
    func `a read does not fail for a lock, and says that it has not waited for it`(line: String, output: String) throws
    {
        try sandbox.folder.write([], to: "keyspan/.app.json.journal", permissions: 0o600)
        let journal = try check(open(sandbox.folder.path("keyspan/.app.json.journal"), O_RDWR | O_CLOEXEC))
        defer { close(journal) }
        try check(flock(journal, LOCK_EX))
        let run = try sandbox.run(line)
        let sentence =
            "keyspan: Another process has had ~/keyspan/app.json locked for 1.0 seconds, so it is read without the lock"
        #expect(
            run.status == (line.hasPrefix("diff") ? 1 : 0) && run.output.contains(output) || output.isEmpty,
            "\(run)"
        )
        #expect(run.error.hasPrefix(sentence), "\(run)")
        let files = line.hasPrefix("diff") ? 2 : 1
        #expect(run.error.split(separator: "\n").count <= files, "\(run)")
    }
}
