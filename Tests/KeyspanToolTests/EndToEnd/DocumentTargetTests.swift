import Foundation
import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

/// The places that `export` writes to, and those that no command writes to.
@Suite struct DocumentTargetTests {
    private let sandbox: Sandbox
    private let text = "{\n  // why\n  \"key\": \"value\"\n}\n"

    init() throws {
        sandbox = try Sandbox()
        try sandbox.folder.write(text, to: "app.jsonc")
    }

    /// The items of a folder of the sandbox.
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path(folder)).sorted()
    }

    // MARK: Files of stores

    @Test(arguments: ["~/app.jsonc", "~/link", "~/name", "~/.app.jsonc.journal", "~/other.json"])
    func `export replaces neither the file of the domain nor that of a program`(target: String) throws {
        _ = try sandbox.shell("ln -s app.jsonc link; ln app.jsonc name; touch .app.jsonc.journal .other.json.journal")
        for format in ["", " --format binary"] {
            try sandbox.refuse("export ~/app.jsonc \(target)\(format)", target.dropFirst(2).description, "another file")
        }
        #expect(try sandbox.folder.text(of: "app.jsonc") == text)
        #expect(!sandbox.folder.contains("other.json"))
        #expect(try sandbox.folder.text(of: ".app.jsonc.journal").isEmpty)
    }

    @Test(arguments: ["~/.app.jsonc.journal", "~/.other.json.journal", "~/link"])
    func `export makes no journal`(target: String) throws {
        _ = try sandbox.shell("ln -s .third.json.journal link")
        try sandbox.refuse("export ~/app.jsonc \(target)", "the name of a journal", "another file")
        #expect(try sandbox.folder.names == ["app.jsonc", "link"])
    }

    @Test func `export does not append to the file of the domain`() throws {
        let run = try sandbox.shell("keyspan export app.jsonc - >>app.jsonc")
        #expect(
            run.status == 2 && run.hasOneSentence && run.error.contains("Standard output is the file of the domain")
        )
        #expect(try sandbox.folder.text(of: "app.jsonc") == text)
    }

    // MARK: Folders to which every user may add files

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [
            "export ~/app.jsonc ~/sticky/item.json", "set ~/sticky/item.json k v", "import ~/sticky/item.json -",
        ],
        ["ln -s ../victim/new.json", "ln -s ../victim/old.json", "echo '{}' >", "mkfifo"]
    )
    func `no command writes to what another user has put into a sticky folder`(command: String, making: String) throws {
        _ = try sandbox.shell(
            "mkdir -m 1777 sticky; mkdir victim; echo '{}' >victim/old.json; umask 0; \(making) sticky/item.json; "
                + "chown -h 65534:65534 sticky/item.json"
        )
        let isPipe = making == "mkfifo" && !command.hasPrefix("export")
        try sandbox.refuse(
            command,
            isPipe ? "it is a pipe" : "belongs to user 65534, in a folder to which other users may add files",
            input: "{\"a\": 1}"
        )
        #expect(try names(in: "victim") == ["old.json"] && names(in: "sticky") == ["item.json"])
        #expect(try sandbox.folder.text(of: "victim/old.json") == "{}\n")
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: ["export ~/app.jsonc ~/shared/item.json", "set ~/shared/item.json k v"],
        [0o777, 0o770]
    )
    func `no command follows the link of another user in a folder to which others may add files`(
        command: String,
        mode: Int
    ) throws {
        _ = try sandbox.shell(
            "mkdir victim shared; echo '{}' >victim/old.json; ln -s ../victim/old.json shared/item.json; "
                + "chown -h 1234:1234 shared/item.json; chmod \(String(mode, radix: 8)) shared"
        )
        try sandbox.refuse(command, "belongs to user 1234, in a folder to which other users may add files")
        #expect(try sandbox.folder.text(of: "victim/old.json") == "{}\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `export replaces a file of another user in a folder of one's own`() throws {
        let line = """
            chmod 755 .; mkdir home; chown 1234:1234 home; touch home/copy.json; chmod 644 home/copy.json app.jsonc
            cp "$KEYSPAN" tool; setpriv --reuid 1234 --regid 1234 --clear-groups ./tool export app.jsonc home/copy.json
            """
        let run = try sandbox.shell(line)
        #expect(run.status == 0, "\(run)")
        #expect(try sandbox.folder.text(of: "home/copy.json") == "{\n  \"key\": \"value\"\n}\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `what root exports belongs to the owner of the folder, and what is there keeps its owner`() throws {
        _ = try sandbox.shell("mkdir home; chown 1234:5678 home")
        for attempt in 1...2 {
            try sandbox.expect("export ~/app.jsonc ~/home/copy.json")
            #expect(try sandbox.shell("stat -c '%u %g %a' home/copy.json").output == "1234 5678 600\n", "\(attempt)")
        }
    }

    // MARK: Permissions

    @Test(arguments: [0o400, 0o444])
    func `a read-only file stays as it is`(mode: Int) throws {
        _ = try sandbox.shell("cp app.jsonc copy.json; chmod \(String(mode, radix: 8)) app.jsonc copy.json")
        for command in [
            "set ~/app.jsonc key other", "write ~/app.jsonc '{}'", "import ~/app.jsonc -", "delete ~/app.jsonc key",
            "rename ~/app.jsonc key other", "incr ~/app.jsonc count", "export ~/copy.json ~/app.jsonc",
        ] {
            try sandbox.refuse(command, "app.jsonc", mode == 0o400 ? "0400" : "0444", "`chmod u+w`", input: "{}")
            #expect(try sandbox.folder.text(of: "app.jsonc") == text)
        }
        try sandbox.expect("get ~/app.jsonc key", "value\n")
    }

    @Test(arguments: [(0o644, true), (0o640, true), (0o622, false), (0o600, false)])
    func `export says if other users can read the file`(mode: Int, isReported: Bool) throws {
        _ = try sandbox.shell("touch old.json; chmod \(String(mode, radix: 8)) old.json")
        let runs = [
            try sandbox.run("export ~/app.jsonc ~/old.json"), try sandbox.shell("keyspan export app.jsonc - >old.json"),
        ]
        for run in runs {
            #expect(run.status == 0 && run.hasOneSentence == isReported && run.error.isEmpty != isReported, "\(run)")
            if isReported {
                #expect(run.error.contains("mode 0\(String(mode, radix: 8))") && run.error.contains("chmod go-r"))
            }
        }
    }

    @Test func `the shell makes a file for export that nobody may write to`() throws {
        let run = try sandbox.shell("(umask 0377; keyspan export app.jsonc - --format json >backup)")
        #expect(run == Sandbox.Run(status: 0, output: "", error: ""))
        #expect(try sandbox.folder.text(of: "backup") == "{\n  \"key\": \"value\"\n}\n")
    }

    // MARK: Pipes

    @Test func `a named pipe is not opened for a document that cannot be written`() throws {
        try sandbox.folder.write(#"{"key": "\u0001"}"#, to: "control.json")
        _ = try sandbox.shell("mkfifo pipe")
        // Without a reader the command would wait.
        try sandbox.refuse("export ~/control.json ~/pipe --format xml", "property list cannot hold")
    }

    @Test func `a document arrives whole in a named pipe`() throws {
        let line = """
            mkfifo pipe
            for round in 1 2 3 4 5 6 7 8; do cat pipe >>out & keyspan export app.jsonc pipe --format json; wait; done
            """
        let run = try sandbox.shell(line)
        #expect(run == Sandbox.Run(status: 0, output: "", error: ""))
        #expect(try sandbox.folder.text(of: "out") == String(repeating: "{\n  \"key\": \"value\"\n}\n", count: 8))
    }

    @Test func `a pipe of the shell gets a document`() throws {
        let run = try sandbox.shell(
            "bash -c '\"$KEYSPAN\" export app.jsonc >(cat >out; echo done) --format json; wait $!'"
        )
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(try sandbox.folder.text(of: "out") == "{\n  \"key\": \"value\"\n}\n")
    }

    // MARK: The end of the process

    /// A folder that the test process and its child know.
    private static func commonFolder(of parent: pid_t) -> String {
        NSTemporaryDirectory() + "/keyspan-signal-\(parent)"
    }

    @Test func `a signal waits until a file is complete`() async throws {
        let folder = Self.commonFolder(of: getpid())
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let folder = Self.commonFolder(of: getppid())
            try Data(#"{"key": "value"}"#.utf8).write(to: URL(filePath: "\(folder)/app.json"))
            let fileSystem = FaultyFileSystem()
            let domain = Domain(name: "app", path: "\(folder)/app.json")
            let target = try DocumentTarget("\(folder)/out.json", for: domain, in: fileSystem)
            fileSystem.inject(
                .interlude(before: .fsync) {
                    kill(getpid(), SIGTERM)
                    eventually("the signal has arrived") { TerminationSignals.arrived != nil }
                }
            )
            try target.write(ExportFormat.json.bytes(of: .domain(domain.contents())))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["app.json", "out.json"])
        let text = try String(contentsOfFile: "\(folder)/out.json", encoding: .utf8)
        #expect(text == "{\n  \"key\": \"value\"\n}\n")
    }

    // MARK: Reading

    @Test func `a document without an end is refused`() throws {
        try sandbox.refuse("import ~/app.jsonc /dev/zero", "/dev/zero", "more than 268435456 bytes, which is the limit")
        #expect(try sandbox.folder.text(of: "app.jsonc") == text)
    }
}
