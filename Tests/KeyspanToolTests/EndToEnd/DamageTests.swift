import Foundation
import KeyspanTestSupport
import Testing

/// Files that cannot be read or written: the tool says so, and leaves them alone.
@Suite(.heavy) struct DamageTests {
    private let sandbox: Sandbox
    private static let commands = [
        "read app", "read app key", "read-type app key", "write app key value", "write app '{a = 1;}'",
        "rename app a b", "delete app", "delete app key", "import app -", "export app -", "kept app",
        "kept restore app key", "kept discard app key",
    ]

    init() throws {
        sandbox = try Sandbox()
    }

    @Test func `leaves a damaged file byte for byte`() throws {
        let damaged = "{\n  \"key\": 1,\n  \"half"
        try sandbox.write(damaged, toDomain: "app")
        for command in Self.commands {
            try sandbox.refuse(command, "app.json", "line 3", input: "{\"new\": 1}")
            #expect(try sandbox.text(ofDomain: "app") == damaged)
        }
        let watch = try sandbox.start("watch app").finish()
        #expect(watch.status == 2 && watch.output.isEmpty && watch.error.contains("line 3"))
        #expect(try sandbox.files == ["app.json"])
    }

    @Test func `reports a folder in place of the file`() throws {
        let folder = sandbox.folder.path("keyspan/app.json")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for command in Self.commands { try sandbox.refuse(command, "folder", input: "{\"new\": 1}") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func `reports a folder that cannot be written to`() throws {
        try sandbox.write("{\"key\": 1}", toDomain: "app")
        let folder = sandbox.folder.path("keyspan")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        try sandbox.refuse("write app key 2", "lock the file")
        #expect(try sandbox.text(ofDomain: "app") == "{\"key\": 1}")
    }

    @Test func `says so if there is no home folder`() throws {
        let run = try sandbox.shell("unset HOME XDG_CONFIG_HOME; keyspan domains")
        #expect(run.status == 2 && run.error.contains("HOME"))
    }

    // MARK: Texts that are not UTF-8, which Swift repairs: two files of different names would become one

    @Test(arguments: [
        "export app \"$(printf 'x\\377.json')\"", "write \"$(printf 'x\\377')\" a 1", "read \"$(printf 'x\\377')\"",
        "write app \"$(printf 'x\\377')\" 1", "import app \"$(printf 'x\\377')\"", "find \"$(printf 'x\\377')\"",
    ])
    func `an argument that is not UTF-8 is refused and named in a visible form`(command: String) throws {
        try sandbox.expect("write app key value")
        let run = try sandbox.shell("keyspan \(command)")
        #expect(
            run.status == 64 && run.output.isEmpty && run.hasOneSentence && run.error.contains(#""x\xff"#),
            "\(run)"
        )
        #expect(try sandbox.folder.names == ["keyspan"])
        #expect(try sandbox.shell("ls -A keyspan").output == "app.json\n")
    }

    @Test func `a completion of an argument that is not UTF-8 has neither candidates nor a message`() throws {
        let run = try sandbox.shell("keyspan ---completion read -- positional@0 \"$(printf 'x\\377')\"")
        #expect(run.output.isEmpty && run.error.isEmpty)
    }

    @Test func `the name of a file that is not UTF-8 is reported, and the others are read`() throws {
        try sandbox.expect("write app key value")
        _ = try sandbox.shell("echo '{\"absent\": 1}' > \"keyspan/$(printf 'x\\377.json')\"")
        for (command, status) in [("read", 0), ("find value", 0), ("domains", 0), ("find absent", 3)] {
            let run = try sandbox.run(command)
            #expect(run.status == status && run.output.contains("app") == (status == 0) && !run.output.contains("x"))
            #expect(run.error.hasPrefix(#"keyspan: The file "x\xff.json" in "#), "\(run)")
        }
    }

    @Test(arguments: ["XDG_CONFIG_HOME", "HOME"])
    func `a variable for the folder that is not UTF-8 is refused`(variable: String) throws {
        let folder = "\"$PWD/$(printf 'x\\377')\""
        let run = try sandbox.shell("unset XDG_CONFIG_HOME; export \(variable)=\(folder); keyspan write app a 1")
        #expect(run.status == 64 && run.error.contains(variable) && run.error.contains(#"x\xff""#), "\(run)")
        #expect(try sandbox.folder.names.isEmpty)
    }

    // MARK: The limit of the size of files, beyond which a write ends a process that does not ignore SIGXFSZ

    @Test(arguments: [
        "write app key -string \"$(printf '%9000s' x)\"", "import app document", "export big copy.json",
        "read big >output", "read big --format json >output",
    ])
    func `a write beyond the size limit fails like any other error`(command: String) throws {
        let document = "{\"key\": \"\(String(repeating: "x", count: 9000))\"}"
        try sandbox.folder.write(document, to: "document")
        try sandbox.write(document, toDomain: "big")
        try sandbox.expect("write app key value")
        let run = try sandbox.shell("ulimit -f 8; keyspan \(command)")
        #expect(run.status == 2 && run.hasOneSentence && run.error.contains("File too large"), "\(run)")
        // The error of a write to a domain names the keys.
        #expect(run.error.contains("key \"key\" of") == command.contains(" app "), "\(run)")
        try sandbox.expect("read app key", "value\n")
        #expect(try sandbox.folder.names.filter { $0 != "output" } == ["document", "keyspan"])
        #expect(try sandbox.files == ["app.json", "big.json"])
    }
}
