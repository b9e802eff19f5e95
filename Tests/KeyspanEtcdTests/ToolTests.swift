import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The tool `keyspan` on a prefix, beside etcdctl.
@Suite(.heavy, .enabled(if: TestCluster.isInstalled)) struct ToolTests {
    private let run: ToolRun

    init() throws {
        run = try ToolRun()
    }

    @Test func `writes what etcdctl reads, and reads what it writes`() throws {
        #expect(try run.keyspan("write", run.url, "port", "-int", "8080") == "")
        #expect(try run.keyspan("write", run.url, "names", "-array", "a", "b") == "")
        #expect(try run.entries() == ["names", #"["a", "b"]"#, "port", "8080"])
        try run.put("theme", #""dark""#)
        let listing =
            "{\n    names =     (\n        a,\n        b\n    );\n    port = 8080;\n    theme = dark;\n}\n"
        #expect(try run.keyspan("read", run.url) == listing)
        #expect(try run.keyspan("read-type", run.url, "port") == "Type is integer\n")
        #expect(try run.keyspan("incr", run.url, "port", "-80") == "8000\n")
        #expect(try run.keyspan("rename", run.url, "theme", "look") == "")
        #expect(try run.keyspan("write", run.url, "names", "-array-add", "c") == "")
        #expect(try run.entries() == ["look", #""dark""#, "names", #"["a", "b", "c"]"#, "port", "8000"])
        #expect(try run.keyspan("delete", run.url, "names").contains("`keyspan kept discard \(run.url) names --all`"))
        #expect(try run.entries() == ["look", #""dark""#, "port", "8000"])
        #expect(try run.keyspan("delete", run.url, status: 64).contains("give --yes"))
        #expect(try run.entries() == ["look", #""dark""#, "port", "8000"])
        #expect(try run.keyspan("delete", run.url, "--yes").contains("2 entries of \"\(run.url)\" are removed"))
        #expect(try run.entries().isEmpty)
        for key in ["names", "look", "port"] { #expect(try run.keyspan("kept", "restore", run.url, key) == "") }
        #expect(try run.entries() == ["look", #""dark""#, "names", #"["a", "b", "c"]"#, "port", "8000"])
    }

    @Test func `neither writes to nor reads a prefix that ends within a name`() throws {
        try run.put("port", "1")
        let url = try String(run.url.dropLast())
        let words = [
            ["set", url, "a", "1"], ["delete", url, "--yes"], ["delete", url, "/port"], ["incr", url, "a"],
            ["get", url, "port", "--default", "80"], ["read", url],
        ]
        for words in words {
            let result = try TestProcess(run.words(words), environment: TestCluster.environment).finish()
            #expect(
                result.status == 64 && result.error.contains("KEYSPAN_ETCD_PREFIX_AS_TEXT=1"),
                "\(words): \(result.error)"
            )
        }
        #expect(try run.entries() == ["port", "1"])
        let variables = ["KEYSPAN_ETCD_PREFIX_AS_TEXT=1"]
        #expect(try run.keyspan("set", url, "/port", "-int", "2", variables: variables) == "")
        #expect(try run.keyspan("get", url, "/port", variables: variables) == "2\n")
        #expect(try run.entries() == ["port", "2"])
    }

    @Test func `keeps no values for which a transaction is too small, and says so`() throws {
        for name in ["a", "b", "c"] { try run.put(name, "1") }
        let variables = ["KEYSPAN_ETCD_MAX_TXN_OPS=4"]
        let error = try run.keyspan("delete", run.url, "--yes", variables: variables)
        #expect(error.contains("The former values of the keys \"a\", \"b\", \"c\" cannot be kept"), "\(error)")
        #expect(try run.entries().isEmpty && run.keyspan("kept", run.url, status: 3).contains("has no keys"))
    }

    @Test func `keeps the values that processes replace at once`() throws {
        try run.put("name", #""first""#)
        let words = try run.words(["set", run.url, "name", "-string"])
        try TestProcess.run(["/bin/sh", "-c", #"for i in 1 2 3 4; do "$@" "name$i" & done; wait"#, "sh"] + words)
        let text = try run.keyspan("kept", run.url, "name") + run.keyspan("get", run.url, "name")
        for name in ["first", "name1", "name2", "name3", "name4"] { #expect(text.contains(name), "\(text)") }
    }

    @Test func `adds each of many numbers once`() throws {
        let words = try run.words(["incr", run.url, "count"])
        let script = #"for i in 1 2 3 4 5; do "$@" & done; wait"#
        try TestProcess.run(["/bin/sh", "-c", script, "sh"] + words)
        #expect(try run.entries() == ["count", "5"])
    }

    /// How many files the program has before its first connection depends on the machine.
    @Test(.enabled(if: TestLevel.current > .quick))
    func `says that it has too few open files, and what helps`() throws {
        let words = try run.words(["get", run.url, "port"])
        var environment = TestCluster.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for limit in 8..<(24 + 4 * ProcessInfo.processInfo.activeProcessorCount) {
            let command = ["/bin/sh", "-c", #"ulimit -n "$0"; exec "$@""#, "\(limit)"] + words
            let error = try TestProcess(command, environment: environment).finish().error
            if error.contains("its limit of \(limit) open files; raise it, for example with ulimit -n") { return }
        }
        Issue.record("no limit of open files is named")
    }

    @Test func `takes a key with dots for one entry`() throws {
        try run.put("tls", #"{"port": 1}"#)
        #expect(try run.keyspan("read", run.url, "tls.port", status: 3).contains("has no key \"tls.port\""))
        #expect(try run.keyspan("incr", run.url, "tls.port", "443") == "443\n")
        #expect(try run.keyspan("read", run.url, "tls.port") == "443\n")
        #expect(try run.entries() == ["tls", #"{"port": 1}"#, "tls.port", "443"])
        #expect(try run.keyspan("delete", run.url, "tls.port").contains("is kept"))
        #expect(try run.entries() == ["tls", #"{"port": 1}"#])
    }

    @Test func `says what a prefix lacks`() throws {
        #expect(try run.keyspan("read", run.url, status: 3).contains("has no keys; check the prefix"))
        #expect(try run.keyspan("read", run.url, "port", "--default", "80") == "80\n")
        try run.put("port", "1")
        #expect(try run.keyspan("read", run.url, "prot", status: 3).contains("did you mean \"port\"?"))
        try run.put("port", "80 80")
        #expect(try run.keyspan("write", run.url, "port", "1", status: 2).contains("left alone"))
        #expect(try run.entries() == ["port", "80 80"])
    }

    @Test func `ends with a failure if entries cannot be read, and names all of them`() throws {
        try run.put("port", "1")
        for number in 1...30 { try run.put("bad\(number)", "{") }
        let (url, other) = (try run.url, try run.file("empty.json", "{}"))
        for words in [
            ["read", url], ["read", url, "missing"], ["get", url, "bad1", "--default", "x"], ["export", url, "-"],
            ["diff", url, other],
        ] {
            let result = try TestProcess(run.words(words), environment: TestCluster.environment).finish()
            #expect(result.status == 2, "\(words)")
            #expect(result.output.isEmpty == words.contains("missing"), "\(words): \(result.output)")
            for number in 1...30 { #expect(result.error.contains("key \"bad\(number)\" of"), "\(words)") }
        }
        #expect(try run.keyspan("get", url, "port") == "1\n")
        #expect(try run.keyspan("set", url, "port", "-int", "2").contains("key \"bad30\" of"))
    }

    @Test func `prints what others change`() throws {
        try run.put("port", "1")
        let watch = try TestProcess(run.words(["watch", run.url, "--initial"]))
        var expected: [String] = []
        func expect(_ line: String) throws {
            expected.append(line)
            eventually("the tool prints \(line)", watch.lines(), within: .seconds(120)) { $0.count >= expected.count }
            #expect(watch.lines() == expected)
        }
        try expect("port = 1")
        try run.put("theme", #""dark""#)
        try expect("theme = dark")
        try run.put("port", "8080")
        try expect("port = 8080")
        try run.etcdctl("del", run.prefix + "port")
        try expect("port removed")
        #expect(try run.keyspan("write", run.url, "theme", "light") == "")
        try expect("theme = light")
        watch.send(SIGTERM)
        #expect(watch.waitForExit() == 0)
    }

    @Test func `asks before an import that leaves nothing but the schema and the records`() throws {
        try run.put("$schema", #""old.json""#)
        for name in ["a", "b"] { try run.put(name, "1") }
        let schema = try run.file("schema.json", #"{"$schema": "new.json"}"#)
        #expect(try run.keyspan("import", run.url, schema, status: 64).contains("give --yes"))
        let kept = try run.file("kept.json", #"{"keyspan.kept": {}, "c": 1}"#)
        try run.put("keyspan.kept", "{}")
        #expect(try run.keyspan("import", run.url, kept, status: 64).contains("give --yes"))
        #expect(try run.entries() == ["$schema", #""old.json""#, "a", "1", "b", "1"])
        #expect(try run.keyspan("import", run.url, schema, "--yes").contains("are removed"))
    }

    @Test func `imports a file in one transaction`() throws {
        try run.put("old", "1")
        let settings = try run.file("settings.json", #"{"port": 8080, "theme": "dark", "tls": {"port": 443}}"#)
        #expect(try run.keyspan("import", run.url, settings, status: 64).contains("give --yes"))
        #expect(try run.keyspan("write", run.url, "{}", status: 64).contains("`keyspan import` with --yes"))
        #expect(try run.entries() == ["old", "1"])
        #expect(try run.keyspan("import", run.url, settings, "--yes").contains("1 entry of \"\(run.url)\" is removed"))
        let tls = #"{"port": 443}"#
        #expect(try run.entries() == ["port", "8080", "theme", #""dark""#, "tls", tls])
        let text = try run.etcdctl("get", "--prefix", run.prefix, "--write-out", "fields")
        let revisions = text.split(separator: "\n").filter { $0.hasPrefix("\"ModRevision\"") }
        #expect(revisions.count >= 3 && Set(revisions).count == 1, "\(text)")

        #expect(try run.keyspan("diff", settings, run.url) == "")
        let copy = try run.file("old.json", "{}") + ".json"
        #expect(try run.keyspan("export", run.url, copy) == "")
        #expect(try run.keyspan("diff", settings, copy) == "")
        // One key of both is enough, as in a later version of the same settings.
        let later = try run.file("later.json", #"{"port": 1, "new": 2}"#)
        #expect(try run.keyspan("import", run.url, later).contains("2 entries of"))
    }

    @Test func `refuses a file for which a transaction is too small`() throws {
        try run.put("old", "1")
        let members = (0..<200).map { "\"key\($0)\": \($0)" }.joined(separator: ", ")
        let error = try run.keyspan("import", run.url, try run.file("large.json", "{\(members)}"), "--yes", status: 2)
        #expect(error.contains("takes 12") && error.contains("--max-txn-ops"), "\(error)")
        #expect(!error.contains("maximumOperations"))
        #expect(try run.entries() == ["old", "1"])
    }

    @Test func `says once that the connection to another host has no TLS`() throws {
        try run.put("a", "1")
        // An address that leads to this host, as no other one does that the tool does not know.
        let url = try run.url.replacing("127.0.0.1", with: "0.0.0.0")
        for arguments in [["kept", url], ["set", url, "b", "x"]] {
            let result = try TestProcess(run.words(arguments), environment: TestCluster.environment).finish()
            #expect(result.status == 0 && result.output.isEmpty)
            #expect(result.error.hasPrefix("keyspan: The connection to 0.0.0.0:"), "\(result)")
            #expect(result.error.contains("no TLS") && result.error.split(separator: "\n").count == 1, "\(result)")
        }
        #expect(try run.keyspan("kept", run.url) == "")
        let secured = try run.url.replacing("etcd://", with: "etcds://")
        #expect(try run.keyspan("read", secured, status: 2).contains("No member of the cluster"))
    }

    @Test func `edits a prefix`() throws {
        try run.put("a", "1")
        try run.put("tls", #"{"port": 1}"#)
        let script = #"printf '{"b": 2, "tls": {"port": 443}}' >"$1""#
        #expect(try run.keyspan("edit", run.url, variables: ["EDITOR=sh \(try run.file("editor", script))"]) == "")
        #expect(try run.entries() == ["b", "2", "tls", #"{"port": 443}"#])
    }

    @Test func `hides secrets and checks values by a schema`() throws {
        let schema = try run.file(
            "schema.json",
            """
            {"type": "object", "properties": {
              "password": {"type": "string", "writeOnly": true}, "port": {"type": "integer"}
            }}
            """
        )
        try run.put("password", #""pw-one""#)
        try run.put("port", "8080")
        let listing = try run.keyspan("read", run.url, "--schema", schema)
        #expect(listing.contains("hidden secret") && !listing.contains("pw-one"))
        #expect(try run.keyspan("validate", run.url, "--schema", schema) == "")
        try run.put("port", #""x""#)
        let violation = try run.keyspan("validate", run.url, "--schema", schema, status: 1)
        #expect(violation.hasSuffix("/\(run.prefix): port is a string, but must be an integer.\n"))

        try run.put("$schema", "\"\(schema)\"")
        #expect(try run.keyspan("read", run.url).contains("hidden secret"))
        // A backup without them would lose them.
        #expect(try run.keyspan("export", run.url, "-").contains("pw-one"))
        #expect(try run.keyspan("read", run.url, "password") == "pw-one\n")
        // A relative path that leads nowhere hides all texts.
        try run.put("$schema", #""none.json""#)
        #expect(try !run.keyspan("read", run.url).contains("pw-one"))
    }

    @Test(.enabled(if: TestAuthority.isInstalled))
    func `connects with the variables of etcdctl`() throws {
        var options = TestCluster.Options()
        let authority = try TestAuthority()
        options.size = 1
        options.tls = ClusterTLS(authority: authority, server: try authority.serverCertificate())
        let cluster = try TestCluster(options)
        let run = try ToolRun { cluster }
        let tls = "ETCDCTL_CACERT=\(authority.certificate)"
        #expect(try run.keyspan("write", run.url, "port", "-int", "1", variables: [tls]) == "")
        #expect(try cluster.etcdctl("get", "--print-value-only", run.prefix + "port") == "1\n")
        #expect(try run.keyspan("read", run.url, "port", status: 2).contains("without which there is no TLS"))

        try cluster.etcdctl("user", "add", "root:pw-one")
        try cluster.etcdctl("user", "grant-role", "root", "root")
        try cluster.etcdctl("auth", "enable")
        let user = "ETCDCTL_USER=root:pw-one"
        #expect(try run.keyspan("read", run.url, "port", variables: [tls, user]) == "1\n")
        #expect(try run.keyspan("incr", run.url, "port", variables: [tls, user]) == "2\n")
        let refusal = try run.keyspan("read", run.url, status: 2, variables: [tls, user + "x"])
        #expect(refusal.contains("authentication failed") && !refusal.contains("pw-one"), "\(refusal)")
        #expect(try run.keyspan("read", run.url, status: 2, variables: [tls]).hasPrefix("keyspan: "))
    }

    @Test func `leaves neither a marker nor a lease`() throws {
        let cluster = try TestCluster(.init(size: 1))
        let run = try ToolRun { cluster }
        #expect(try run.keyspan("set", run.url, "port", "-int", "1") == "")
        #expect(try run.keyspan("incr", run.url, "port") == "2\n")
        #expect(try run.keyspan("delete", run.url, "port").contains("is kept"))
        #expect(try run.keyspan("kept", "restore", run.url, "port") == "")
        #expect(try run.etcdctl("lease", "list") == "found 0 leases\n")
        #expect(try run.etcdctl("get", "--prefix", "", "--keys-only") == "\(run.prefix)port\n\n")
    }

    @Test func `deletes without space, and says what it cannot keep`() throws {
        let cluster = try TestCluster(.init(size: 1, arguments: ["--quota-backend-bytes", "\(4 << 20)"]))
        let run = try ToolRun { cluster }
        for name in ["a", "b", "c"] { try run.put(name, #""secret""#) }
        let filling = try run.file("filling", "\"\(String(repeating: "x", count: 500_000))\"")
        let script = #"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do "$@" <"$FILE" || exit 0; done; exit 1"#
        let put = ["etcdctl", "--endpoints", cluster.endpoints[0], "put", run.prefix + "filling"]
        try TestProcess.run(
            ["env", "FILE=\(filling)", "/bin/sh", "-c", script, "sh"] + put,
            environment: TestCluster.environment
        )
        let error = try run.keyspan("delete", run.url, "a")
        #expect(error.contains("The former value of the key \"a\" cannot be kept: the space of the cluster is used up"))
        #expect(!error.contains("secret"))
        #expect(try run.keyspan("set", run.url, "b", "x", status: 2).contains("disarm its alarm"))
        #expect(try run.keyspan("delete", run.url, "--yes").contains("cannot be kept: the space"))
        #expect(try run.entries().isEmpty)
    }

    @Test func `restores a value that a program has kept`() throws {
        try run.put("theme", "1")
        let kept = #"{"theme": [{"date": {"$date": "2026-11-21T10:50:00Z"}, "entries": {"theme": 2}}]}"#
        try run.put("keyspan.kept", kept)
        #expect(try run.keyspan("kept", run.url).contains("theme  2026-11-21T10:50:00.000Z  2"))
        #expect(try run.keyspan("kept", "restore", run.url, "theme") == "")
        #expect(try run.keyspan("read", run.url, "theme") == "2\n")
        #expect(try run.keyspan("kept", "discard", run.url, "theme", "--all") == "")
        #expect(try run.keyspan("kept", run.url) == "")
        #expect(try run.entries() == ["theme", "2"])
    }
}

/// A prefix of a cluster, and a folder for the files of the tool.
private final class ToolRun: Sendable {
    let prefix = SharedCluster.newPrefix()
    private let cluster: @Sendable () throws -> TestCluster
    private let folder: TemporaryFolder

    /// Makes a prefix of the shared cluster, or of another one.
    init(cluster: @escaping @Sendable () throws -> TestCluster = { try SharedCluster.cluster }) throws {
        self.cluster = cluster
        folder = try TemporaryFolder()
    }

    /// The domain.
    var url: String {
        get throws { "etcd://\(try cluster().endpoints.joined(separator: ","))/\(prefix)" }
    }

    /// The tool with arguments, in an environment of its own.
    func words(_ arguments: [String], variables: [String] = []) throws -> [String] {
        ["env", "XDG_CONFIG_HOME=\(folder.path)"] + variables + [TestProcess.product("keyspan")] + arguments
    }

    /// Runs the tool, which must end with a status, and returns its output, or its errors where it has none.
    func keyspan(_ arguments: String..., status: Int32 = 0, variables: [String] = []) throws -> String {
        let result = try TestProcess(words(arguments, variables: variables), environment: TestCluster.environment)
            .finish()
        #expect(result.status == status, "\(arguments): \(result.error)")
        return result.output.isEmpty ? result.error : result.output
    }

    /// Writes a file, and returns its path.
    func file(_ name: String, _ text: String) throws -> String { try folder.write(text, to: name) }

    @discardableResult
    func etcdctl(_ arguments: String...) throws -> String {
        let endpoints = try cluster().endpoints.joined(separator: ",")
        return try TestProcess.run(
            ["etcdctl", "--endpoints", endpoints] + arguments,
            environment: TestCluster.environment
        )
    }

    /// Writes an entry with etcdctl.
    func put(_ name: String, _ text: String) throws {
        try etcdctl("put", prefix + name, text)
    }

    /// The names and the texts of the entries by turns, without those of the store itself and the kept values, as etcdctl has them.
    func entries() throws -> [String] {
        let lines = try etcdctl("get", "--prefix", prefix).split(separator: "\n").map(String.init)
        return stride(from: 0, to: lines.count - 1, by: 2)
            .filter { !lines[$0].hasPrefix(prefix + ".keyspan/") && lines[$0] != prefix + "keyspan.kept" }
            .flatMap { [String(lines[$0].dropFirst(prefix.count)), lines[$0 + 1]] }
    }
}
