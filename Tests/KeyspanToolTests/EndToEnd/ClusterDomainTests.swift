import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

#if Etcd
import KeyspanEtcd
#endif

/// Domains that are prefixes of an etcd cluster, as far as that needs no cluster.
@Suite struct ClusterDomainTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    #if Etcd
    @Test(arguments: [
        ("etcd://a/greeter/", ["a"], "greeter/"), ("etcd://a:1,b:2,[::1]:3/x", ["a:1", "b:2", "[::1]:3"], "x"),
        ("etcd://a/", ["a"], ""), ("etcd://a//x", ["a"], "/x"), ("etcd://a/\u{301}x", ["a"], "\u{301}x"),
        ("etcd://a/b c%20.json", ["a"], "b c%20.json"), ("etcds://a:1,b/x", ["a:1", "b"], "x"),
    ])
    func `have members and a prefix`(url: String, endpoints: [String], prefix: String) throws {
        let place = try ClusterPrefix(url: url)
        #expect(place.endpoints == endpoints)
        #expect(UTF8Text(place.prefix) == UTF8Text(prefix))
        #expect(place.isSecured == url.hasPrefix("etcds"))
        guard prefix.hasSuffix("/") else { return }
        let domain = try Domain(argument: url, in: DomainFolder(path: "/none"))
        #expect(domain.name == url && domain.place == .cluster(place))
    }

    @Test(arguments: [
        ("127.0.0.1:2379", true), ("localhost", true), ("LOCALHOST:1", true), ("[::1]:2379", true), ("[::1]", true),
        ("127.0.0.1", true), ("10.0.0.1:2379", false), ("db.example.com:2379", false), ("127.example.com:1", false),
        ("localhost.example.com", false), ("[::2]:1", false), ("[2001:db8::1]", false), ("0.0.0.0:1", false),
    ])
    func `are on this host or on another one`(endpoint: String, isOnThisHost: Bool) {
        #expect(ClusterPrefix.isOnThisHost(endpoint) == isOnThisHost)
    }

    @Test(arguments: [
        ("etcd://", "give it as etcd://<host>:<port>/<prefix>"),
        ("etcd:///x", "give it as etcd://<host>:<port>/<prefix>"),
        ("etcd://a:1", "give it as etcd://<host>:<port>/<prefix>"), ("etcd://a:x/y/", "of the form host:port"),
        ("etcd://a,/y/", "of the form host:port"), ("etcd://https://a:1/y/", "of the form host:port"),
        ("etcd://root:pw-one@a:1/y", "set ETCDCTL_USER"),
    ])
    func `are refused in any other form`(url: String, remedy: String) throws {
        try sandbox.refuse("read \(url)", remedy, status: 64)
        #expect(try !sandbox.run("read \(url)").error.contains("pw-one"))
    }

    // Nothing listens at the port for multiplexers.
    @Test(
        .heavy,
        arguments: [
            "read #", "write # k v", "delete # --yes", "delete # k", "incr # k", "watch #", "export # -",
        ]
    )
    func `that cannot be reached are a failure`(line: String) throws {
        let line = line.replacing("#", with: "etcd://127.0.0.1:1,127.0.0.1:1/greeter/")
        let result = try sandbox.start(line).finish()
        let run = Sandbox.Run(status: result.status, output: result.output, error: result.error)
        #expect(run.status == 2 && run.output.isEmpty && run.hasOneSentence, "\(run)")
        #expect(run.error.hasPrefix("keyspan: No member of the cluster at 127.0.0.1:1,127.0.0.1:1 answers"))
    }

    @Test(arguments: [
        "set # k v", "write # '{}'", "import # -", "delete # --yes", "delete # k", "incr # k", "rename # a b", "edit #",
        "kept restore # k", "kept discard # k", "read #", "get # k", "read-type # k", "watch #", "export # -",
        "diff # #",
        "kept #", "validate #",
    ])
    func `that end within a name are neither written nor read`(line: String) throws {
        let member = try SilentMember()
        let cluster = member.url.prefix { $0 != "/" } + "//" + member.url.split(separator: "/")[1]
        for (prefix, hint) in [("", "the whole cluster"), ("g", "does not end in a separator")] {
            try sandbox.refuse(line.replacing("#", with: "\(cluster)/\(prefix)"), hint, status: 64)
        }
        #expect(!member.wasAsked)
    }

    @Test func `are not removed as a whole without a question`() throws {
        let member = try SilentMember()
        try sandbox.refuse("delete \(member.url)", "give --yes", status: 64)
        #expect(!member.wasAsked)
    }

    @Test func `that cannot be reached are no difference`() throws {
        try sandbox.write("{}", toDomain: "app")
        try sandbox.refuse("diff app etcd://127.0.0.1:1/greeter/")
    }

    @Test func `send no password without TLS`() throws {
        let member = try SilentMember()
        let result = try sandbox.start("read \(member.url)", environment: ["ETCDCTL_USER": "root:pw-one"]).finish()
        #expect(result.status == 2 && result.error.contains("KEYSPAN_ETCD_PLAINTEXT_PASSWORD=1"))
        #expect(!result.error.contains("pw-one"))
        #expect(!member.wasAsked)
    }

    /// The options in an environment.
    private func options(_ environment: [String: String]) throws -> EtcdStoreOptions {
        try EtcdStoreOptions { environment[$0].map { OutsideText($0) } }
    }

    @Test func `are opened as the variables of etcdctl say`() throws {
        for name in ["ca", "cert", "key"] { try sandbox.folder.write("", to: name) }
        let (ca, cert, key) = (sandbox.folder.path("ca"), sandbox.folder.path("cert"), sandbox.folder.path("key"))
        #expect(try options([:]).security == .plaintext)
        #expect(try EtcdStoreOptions(isSecured: true) { _ in nil }.security == .tls())
        #expect(try options(["ETCDCTL_CACERT": ""]).security == .plaintext)
        #expect(try options(["ETCDCTL_CACERT": ca]).security == .tls(authority: .file(ca)))
        let identity = EtcdSecurity.Identity(certificates: cert, key: key)
        let files = ["ETCDCTL_CERT": cert, "ETCDCTL_KEY": key]
        #expect(try options(files).security == .tls(identity: identity))
        let all = files.merging(["ETCDCTL_CACERT": ca]) { $1 }
        #expect(try options(all).security == .tls(authority: .file(ca), identity: identity))

        #expect(try options([:]).credentials == nil)
        #expect(try options(["ETCDCTL_USER": "a:b:c"]).credentials == EtcdCredentials(user: "a", password: "b:c"))
        let split = ["ETCDCTL_USER": "a", "ETCDCTL_PASSWORD": "b", "KEYSPAN_ETCD_PLAINTEXT_PASSWORD": "1"]
        let credentials = EtcdCredentials(user: "a", password: "b", allowsPlaintext: true)
        #expect(try options(split).credentials == credentials)

        let limits = ["KEYSPAN_ETCD_MAX_TXN_OPS": "500", "KEYSPAN_ETCD_MAX_REQUEST_BYTES": "9999"]
        #expect(try options(limits).maximumOperations == 500)
        #expect(try options(limits).maximumRequestSize == 9999)
    }

    @Test(arguments: [
        ["ETCDCTL_CERT": "/dev/null"], ["ETCDCTL_KEY": "/dev/null"], ["ETCDCTL_USER": "pw-one"],
        ["ETCDCTL_USER": ":pw-one"],
        ["KEYSPAN_ETCD_MAX_TXN_OPS": "many"], ["KEYSPAN_ETCD_MAX_REQUEST_BYTES": "0"],
    ])
    func `are refused with variables that say nothing`(environment: [String: String]) throws {
        let error = #expect(throws: ToolError.self) { try options(environment) }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("pw-one") == false)
    }

    @Test(arguments: [["ETCDCTL_CACERT": "/none"], ["ETCDCTL_CERT": "/none", "ETCDCTL_KEY": "/dev/null"]])
    func `fail at once without the files for TLS`(environment: [String: String]) throws {
        let error = #expect(throws: ToolError.self) { try options(environment) }
        #expect(error?.status == .failure)
        #expect(error?.message.contains("The file /none of ETCDCTL_C") == true)
    }

    @Test func `whose member is silent are a failure`() throws {
        let member = try SilentMember()
        try sandbox.refuse("read \(member.url)", "No member of the cluster")
        #expect(member.wasAsked)
    }

    @Test func `are explained in the help`() throws {
        let words = try sandbox.run("help").output.split { $0.isWhitespace }.joined(separator: " ")
        for name in ["CACERT", "CERT", "KEY", "USER", "PASSWORD"] { #expect(words.contains("ETCDCTL_\(name)")) }
        #expect(words.contains("etcd://10.0.0.1:2379,10.0.0.2:2379/greeter/"))
        #expect(try sandbox.run("help watch").output.contains("etcd://<host>:<port>/<prefix>"))
    }
    #else
    @Test func `need a build with their trait`() throws {
        let member = try SilentMember()
        for line in [
            "read #", "read # k", "get # k", "read-type # k", "write # k v", "set # k v", "incr # k", "rename # a b",
            "delete #", "diff # #", "validate #", "edit #", "import # /dev/null", "export # -", "kept #",
            "kept restore # k",
        ] { try sandbox.refuse(line.replacing("#", with: member.url), "--traits Etcd", status: 64) }
        try sandbox.refuse("read etcds://a/b", "--traits Etcd", status: 64)
        let watch = try sandbox.start("watch \(member.url)").finish()
        #expect(watch.status == 64 && watch.error.contains("--traits Etcd"))
        #expect(!member.wasAsked)
    }

    @Test func `are named in the help`() throws {
        #expect(try sandbox.run("help").output.contains("swift build --traits Etcd"))
        #expect(try !sandbox.run("help watch").output.contains("etcd://"))
    }
    #endif
}
