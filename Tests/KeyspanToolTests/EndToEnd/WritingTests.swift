import Foundation
import Testing

/// `write`, `rename` and `delete`, as a user runs them.
@Suite struct WritingTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: [
        (["word"], #""word""#),
        (["-5"], #""-5""#),
        (["-int", "-5"], "-5"),
        (["-integer", "18446744073709551615"], "18446744073709551615"),
        (["-float", "1"], "1.0"),
        (["-bool", "NO"], "false"),
        (["-string", "--help"], #""--help""#),
        (["-data", "0FBD77"], #"{"$data": "D713"}"#),
        (["-date", "2026-11-21 10:50:00 +0000"], #"{"$date": "2026-11-21T10:50:00Z"}"#),
        (["-array", "a", "-int", "1"], "[\n    \"a\",\n    1\n  ]"),
        (["-dict", "k", "-bool", "true"], "{\n    \"k\": true\n  }"),
        (["(a)"], "[\n    \"a\"\n  ]"),
    ])
    func `stores a value and makes the file`(words: [String], json: String) throws {
        let result = try sandbox.run(["write", "app", "key"] + words)
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        #expect(try sandbox.text(ofDomain: "app") == "{\n  \"key\": \(json)\n}\n")
    }

    @Test func `adds to arrays and dictionaries`() throws {
        try sandbox.run("write", "app", "list", "-array-add", "a")
        try sandbox.run("write", "app", "list", "-array-add", "-int", "2", "b")
        #expect(try sandbox.run("read", "app", "list").output == "(\n    a,\n    2,\n    b\n)\n")
        try sandbox.run("write", "app", "map", "-dict-add", "a", "1")
        try sandbox.run("write", "app", "map", "-dict-add", "a", "-int", "3", "b", "2")
        #expect(try sandbox.run("read", "app", "map").output == "{\n    a = 3;\n    b = 2;\n}\n")
        let result = try sandbox.run("write", "app", "map", "-array-add", "x")
        #expect(result.status == 1)
        #expect(result.error.contains("dictionary"))
    }

    @Test func `replaces a whole domain`() throws {
        try sandbox.run("write", "app", "old", "1")
        #expect(try sandbox.run("write", "app", "{a = 1; b = (2);}").status == 0)
        #expect(try sandbox.run("read", "app").output == "{\n    a = 1;\n    b =     (\n        2\n    );\n}\n")
    }

    @Test func `renames a key and overwrites none`() throws {
        try sandbox.run("write", "app", "old", "-int", "1")
        #expect(try sandbox.run("rename", "app", "old", "new").status == 0)
        #expect(try sandbox.text(ofDomain: "app") == "{\n  \"new\": 1\n}\n")
        #expect(try sandbox.run("rename", "app", "new", "new").status == 0)
        try sandbox.run("write", "app", "other", "x")
        #expect(try sandbox.run("rename", "app", "new", "other").status == 1)
        #expect(try sandbox.run("read", "app", "other").output == "x\n")
    }

    @Test func `deletes a key and a domain`() throws {
        try sandbox.run("write", "app", "{a = 1; b = 2;}")
        #expect(try sandbox.run("delete", "app", "a").status == 0)
        #expect(try sandbox.run("read", "app").output == "{\n    b = 2;\n}\n")
        #expect(try sandbox.run("delete", "app").status == 0)
        // The file stays, and a file without keys is a domain.
        #expect(try sandbox.run("read", "app").output == "{\n}\n")
        #expect(try sandbox.text(ofDomain: "app") == "{}\n")
        #expect(try sandbox.run("domains").output == "app\n")
        #expect(try sandbox.run("delete", "app").status == 0)
        #expect(try sandbox.run("delete", "app", "a").status == 1)
        #expect(try sandbox.run("delete", "other").status == 1)
    }

    @Test func `writes to a path from the working directory`() throws {
        #expect(try sandbox.shell("\"$KEYSPAN\" write settings.json key -int 1").status == 0)
        #expect(try sandbox.folder.text(of: "settings.json") == "{\n  \"key\": 1\n}\n")
        #expect(!sandbox.folder.contains("keyspan"))
    }

    @Test func `takes what follows a terminator as arguments`() throws {
        #expect(try sandbox.run("write", "--", "app", "-key", "-int", "1").status == 0)
        #expect(try sandbox.run("read", "--", "app", "-key").output == "1\n")
    }

    @Test func `loses no key of processes that write at once`() throws {
        let keys = (0..<20).map { "key\($0)" }
        let writers = try keys.map { key in
            try ToolProcess(
                ToolProcess.executable,
                ["write", "app", key, "-string", key],
                environment: sandbox.environment
            )
        }
        for writer in writers {
            let result = try writer.finish()
            #expect(result.status == 0)
            #expect(result.error.isEmpty)
        }
        for key in keys {
            #expect(try sandbox.run("read", "app", key).output == "\(key)\n")
        }
    }

    @Test func `loses no element of processes that add to one array at once`() throws {
        let writers = try (0..<12).map { number in
            try ToolProcess(
                ToolProcess.executable,
                ["write", "app", "list", "-array-add", "element\(number)"],
                environment: sandbox.environment
            )
        }
        for writer in writers { #expect(try writer.finish().status == 0) }
        let list = try sandbox.run("read", "app", "list", "--format", "json").output
        for number in 0..<12 { #expect(list.contains("\"element\(number)\"")) }
    }

    @Test func `leaves nothing beside the file`() throws {
        try sandbox.run("write", "app", "key", "value")
        try sandbox.run("rename", "app", "key", "other")
        try sandbox.run("read", "app")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path("keyspan")) == ["app.json"])
    }

    @Test func `gives a new file to its owner only`() throws {
        try sandbox.run("write", "app", "key", "value")
        let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.folder.path("keyspan/app.json"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test(arguments: [
        ["write"], ["write", "app"], ["write", "app", "key"], ["write", "app", "key", "-int", "x"],
        ["write", "app", "key", "-bool", "perhaps"], ["write", "app", "key", "-data", "f"],
        ["write", "app", "key", "-date", "0"], ["write", "app", "key", "a", "b"],
        ["write", "app", "key", "-strin", "a"],
        ["write", "app", "key", "(a"], ["write", "..", "key", "a"], ["write", "../app", "key", "a"],
        ["write", "", "key", "a"], ["write", ".app", "key", "a"], ["write", "a/b", "key", "a"], ["read", ".."],
        ["delete"],
        ["read", "a", "b", "c"], ["read-type", "app"], ["rename", "app", "a"], ["find"], ["import", "app"],
        ["export", "app"], ["watch"], ["nonsense"], ["read", "app", "--format", "yaml"], ["domains", "x"],
    ])
    func `refuses arguments that it cannot understand and changes nothing`(arguments: [String]) throws {
        let result = try sandbox.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(try sandbox.folder.names.isEmpty)
    }

    @Test func `refuses a key that no store can have`() throws {
        let result = try sandbox.run("write", "app", "", "value")
        #expect(result.status == 1)
        #expect(result.error.contains("empty"))
        #expect(!sandbox.folder.contains("keyspan/app.json"))
    }
}
