import Foundation
import Testing

/// Files that cannot be read or written: the tool says so, and leaves them alone.
@Suite struct DamageTests {
    private let sandbox: Sandbox
    private static let commands = [
        ["read", "app"], ["read", "app", "key"], ["read-type", "app", "key"], ["write", "app", "key", "value"],
        ["write", "app", "{a = 1;}"], ["rename", "app", "a", "b"], ["delete", "app"], ["delete", "app", "key"],
        ["import", "app", "-"], ["export", "app", "-"], ["watch", "app"], ["kept", "app"],
        ["kept", "restore", "app", "key"], ["kept", "discard", "app", "key"],
    ]

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: commands)
    func `leaves a damaged file byte for byte`(arguments: [String]) throws {
        let damaged = "{\n  \"key\": 1,\n  \"half"
        try sandbox.write(damaged, toDomain: "app")
        let result = try sandbox.run(arguments, input: "{\"new\": 1}")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("app.json") && result.error.contains("line 3"))
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(try sandbox.text(ofDomain: "app") == damaged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path("keyspan")) == ["app.json"])
    }

    @Test(arguments: commands)
    func `reports a folder in place of the file`(arguments: [String]) throws {
        let folder = sandbox.folder.path("keyspan/app.json")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let result = try sandbox.run(arguments, input: "{\"new\": 1}")
        #expect(result.status == 1)
        #expect(result.error.contains("folder"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `reports a folder that cannot be written to`() throws {
        try sandbox.write("{\"key\": 1}", toDomain: "app")
        let folder = sandbox.folder.path("keyspan")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        let result = try sandbox.run("write", "app", "key", "2")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("keyspan: "))
        #expect(result.error.contains("lock the file"))
        #expect(try sandbox.text(ofDomain: "app") == "{\"key\": 1}")
    }

    @Test func `says so if there is no home folder`() throws {
        let result = try ToolProcess(ToolProcess.executable, ["domains"], environment: [:]).finish()
        #expect(result.status == 1)
        #expect(result.error.contains("HOME"))
    }
}

/// Texts that are not UTF-8, which Swift repairs: two files of different names would become one.
@Suite struct InvalidTextTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "key", "value")
    }

    @Test(arguments: [
        "export app \"$(printf 'x\\377.json')\"", "write \"$(printf 'x\\377')\" a 1", "read \"$(printf 'x\\377')\"",
        "write app \"$(printf 'x\\377')\" 1", "import app \"$(printf 'x\\377')\"", "find \"$(printf 'x\\377')\"",
    ])
    func `an argument is refused and named in a visible form`(command: String) throws {
        let result = try sandbox.shell("\"$KEYSPAN\" \(command)")
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.contains(#""x\xff"#))
        #expect(try sandbox.folder.names == ["keyspan"])
        #expect(try sandbox.shell("ls -A keyspan").output == "app.json\n")
    }

    @Test func `a completion is left without candidates and without a message`() throws {
        let result = try sandbox.shell("\"$KEYSPAN\" ---completion read -- positional@0 \"$(printf 'x\\377')\"")
        #expect(result.output.isEmpty && result.error.isEmpty)
    }

    @Test(arguments: [("read", 0), ("find value", 0), ("domains", 0), ("find absent", 1)])
    func `the name of a file in the folder is reported, and the others are read`(command: String, status: Int32) throws
    {
        let name = "\"keyspan/$(printf 'x\\377.json')\""
        let result = try sandbox.shell("echo '{\"absent\": 1}' > \(name); \"$KEYSPAN\" \(command)")
        #expect(result.status == status)
        #expect(result.error.hasPrefix(#"keyspan: The file "x\xff.json" in "#))
        #expect(result.output.contains("app") == (status == 0))
        #expect(!result.output.contains("x"))
    }

    @Test(arguments: ["XDG_CONFIG_HOME", "HOME"])
    func `a variable for the folder is refused`(variable: String) throws {
        let folder = "\"$PWD/$(printf 'x\\377')\""
        let command = "\"$KEYSPAN\" write app a 1"
        let result = try sandbox.shell("unset XDG_CONFIG_HOME; export \(variable)=\(folder); \(command)")
        #expect(result.status == 64)
        #expect(result.error.contains(variable) && result.error.contains(#"x\xff""#))
        #expect(try sandbox.folder.names == ["keyspan"])
    }
}

/// The limit of the size of files, beyond which a write ends a process that does not ignore SIGXFSZ.
@Suite struct SizeLimitTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.run("write", "app", "key", "value")
    }

    @Test(arguments: [
        "write app key -string \"$(printf '%9000s' x)\"", "import app document", "export big copy.json",
        "read big >output",
        "read big --format json >output",
    ])
    func `fails a write like any other error`(command: String) throws {
        try sandbox.folder.write("{\"key\": \"\(String(repeating: "x", count: 9000))\"}", to: "document")
        try sandbox.write(sandbox.folder.text(of: "document"), toDomain: "big")
        let result = try sandbox.shell("ulimit -f 8; \"$KEYSPAN\" \(command)")
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
        #expect(result.error.contains("File too large"))
        #expect(try sandbox.run("read", "app", "key").output == "value\n")
        #expect(!sandbox.folder.contains("copy.json"))
        #expect(try sandbox.folder.names.allSatisfy { !$0.contains("tmp") })
        #expect(try sandbox.shell("ls -A keyspan").output == "app.json\nbig.json\n")
    }
}
