#if Remote
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Documents, events, cache files and requests that someone has made to do harm.
@Suite(.bounded)
struct HostileInputTests {
    private func signed(_ json: String, by server: TestServer) -> [UInt8] {
        SignedMessage(Array(json.utf8), signedWith: server.key).bytes
    }

    private func json(_ values: String, revision: String = "5") -> String {
        """
        {"name": "test", "group": "all", "revision": \(revision), "state": "0123456789abcdef0123456789abcdef", \
        "issued": "2027-01-15T08:00:00Z", "expires": "2027-01-16T08:00:00Z", "values": \(values)}
        """
    }

    @Test(arguments: [
        #"{"limit": 1e999}"#, #"{"limit": NaN}"#, #"{"limit": 1, "limit": 2}"#, #"{"title": "\ud800"}"#,
        #"{"title": "\udc00\ud800"}"#, #"{"limit": {"$double": "nan"}}"#, #"{"limit": 1}}"#, #"{"limit": 1},"#,
        #"{"limit": 01}"#, #"{"limit": +1}"#, #"[]"#, #"null"#, #""x""#, #"{"limit": null}"#, #"{"limit": 1} x"#,
        #"{"title": "\u0000"}"#, #"{"limit": {"$data": "?"}}"#, #"{"title": {"$unknown": 1}}"#,
        "{\"limit\":\r1}", "{\"title\": \"a\tb\"}", "{\"title\": \"\u{2028}\"}", #"{"": 1}"#,
        #"{"limit": 99999999999999999999999999999999999999999999}"#, #"{"limit": -0}"#, #"{"limit": 1e5}"#,
    ])
    func `odd JSON leaves a client as it was, or gives it a value of its key`(_ values: String) async throws {
        let server = try TestServer(["limit": 7])
        let odd = signed(json(values, revision: "2000000000000"), by: server)
        let transport = ClosureTransport { _, number in .body(number == 1 ? odd : try server.document()) }
        let store = try Problems().collect { try makeClient(of: server, over: transport) }
        try await store.fetch()
        _ = try? await store.fetch()
        let defaults = Defaults(store)
        _ = (defaults[TestKeys.limit], defaults[TestKeys.title])
        if store.status.lastError != nil { #expect(store.snapshot() == ["limit": 7]) }
    }

    @Test(arguments: [
        "-1", "1.0", "1.5", "9007199254740992", "9223372036854775807", "9223372036854775808", "\"1\"", "null", "true",
        "[1]",
    ])
    func `an odd revision is refused`(_ revision: String) async throws {
        let server = try TestServer(["limit": 7])
        let odd = signed(json("{\"limit\": 3}", revision: revision), by: server)
        let store = try Problems().collect { try makeClient(of: server, over: ClosureTransport { _, _ in .body(odd) }) }
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .unreadableContent && store.snapshot() == [:])
    }

    @Test(arguments: ["name", "group", "revision", "state", "issued", "expires", "values"])
    func `a document without one of its members, or with another form of it, is refused`(_ member: String) async throws
    {
        let server = try TestServer(["limit": 7])
        let whole = json("{\"limit\": 3}")
        let store = try Problems().collect {
            try makeClient(
                of: server,
                over: ClosureTransport { [self] _, number in
                    let change = number == 0 ? "\"\(member)2\":" : "\"\(member)\": [], \"x\":"
                    return .body(signed(whole.replacing("\"\(member)\":", with: change), by: server))
                }
            )
        }
        for _ in 0..<2 {
            let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
            #expect(error?.kind == .unreadableContent && store.snapshot() == [:])
        }
    }

    @Test func `deep JSON ends neither a client nor a reader of a cache`() async throws {
        let (server, folder) = (try TestServer(["limit": 7]), try TemporaryFolder())
        let deep = String(repeating: "[", count: 1_000_000)
        for text in [deep, String(repeating: "{\"a\":", count: 300_000)] {
            let body = signed(json("{\"title\": \(text)", revision: "2000000000000"), by: server)
            let store = try Problems().collect {
                try makeClient(of: server, over: ClosureTransport { _, _ in .body(body) })
            }
            await #expect(throws: (any Error).self) { try await store.fetch() }
            let path = try folder.write("keyspan-remote-cache 2\n\(text)\n", to: "cache")
            let problems = Problems()
            _ = try problems.collect { try makeClient(of: server, cache: path) }
            #expect(problems.kinds == ["cacheFailed"])
        }
    }

    @Test func `odd targets, headers and methods have a status and no more`() throws {
        let server = try TestServer(["limit": 7])
        let tag = try server.tag().entityTag
        let targets = [
            "", "/", "//settings", "/settings?", "/settings?&&&", "/settings?=", "/settings?a", "/settings?%",
            "/settings?%4", "/settings?%zz=1", "/settings?platform=%FF", "/settings?platform=%00",
            "/settings?bucket=-1",
            "/settings?bucket=1000", "/settings?bucket=%31", "/settings?bucket=٣", "/settings?bucket=",
            "/settings?bucket=007", "/settings?cohort=a&cohort=b", "/settings?coho%72t=a&cohort=b", "/settings#x",
            "/settings/", "/settings/changes/", "/settings/all/", "/settings/all/x/y", "/settings/..",
            "/settings/%61ll",
            "/settin%67s", "/settings?platform=" + String(repeating: "a", count: 9_000), "http://x/settings", "*",
            "/settings?platform=" + String(repeating: "%C3%A9", count: 64), "/settings/all/\(tag)",
            "/settings?x=" + String(repeating: "?", count: 99),
            "/settings/all/" + String(repeating: "a.", count: 9_000),
            "/settings?platform=e%CC%81&version=%F0%9F%98%80", "/se\u{301}ttings", "/settings\u{301}",
            "/settings/all\u{301}",
        ]
        for target in targets {
            #expect([200, 307, 400, 404].contains(server.get(target).head.status.code), "\(target)")
        }
        for method in ["get", "POST", "PUT", "CONNECT"].compactMap({ HTTPRequest.Method($0) }) {
            #expect(server.get(method: method).head.status == .methodNotAllowed)
        }
        let matches = [
            (tag, 304), ("W/\(tag)", 304), ("\"x\", \(tag)", 304), ("\"x\",W/\(tag),", 304),
            (String(tag.dropLast()), 304), ("\"\(tag)\"", 200), (String(repeating: "\"x\",", count: 50_000), 200),
            ("\"", 200), ("W/", 200), ("\"*\"", 200), (String(repeating: "\"", count: 99_999), 200), ("", 200),
        ]
        for (match, status) in matches {
            #expect(
                server.get("/settings/all", [.ifNoneMatch: match]).head.status.code == status,
                "\(match.prefix(60))"
            )
        }
        let parts = tag.dropFirst().dropLast().split(separator: ".").map(String.init)
        for times in ["99999999999999999999", "9223372036854775807", "0", "-1", "1e3", ""] {
            let match = "\"\(parts[0]).\(times).\(parts[2]).\(parts[3])\""
            #expect(server.get("/settings/all", [.ifNoneMatch: match]).head.status == .ok, "\(times)")
        }
    }

    @Test func `values that compare equal and are written otherwise arrive`() async throws {
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<String?>("text").published(), Defaults.Key<Double?>("number").published(),
            Defaults.Key<Int?>("é").published(), Defaults.Key<Int?>("e\u{301}").published(),
        ]
        let server = try TestServer(keys: keys)
        let store = try makeClient(of: server, keys: keys)
        let count = Recorder<Void>()
        let observation = store.observe(.all, initial: false) { _ in count.record(()) }
        let minusZero: PropertyListValue = .real(-0.0)
        let notANumber: PropertyListValue = .real(Double.nan)
        let steps: [[String: PropertyListValue?]] = [
            ["text": "é"], ["text": "e\u{301}"], ["number": PropertyListValue.real(0)], ["number": minusZero],
            ["number": notANumber],
            ["text": "x"], ["number": PropertyListValue.real(Double.infinity)], ["é": 1], ["e\u{301}": 2], ["é": nil],
        ]
        for (index, step) in steps.enumerated() {
            try server.set(step)
            let isNew = try await store.fetch()
            #expect(isNew, "\(step)")
            let (there, here) = (server.base.snapshot(), store.snapshot())
            #expect(
                JSONText.encodeOnOneLine(.dictionary(dictionary(there)))
                    == JSONText.encodeOnOneLine(.dictionary(dictionary(here)))
            )
            try await eventually("the observer is notified", count.count) { $0 >= index + 1 }
            #expect(count.count == index + 1)
        }
        observation.cancel()
    }

    private func dictionary(_ table: PropertyListTable) -> PropertyListDictionary {
        var values: PropertyListDictionary = [:]
        for (name, value) in table { values[name] = value }
        return values
    }
}
#endif
