import HTTPTypes
import KeyspanConsole
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

extension Defaults.Keys {
    fileprivate static let title = Key<String>("title", default: "Notes").validated(by: .notEmpty)
        .summary("The title of the page.")
    fileprivate static let count = Key<Int>("limits.count", default: 10).validated(by: .range(1...100))
    fileprivate static let token = Key<String?>("token").secret()
}

/// The page, as it is read without JavaScript.
@Suite(.bounded)
struct PageTests {
    private let keys: [Defaults.AnyKey] = [.title, .count, .token]

    @Test func `a row has everything about its key`() async throws {
        let store = LayeredStore([
            .init(
                "environment",
                EnvironmentStore(prefix: "APP_", keys: keys, environment: ["APP_LIMITS__COUNT": "70"])
            ),
            .init("memory", InMemoryStore(), isWritable: true),
        ])
        let page = try await TestConsole(keys, in: store).page()
        let title = try #require(page.row(of: "title"))
        #expect(title.contains("The title of the page.") && title.contains("<code>String</code>"))
        #expect(title.contains("not empty") && title.contains(#"<bdi class="value">Notes</bdi>"#))
        #expect(title.contains(#"<span class="none">default</span>"#) && title.contains("not since the start"))
        let count = try #require(page.row(of: "limits.count"))
        #expect(
            count.contains(#"<bdi class="value">70</bdi>"#) && count.contains("environment variable APP_LIMITS__COUNT")
        )
        #expect(count.contains("between 1 and 100") && page.contains("<h2>limits</h2>"))
        #expect(page.contains("3 settings"))
    }

    @Test func `a secret is never sent`() async throws {
        let store = InMemoryStore(["token": "x-secret-x"])
        let console = TestConsole(keys, in: store)
        Defaults(store)[.token] = "y-secret-y"
        for target in ["/", "/editor?key=token", "/value?key=token"] {
            let text = try await console.page(target)
            #expect(!text.contains("secret-") && text.count > 100)
        }
        #expect(try await console.page().row(of: "token")?.contains("••••") == true)
        let refused = try await console.change("token", to: "z-secret-z")
        #expect(refused.status == 200 && Defaults(store)[.token] == "z-secret-z")
        #expect(!refused.content.description.contains("secret-"))
        let events = try await console.firstEvent(after: "0.0")
        #expect(!events.contains("secret-") && events.contains("another secret value"))
    }

    @Test(arguments: [
        #"<script>alert("1")</script>"#, "a\u{202E}b", "a\u{AD}b\u{3164}", "\u{0}\u{1B}[31m", "'\"&amp;",
        "</textarea><img src=x onerror=alert(1)>",
    ])
    func `a value is text wherever it is shown`(_ text: String) async throws {
        let store = InMemoryStore(["title": .string(text)])
        let console = TestConsole(keys, in: store, as: .editing(as: text))
        Defaults(store)[.title] = text + text
        for target in ["/", "/editor?key=title", "/value?key=title"] {
            let page = try await console.page(target)
            for hostile in ["<script>alert", "<img", "\u{202E}", "\u{AD}", "\u{3164}", "\u{0}", "\u{1B}", "&amp;'"] {
                #expect(!page.contains(hostile))
            }
        }
        #expect(try await !console.firstEvent(after: "0.0").contains("\u{202E}"))
    }

    @Test func `names and summaries are text too`() async throws {
        let key = Defaults.Key<String>(#"a"b<i>"#, default: "").summary("<b>")
        let console = TestConsole([key], in: InMemoryStore())
        let page = try await console.page()
        #expect(!page.contains("<i>") && !page.contains("<b>") && page.contains("a&quot;b&lt;i&gt;"))
        #expect(try await console.page("/value?key=a%22b%3Ci%3E").contains("a&quot;b"))
    }

    @Test(arguments: ["a b", "é", "e\u{301}", "a\u{1}b", "<x>\"'&", "%41", "__proto__", "a\nb"])
    func `a key of any name can be changed`(_ name: String) async throws {
        let key = Defaults.Key<Int>(name, default: 0)
        let store = InMemoryStore()
        let console = TestConsole([key, Defaults.Key<Int>("other", default: 0)], in: store)
        let page = try await console.page()
        let identifier = try #require(page.attribute("data-key", after: "<tr role=\"row\""))
        #expect(identifier.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(try await console.page("/editor?key=\(identifier)").contains(#"data-key="\#(identifier)""#))
        let version = try #require(page.attribute("data-version", after: identifier))
        let answer = try await console.send([["key": .string(name), "version": .string(version), "text": "7"]])
        #expect(answer.status == 200 && Defaults(store)[key] == 7)
    }

    @Test func `a long value is cut in the table, and whole on its own page`() async throws {
        let text = String(repeating: "0123456789", count: 10_000) + "end"
        let console = TestConsole(keys, in: InMemoryStore(["title": .string(text)]))
        let page = try await console.page()
        #expect(
            page.utf8.count < 12_000 && page.contains(#"href="value?key=title""#) && page.contains("all 100003 bytes")
        )
        #expect(try await console.page("/value?key=title").contains(text))
        #expect(try await console.page("/editor?key=title").contains(text))
    }

    @Test func `an entry is a secret if one of its keys is`() async throws {
        let plain = Defaults.Key<String?>("shared"), secret = Defaults.Key<String?>("shared").secret()
        let console = TestConsole([plain, secret], in: InMemoryStore(["shared": "x-secret-x"]))
        #expect(try await !console.page().contains("x-secret-x"))
        #expect(try await !console.page("/value?key=shared").contains("x-secret-x"))
    }

    @Test func `a dictionary that may have a secret in it is not sent, nor a part of a secret one`() async throws {
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<[String: String]>("tls", default: [:]), Defaults.Key<String?>("tls.password").secret(),
            Defaults.Key<[String: String]>("login", default: [:]).secret(), Defaults.Key<String?>("login.code"),
            // These have no room for one another.
            Defaults.Key<String?>("token").secret(), Defaults.Key<String?>("token.expiry"),
            Defaults.Key<String?>("mail"), Defaults.Key<String?>("mail.password").secret(),
        ]
        let store = InMemoryStore([
            "tls": ["password": "x-secret-x"], "login.code": "x-secret-x", "token.expiry": "soon", "mail": "a@b.c",
        ])
        let console = TestConsole(keys, in: store)
        for target in ["/", "/editor?key=tls", "/value?key=tls", "/editor?key=login.code", "/value?key=login.code"] {
            #expect(try await !console.page(target).contains("x-secret-x"), "\(target)")
        }
        let page = try await console.page()
        #expect(page.contains("soon") && page.contains("a@b.c"))
    }

    @Test func `the table can be filtered without a script`() async throws {
        let console = TestConsole(keys, in: InMemoryStore())
        let page = try await console.page("/?filter=TITLE+of")
        #expect(page.row(of: "title") != nil && page.row(of: "token") == nil && page.contains("1 of 3 settings"))
        #expect(page.contains(#"value="TITLE of""#))
    }

    @Test func `an unreadable value is shown as a problem`() async throws {
        let console = TestConsole(keys, in: InMemoryStore(["limits.count": "many", "token": 7]))
        let page = try await console.page()
        #expect(try #require(page.row(of: "limits.count")).contains("unusable"))
        #expect(try #require(page.row(of: "token")).contains("unusable: the secret value does not fit its key"))
    }

    @Test func `each place has its methods`() async {
        let console = TestConsole(keys, in: InMemoryStore())
        #expect(await console.respond("").status == 308)
        #expect(await console.respond("").header("Location") == "./settings-console/")
        for (target, status) in [("/", 200), ("/none", 404), ("/changes", 405)] {
            let head = await console.respond("HEAD", target)
            #expect(head.status == status && head.text.isEmpty)
        }
        #expect(await console.respond("DELETE", "/").header("Allow") == "GET, HEAD")
        #expect(await console.respond("GET", "/changes").header("Allow") == "POST")
        for target in ["/other", "x", "/editor?key=none", "/value", "/value?key=%FF"] {
            #expect(await console.respond(target).status == 404)
        }
        for (target, status) in [
            ("/", 404), ("http://h/settings-console/", 200), ("http://h", 404), ("/settings-console?filter=t", 308),
            ("*?x=://", 404), ("?filter=a://b", 404), ("a#://", 404), ("://", 404),
            ("http://?x=/settings-console/", 404),
        ] {
            let response = await console.console.respond(to: HTTPRequest("GET", path: target))
            #expect(response.status == status)
            if status == 308 { #expect(response.header("Location") == "./settings-console/?filter=t") }
        }
    }

    @Test func `scripts and styles come from files that caches can check`() async throws {
        let console = TestConsole(keys, in: InMemoryStore())
        for target in ["/console.js", "/console.css"] {
            let first = await console.respond(target)
            let tag = try #require(first.header("ETag"))
            #expect(first.status == 200 && first.text.count > 1000)
            let second = await console.respond("GET", target, [("if-none-match", tag)])
            #expect(second.status == 304 && second.text.isEmpty)
        }
        let policy = try #require(await console.respond("/").header("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        let page = try await console.page()
        #expect(!page.contains("style=") && !page.contains("onclick"))
    }
}

extension TestConsole {
    /// The text of a stream until its first event has come.
    func firstEvent(after version: String) async throws -> String {
        let response = await respond("/events?after=\(version)")
        guard case .events(let stream) = response.body else { return "" }
        var iterator = stream.makeAsyncIterator()
        return String(decoding: try #require(await iterator.next()), as: UTF8.self)
    }
}
