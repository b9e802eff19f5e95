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
        let result = try sandbox.run("write", "app", "key", "value")
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
