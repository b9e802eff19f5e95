import Testing

/// Arguments that cannot be understood: one line on standard error names the remedy, and nothing is changed.
@Suite struct UsageErrorTests {
    @Test(arguments: [
        (["raed"], "did you mean `read`?"), (["--nope"], "see `keyspan help`"), (["help", "nope"], "`keyspan help`"),
        (["read", "app", "key", "extra"], "see `keyspan help read`"),
        (["read", "--default", "x"], "--default is for the read of one key"),
        (["read", "app", "key", "--default"], "see `keyspan help read`"),
        (["read", "app", "--output"], "see `keyspan help read`"),
        (["read", "app", "--schema"], "see `keyspan help read`"),
        (["read", "app", "--schema", "x", "--show-secrets"], "use only one"),
        (["read", "app", "--show-secret"], "did you mean '--show-secrets'?"), (["read", "a/b"], "give a name without"),
        (["read", ".json"], "or the path of a .json, .jsonc or .plist file"), (["read", ""], "give a name without"),
        (["read", "-g"], "name the domain of a program"), (["get"], "see `keyspan help get`"),
        (["get", "app"], "see `keyspan help get`"), (["read-type", "app"], "see `keyspan help read-type`"),
        (["write"], "see `keyspan help write`"), (["write", "app"], "see `keyspan help write`"),
        (["write", "app", "tls.port"], "give one, or a dictionary"),
        (["write", "app", "-int", "5"], "as in `write domain key -int"),
        (["write", "app", "tls.port", "-int"], "add it"),
        (["write", "app", "tls.port", "-int", "x"], "give a whole number"),
        (["write", "app", "tls.port", "-nope", "x"], "use -string"),
        (["write", "app", "key", "a", "b"], "quote a value"),
        (["write", "app", "key", "(a"], "correct it"), (["write", "app", "key", "-dict", "a"], "alternately"),
        (["write", "app", "key", "-data", "abc"], "even number"),
        (["write", "app", "key", "-array", "-dict"], "'(a, b)'"),
        (["set", "app", "tls.port"], "`keyspan help set`"), (["set", "app", "k", "--stdin", "-array"], "only -string"),
        (["incr", "app"], "see `keyspan help incr`"), (["incr", "app", "tls.port", "x"], "give one number"),
        (["incr", "app", "tls.port", "1", "2"], "give one number"),
        (["rename", "app", "old"], "see `keyspan help rename`"),
        (["delete"], "name one"), (["find"], "see `keyspan help find`"),
        (["find", "a", "b"], "see `keyspan help find`"),
        (["domains", "x"], "see `keyspan help domains`"), (["diff", "app"], "see `keyspan help diff`"),
        (["validate"], "see `keyspan help validate`"), (["edit"], "see `keyspan help edit`"),
        (["import", "app"], "see `keyspan help import`"), (["export", "app"], "see `keyspan help export`"),
        (["watch"], "see `keyspan help watch`"), (["watch", "app", "key", "more"], "see `keyspan help watch`"),
        (["kept", "restore", "app"], "see `keyspan help kept`"),
        (["kept", "discard", "app", "k", "--all", "--number", "1"], "use only one"),
        (["kept", "restore", "app", "k", "--number", "x"], "see `keyspan help kept`"),
    ])
    func `end with 64, and one line says what to do`(arguments: [String], remedy: String) throws {
        let sandbox = try Sandbox()
        let before = #"{"tls": {"port": 443}}"#
        try sandbox.write(before, toDomain: "app")
        let result = try sandbox.run(arguments)
        #expect(result.status == 64, "\(result.error)")
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(result.error.contains(remedy), "\(result.error)")
        #expect(try sandbox.text(ofDomain: "app") == before)
    }
}
