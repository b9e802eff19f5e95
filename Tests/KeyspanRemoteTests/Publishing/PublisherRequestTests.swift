import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Requests for documents: statuses, entity tags and what caches may keep.
@Suite
struct PublisherRequestTests {
    // MARK: - Statuses

    @Test(arguments: [
        "bucket=1000", "bucket=-1", "bucket=1x", "bucket=", "bucket", "bucket=1&bucket=2",
        "bucket=1&b%75cket=2",
        "bucket=%EF%BC%91", "platform=%00", "platform=a%7F", "cohort=%zz", "cohort=%4", "cohort=%C3", "cohort=%FF",
        "version=" + String(repeating: "a", count: 129), "x=" + String(repeating: "a", count: 2_047),
    ])
    func `a query that is wrong is refused`(_ query: String) throws {
        let calls = Recorder<Void>()
        let server = try TestServer { _ in
            calls.record(())
            return "all"
        }
        let response = server.get("/settings?\(query)")
        #expect(response.status == 400 && response[.cacheControl] == "no-store" && response[.location] == nil)
        #expect(calls.count == 0)
        // Nobody reads the query of a group.
        #expect(server.get("/settings/all?\(query)").status == 200)
    }

    @Test(arguments: [
        "", "/", "settings", "settings/all", "/setting", "/settingsall", "//settings/all", "/x/settings/all", "*",
    ])
    func `a path that is not below that of the publisher is not found`(_ path: String) throws {
        let response = try TestServer().get(path)
        #expect(response.status == 404 && response[.cacheControl] == "no-store")
    }

    @Test(
        arguments: [HTTPRequest.Method.post, .put, .delete, .options, .patch, HTTPRequest.Method("get")].compactMap(
            \.self
        ),
        ["", "/all", "/all/changes", "/none", "?bucket=no"]
    )
    func `settings can only be read`(_ method: HTTPRequest.Method, _ path: String) throws {
        let response = try TestServer().get("/settings\(path)", method: method)
        #expect(response.status == 405 && response[.cacheControl] == "no-store")
        #expect(response[.allow] == (path == "/all/changes" ? "GET" : "GET, HEAD"))
    }

    @Test func `a stream has no HEAD, which would open one`() throws {
        let server = try TestServer()
        let response = server.get("/settings/all/changes", method: .head)
        #expect(response.status == 405 && response[.allow] == "GET" && server.publisher.streamCount == 0)
    }

    @Test func `HEAD has the fields of GET without a body`() throws {
        let server = try TestServer(["limit": 1])
        for path in ["/settings/all", try server.path(ofDocument: "all")] {
            let get = server.get(path)
            var head = server.get(path, method: .head).head
            #expect(head.headerFields[.contentLength] == "\(get.bytes?.count ?? 0)")
            head.headerFields[.contentLength] = nil
            #expect(head == get.head && server.get(path, method: .head).bytes == [] && get.bytes != [])
        }
    }

    @Test func `a document is text of its own type`() throws {
        let response = try TestServer(["limit": 1]).get()
        #expect(response.status == 200 && response[.contentType] == "text/plain; charset=utf-8")
        #expect(response[.xContentTypeOptions] == "nosniff")
    }

    // MARK: - Entity tags

    @Test func `a client that has the values receives 304`() throws {
        let server = try TestServer(["limit": 1])
        let own = try server.tag()
        let tag = own.entityTag
        for tags in [tag, "W/\(tag)", "\"a\", \(tag)", "\"a,b\" , W/\(tag)", "\"\",\(tag)", "\(tag), \"a\"", "*"] {
            for method in [HTTPRequest.Method.get, .head] {
                let again = server.get("/settings/all", [.ifNoneMatch: tags], method: method)
                #expect(again.status == 304 && again[.eTag] == tag && again.bytes == [], "\(tags)")
                #expect(again[.cacheControl] == server.get()[.cacheControl])
            }
        }
        var lines: HTTPFields = [.ifNoneMatch: "\"a\""]
        lines.append(HTTPField(name: .ifNoneMatch, value: tag))
        #expect(server.get("/settings/all", lines).status == 304)
        for tags in ["", "\"a\"", "\"\(own.text)x\"", "\"x\(own.text)\"", own.text, "\"\"\(own.text)\"\"", "\"*\""] {
            #expect(server.get(unless: tags).status == 200, "\(tags)")
        }
        server.defaults[TestKeys.limit] = 2
        #expect(server.get(unless: tag).status == 200)
        server.defaults[TestKeys.limit] = 1
        #expect(server.get(unless: tag).status == 304)
    }

    /// The tag of a document with other parts.
    private func tag(like tag: DocumentTag, _ change: (inout [Substring]) -> Void) -> DocumentTag? {
        var parts = tag.text.split(separator: ".", maxSplits: 3)
        change(&parts)
        return DocumentTag(parts.joined(separator: ".")[...])
    }

    @Test func `a tag with another revision is equivalent, and one with another part is not`() throws {
        let server = try TestServer(["limit": 1])
        let own = try server.tag()
        for revision in ["0", "7", "9007199254740991"] {
            let tag = try #require(tag(like: own) { $0[2] = Substring(revision) })
            #expect(tag.isEquivalent(to: own) && tag.hasSameValues(as: own))
            // The cache that has asked keeps its document under this tag.
            let answer = server.get(unless: "\"x\", W/\(tag.entityTag), \(own.entityTag)")
            #expect(answer.status == 304 && answer[.eTag] == tag.entityTag)
        }
        let others = [
            tag(like: own) { $0[0] = "00000000000000000000000000000000" }, tag(like: own) { $0[1] = "0" },
            tag(like: own) { $0[3] = "test-2" }, tag(like: own) { $0[3] += ".1" },
        ]
        for other in others {
            let other = try #require(other)
            #expect(!other.isEquivalent(to: own))
            #expect(server.get(unless: other.entityTag).status == 200)
        }
    }

    // MARK: - Caches

    @Test(arguments: [
        (7 * 86_400, 60, "public, max-age=60, stale-while-revalidate=60, stale-if-error=151200"),
        (400, 10_000, "public, max-age=100, stale-while-revalidate=100, stale-if-error=100"),
        (400, 0, "public, max-age=0, stale-while-revalidate=0, stale-if-error=100"),
        (400, -1, "public, max-age=0, stale-while-revalidate=0, stale-if-error=100"),
        (1, 60, "public, max-age=1, stale-while-revalidate=1, stale-if-error=1"),
    ])
    func `a cache keeps no document until it expires`(_ validity: Int, _ age: Int, _ caching: String) throws {
        let options = SettingsPublisherOptions { ($0.validity, $0.maximumAge) = (.seconds(validity), .seconds(age)) }
        #expect(try TestServer(["limit": 1], options: options).get()[.cacheControl] == caching)
    }

    @Test func `the path with the tag has the same bytes until the document expires`() throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1], clock: clock, groups: ["b": []])
        for group in ["all", "b"] {
            let path = try server.path(ofDocument: group)
            for _ in 0..<2 {
                let (response, message) = (server.get(path), try server.message(group))
                let bytes = try server.document(group)
                #expect(response.status == 200 && response.bytes == bytes)
                #expect(response[.eTag] == (try server.tag(group).entityTag))
                let rest = Int(message.validity.upperBound.timeIntervalSince(clock.now))
                #expect(response[.cacheControl] == "public, max-age=\(rest), immutable")
                // A condition changes nothing: whoever has the document does not ask for it.
                #expect(server.get(path, unless: try server.tag(group).entityTag).status == 200)
                clock.advance(by: 1_000)
            }
        }
        let tag = try #require(tag(like: try server.tag()) { $0[2] = "7" })
        #expect(server.get("/settings/all/\(tag.text)").bytes == (try server.document()))
    }

    @Test func `the path of a document that was replaced is not found`() throws {
        let clock = TestClock()
        let server = try TestServer(["limit": 1], clock: clock)
        let first = try server.path(ofDocument: "all")
        server.defaults[TestKeys.limit] = 2
        let second = try server.path(ofDocument: "all")
        #expect(first != second && server.get(second).status == 200)
        clock.advance(by: 7 * 86_400 / 4)
        for path in [first, second, "\(first)x", "/settings/all/a", "/settings/all/*", "/settings/all/%22"] {
            let response = server.get(path)
            #expect(response.status == 404 && response[.cacheControl] == "no-store", "\(path)")
        }
    }
}
