import Foundation
import KeyspanTestSupport
import Testing

/// How signals and closed pipes end commands.
@Suite(.heavy) struct SignalTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["app": #"{"a": "x", "n": 1}"#])
    }

    @Test(
        arguments: ["watch big --initial", "read big", "get big value --output json", "export big -"],
        [SIGHUP, SIGINT, SIGTERM]
    )
    func `a signal ends a command whose output nobody reads`(line: String, signal: Int32) async throws {
        try sandbox.write(#"{"value": "\#(String(repeating: "x", count: 1 << 20))"}"#, toDomain: "big")
        let output = try TestPipe()
        let run = try sandbox.start(line, descriptors: [STDOUT_FILENO: output.writer])
        try await eventually("the output is blocked", output.isFull, is: true)
        run.send(signal)
        let endsWell = line.hasPrefix("watch") && signal != SIGHUP
        #expect(run.waitForExit() == (endsWell ? 0 : 128 + signal))
        #expect(run.error.isEmpty)
    }

    #if os(Linux)
    @Test(
        .enabled(if: getuid() == 0 && TestProcess.isInstalled("unshare"), "makes a namespace of processes"),
        arguments: [SIGHUP, SIGINT, SIGTERM]
    )
    func `a signal ends process 1 of a container`(signal: Int32) async throws {
        let input = try TestPipe()
        let words = ["unshare", "--pid", "--fork", "--kill-child", Sandbox.tool, "set", "app", "a", "-"]
        let container = try TestProcess(
            words,
            environment: sandbox.environment,
            descriptors: [STDIN_FILENO: input.reader],
            group: .new
        )
        _ = try check(write(input.writer, "x", 1))
        try await eventually("the command reads its input", input.isEmpty, is: true)
        let children = "/proc/\(container.identifier)/task/\(container.identifier)/children"
        let child = try String(contentsOfFile: children, encoding: .utf8).split(separator: " ").first
        try check(kill(try #require(child.flatMap { pid_t($0) }), signal))
        #expect(container.waitForExit() == 128 + signal)
        try sandbox.expect("get app a", "x\n")
    }
    #endif

    @Test(arguments: [
        "read", "read app", "get app a", "get app a --output json", "read-type app a", "domains", "find x",
        "diff app app2", "export app -", "export app /dev/stdout", "watch app --initial", "kept keeping", "help",
        "help read", "read --help", "--version", "--generate-completion-script bash", "incr app n",
    ])
    func `a closed pipe ends every command alike`(line: String) throws {
        try sandbox.write("{}", toDomain: "app2")
        let kept = #"{"a": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"a": 2}}]}"#
        try sandbox.write(#"{"keyspan.kept": \#(kept)}"#, toDomain: "keeping")
        let output = try TestPipe()
        output.closeReader()
        // The parent of a process, and the transport of a cluster, may ignore SIGPIPE.
        for script in ["", "trap '' PIPE; "] {
            let run = try TestProcess(
                ["/bin/sh", "-c", "\(script)exec \"$KEYSPAN\" \(line)"],
                environment: sandbox.environment,
                descriptors: [STDOUT_FILENO: output.writer]
            ).finish()
            #expect(run.status == 128 + SIGPIPE, "\(run.error)")
            #expect(run.error.isEmpty || line.hasPrefix("incr"), "\(run.error)")
        }
    }

    @Test(arguments: [
        ("set app n 5", ""), ("export app ~/out.json", ""), ("read refers", ""), ("read app --schema ~/other.json", ""),
        ("edit app", ""), ("domains", "app\nrefers\n"),
    ])
    func `a notice that nobody reads makes no failure`(line: String, output: String) throws {
        try sandbox.write(#"{"$schema": "missing.json", "n": 5}"#, toDomain: "refers")
        try sandbox.folder.write(#"{"properties": {"a": {"writeOnly": true}}}"#, to: "other.json")
        try sandbox.folder.write("", to: "out.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: sandbox.folder.path("out.json"))
        let reader = try TestPipe()
        reader.closeReader()
        let variables = ["EDITOR": "true", "TMPDIR": sandbox.folder.path]
        let run = try sandbox.start(line, environment: variables, descriptors: [STDERR_FILENO: reader.writer]).finish()
        #expect(run.status == 0)
        #expect(output.isEmpty || run.output == output)
    }

    @Test func `watch waits for a domain although nobody reads that it does`() async throws {
        let reader = try TestPipe()
        reader.closeReader()
        let run = try sandbox.start("watch new", descriptors: [STDERR_FILENO: reader.writer])
        try await eventually("the change is printed", run.output) { output in
            try? sandbox.expect("set new n -int \(UInt16.random(in: 0 ... .max))")
            return !output.isEmpty
        }
        run.send(SIGTERM)
        #expect(run.waitForExit() == 0)
    }

    @Test(arguments: ["/dev/full", "closed pipe"])
    func `a sum that cannot be printed is said to be stored`(output: String) throws {
        let pipe = try TestPipe()
        pipe.closeReader()
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let descriptor = output == "/dev/full" ? full : pipe.writer
        // This system may have no such device.
        guard descriptor >= 0 else { return }
        let run = try sandbox.start("incr app n 2", descriptors: [STDOUT_FILENO: descriptor]).finish()
        #expect(run.status == (output == "/dev/full" ? 2 : 128 + SIGPIPE))
        #expect(run.error.contains("The sum 3 of the key \"n\" is stored"), "\(run.error)")
        try sandbox.expect("get app n", "3\n")
    }
}
