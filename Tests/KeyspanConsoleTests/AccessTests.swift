import HTTPTypes
import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import Testing

/// The closure that decides who may do what.
@Suite
struct AccessTests {
    private static let open = Defaults.Key<String>("open", default: "a")
    private static let closed = Defaults.Key<String>("closed", default: "b")

    private let store = InMemoryStore(["open": "shown", "closed": "concealed"])
    private let targets = [
        "", "/", "/console.js", "/console.css", "/editor?key=open", "/value?key=open", "/events", "/changes", "/other",
    ]

    private func console(_ access: SettingsConsole.Access) -> TestConsole {
        TestConsole([Self.open, Self.closed], in: store, as: access)
    }

    @Test func `a stranger gets nothing but a challenge`() async {
        let console = console(.unauthorized(challenge: "Bearer"))
        for target in targets {
            for method in ["GET", "POST"] {
                let response = await console.respond(method, target)
                #expect(response.status == 401 && response.header("WWW-Authenticate") == "Bearer")
                #expect(response.text == "Sign in to see the settings.\n")
            }
        }
    }

    @Test func `a forbidden person gets nothing`() async {
        for target in targets { #expect(await console(.forbidden).respond(target).status == 403) }
    }

    @Test func `a key that a person may not read does not exist for them`() async throws {
        let console = console(.editing(as: "ann", readable: { $0.name == "open" }))
        Defaults(store)[Self.closed] = "concealed too"
        Defaults(store)[Self.open] = "shown too"
        let page = try await console.page()
        #expect(page.contains("shown too") && !page.contains("concealed") && !page.contains("closed"))
        let event = try await console.firstEvent(after: "0.0")
        #expect(event.contains("shown too") && !event.contains("concealed") && !event.contains("closed"))
        #expect(await console.respond("/editor?key=closed").status == 404)
        #expect(await console.respond("/value?key=closed").status == 404)
        let answer = try await console.send([["key": "closed", "version": "0.0", "text": "x"]])
        #expect(answer.status == 422 && answer.content.description.contains("There is no such key."))
        #expect(Defaults(store)[Self.closed] == "concealed too")
    }

    @Test func `a key that a person may only read is not changed`() async throws {
        let console = console(.editing(as: "ann", editable: { $0.name == "open" }))
        let page = try await console.page()
        #expect(page.row(of: "closed")?.contains("<button") == false)
        #expect(page.row(of: "open")?.contains("<button") == true)
        #expect(await console.respond("/editor?key=closed").status == 403)
        let versions = try await (console.version(of: "open"), console.version(of: "closed"))
        let answer = try await console.send([
            ["key": "open", "version": .string(versions.0), "text": "x"],
            ["key": "closed", "version": .string(versions.1), "text": "x"],
        ])
        #expect(answer.status == 422 && Defaults(store)[Self.open] == "shown")
    }

    @Test func `a console is for reading unless its options say more`() async throws {
        let readers = [
            TestConsole(SettingsConsole([Self.open], in: store) { _ in .editing(as: "ann") }),
            TestConsole([Self.open], in: store, as: .reading(as: "ann")),
        ]
        for console in readers {
            let page = try await console.page()
            #expect(!page.contains("<button type=\"button\" class=\"edit\"") && !page.contains("keyspan-token"))
            #expect(await console.respond("/editor?key=open").status == 403)
            let body = #"{"changes": [{"key": "open", "version": "0.0", "text": "x"}]}"#
            #expect(await console.respond("POST", "/changes", body: body).status == 403)
        }
        #expect(Defaults(store)[Self.open] == "shown")
    }

    @Test func `a console with named hosts answers under no other name`() async {
        let console = TestConsole([Self.open], in: store) { $0.hosts = ["admin.example.com", "localhost:8080"] }
        for (host, status) in [
            ("ADMIN.example.com", 200), ("localhost:8080", 200), ("evil.example", 421), ("localhost", 421),
        ] {
            #expect(await console.respond("GET", "/", [("host", host)]).status == status)
        }
        #expect(await console.respond("/").status == 421)
    }

    @Test func `the name of the host is that of the field, or else that of the connection`() async {
        let console = TestConsole([Self.open], in: store) { $0.hosts = ["admin.example.com"] }.console
        for (field, authority, status) in [
            (nil, "admin.example.com", 200), ("admin.example.com", "admin.example.com", 200),
            (nil, "evil.example", 421), ("evil.example", "admin.example.com", 421), ("", "admin.example.com", 421),
        ] as [(String?, String, Int)] {
            var request = HTTPRequest("GET", path: "/settings-console/", field.map { [("Host", $0)] } ?? [])
            request.authority = authority
            #expect(await console.respond(to: request).status == status)
        }
    }

    @Test func `of several fields of one name, the first one counts`() async {
        let console = TestConsole([Self.open], in: store) { $0.hosts = ["admin.example.com"] }
        for (hosts, status) in [
            (["admin.example.com", "evil.example"], 200), (["evil.example", "admin.example.com"], 421),
        ] {
            #expect(await console.respond("GET", "/", hosts.map { ("Host", $0) }).status == status)
        }
        let request = HTTPRequest("GET", path: "/", [("Authorization", "Bearer a"), ("Authorization", "Bearer b")])
        #expect(SettingsConsole.Credentials(of: request)?.haveSecret("a") == true)
    }

    @Test func `the access closure knows who sends`() async {
        let console = SettingsConsole([Self.open], in: store) { request in
            request.sender == "10.0.0.7" ? .reading(as: nil) : .forbidden
        }
        let request = HTTPRequest("GET", path: "/settings-console/")
        #expect(await console.respond(to: request, from: "10.0.0.7").status == 200)
        #expect(await console.respond(to: request, from: "10.0.0.8").status == 403)
        #expect(await console.respond(to: request).status == 403)
    }

    @Test func `the body of a request is not read for those who may not change anything`() async {
        let console = SettingsConsole([Self.open], in: store, options: .forTests) { _ in .reading(as: nil) }
        let response = await console.respond(to: HTTPRequest("POST", path: "/settings-console/changes")) { _ in
            Issue.record("read")
            return []
        }
        #expect(response.status == 403)
    }
}

/// The credentials of a request.
@Suite
struct CredentialsTests {
    private func parsed(_ header: String) -> SettingsConsole.Credentials? {
        SettingsConsole.Credentials(of: HTTPRequest("GET", path: "/", [("authorization", header)]))
    }

    @Test(arguments: [
        ("Basic YW5uOnNlY3JldA==", "ann"), ("basic OnNlY3JldA==", nil), ("Bearer secret", nil), ("BEARER secret", nil),
    ])
    func `a name and a secret are read`(_ header: String, _ person: String?) throws {
        let credentials = try #require(parsed(header))
        #expect(credentials.person == person && credentials.haveSecret("secret"))
        for other in ["", "secre", "secret ", "Secret"] { #expect(!credentials.haveSecret(other)) }
    }

    @Test(arguments: ["", "Basic", "Basic x", "Basic YW5u", "Digest a", "Bearer", "secret", "Basic /////w=="])
    func `other headers have none`(_ header: String) {
        #expect(parsed(header) == nil)
    }

    @Test func `an empty secret is never right`() throws {
        #expect(try #require(parsed("Basic YW5uOg==")).haveSecret("") == false)
    }
}

/// The checks that a change comes from the console's own page.
@Suite
struct OriginTests {
    private static let key = Defaults.Key<String>("title", default: "a")

    private let store = InMemoryStore()
    private let body = #"{"changes": [{"key": "title", "version": "VERSION", "text": "b"}]}"#

    private func status(
        _ console: TestConsole,
        _ headers: [(name: String, value: String)],
        token: String? = nil,
        type: String = "application/json"
    ) async throws -> Int {
        let version = try await console.version(of: "title")
        let token = if let token { token } else { try await console.token() }
        return await console.respond(
            "POST",
            "/changes",
            headers + [("content-type", type), ("x-keyspan-token", token)],
            body: body.replacing("VERSION", with: version)
        ).status
    }

    @Test(arguments: [
        (["Origin": "https://example.com", "Host": "example.com"], 200),
        (["Origin": "http://example.com:8080", "Host": "example.com:8080"], 200),
        (["Origin": "https://example.com", "Host": "example.com", "Sec-Fetch-Site": "same-origin"], 200),
        ([:], 200),
        (["Origin": "https://admin.example.com", "Host": "internal"], 200),
        (["Origin": "https://evil.example", "Host": "example.com"], 403),
        (["Origin": "https://example.com.evil.example", "Host": "example.com"], 403),
        (["Origin": "null", "Host": "example.com"], 403),
        (["Origin": "https://example.com"], 403),
        (["Origin": "https://", "Host": ""], 403),
        (["Sec-Fetch-Site": "cross-site"], 403),
        (["Sec-Fetch-Site": "same-site", "Origin": "https://example.com", "Host": "example.com"], 403),
        (["Sec-Fetch-Site": "none"], 403),
    ])
    func `a request of another site is refused`(_ headers: [String: String], _ status: Int) async throws {
        let console = TestConsole([Self.key], in: store) { $0.trustedOrigins = ["https://admin.example.com"] }
        #expect(try await self.status(console, headers.map { (name: $0.key, value: $0.value) }) == status)
        #expect(Defaults(store)[Self.key] == (status == 200 ? "b" : "a"))
    }

    @Test func `a token is needed, and is that of the person`() async throws {
        let person = Locked("ann")
        let console = TestConsole(
            SettingsConsole([Self.key], in: store, options: .forTests) { _ in .editing(as: person.withLock { $0 }) }
        )
        let token = try await console.token()
        #expect(token.count == 64)
        #expect(try await status(console, [], token: "") == 403)
        #expect(try await status(console, [], token: String(token.dropLast()) + "g") == 403)
        person.withLock { $0 = "ben" }
        #expect(try await console.token() != token)
        #expect(try await status(console, [], token: token) == 403)
        #expect(Defaults(store)[Self.key] == "a")
        person.withLock { $0 = "ann" }
        #expect(try await status(console, [], token: token) == 200)
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
    func `a body that a form can send is refused`(_ type: String) async throws {
        let console = TestConsole([Self.key], in: store)
        #expect(try await status(console, [], type: type) == 415)
        #expect(try await status(console, [], type: "Application/JSON; charset=utf-8") == 200)
    }

    @Test func `a large body is refused`() async throws {
        #expect(try await status(TestConsole([Self.key], in: store) { $0.maximumBodySize = 20 }, []) == 413)
        #expect(Defaults(store)[Self.key] == "a")
    }
}
