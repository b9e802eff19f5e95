import Testing

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
