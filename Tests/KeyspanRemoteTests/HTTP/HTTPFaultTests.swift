#if RemoteHTTPClient && !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

@testable import KeyspanRemote
import KeyspanTestSupport

/// Responses that are wrong, late or someone else's, over real connections.
@Suite
struct HTTPFaultTests {
    /// A response, and what becomes of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The failure; `nil` if the document is taken in spite of the fault.
        let kind: RemoteStoreError.Kind?
        /// The response, made of a document that is newer than that of the client.
        let script: @Sendable (TestServer) throws -> RawServer.Script

        init(
            _ name: String,
            _ kind: RemoteStoreError.Kind?,
            _ script: @escaping @Sendable (TestServer) throws -> RawServer.Script
        ) {
            (testDescription, self.kind, self.script) = (name, kind, script)
        }

        /// A response that is whole, and has another body than the document.
        static func body(
            _ name: String,
            _ kind: RemoteStoreError.Kind?,
            _ body: @escaping @Sendable (TestServer) throws -> [UInt8]
        ) -> Fault {
            Fault(name, kind) { server in .response(try body(server)) }
        }

        /// A response without a document.
        static func head(_ name: String, _ kind: RemoteStoreError.Kind?, _ head: String) -> Fault {
            Fault(name, kind) { _ in
                RawServer.Script(chunks: [Array((head + "\r\nConnection: close\r\n\r\n").utf8)])
            }
        }
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let faults: [Fault] = [
        Fault("the body is cut off", .unreachable) { server in
            let response = Self.response(newer(server))
            return RawServer.Script(chunks: [Array(response.dropLast(40))])
        },
        Fault("the body stops and the connection stays open", .timedOut) { server in
            let response = Self.response(newer(server))
            return RawServer.Script(chunks: [Array(response.dropLast(40))], staysOpen: true)
        },
        Fault("the length is too small", .invalidSignature) { server in
            .response(newer(server), length: newer(server).count - 40)
        },
        Fault("the length is too large", .unreachable) { server in
            .response(newer(server), length: newer(server).count + 40)
        },
        Fault("there are two lengths", .unreachable) { server in
            .response(newer(server), headers: ["Content-Length: 1"])
        },
        Fault("the size of a chunk is no number", .unreachable) { server in
            let head = Array("\(Self.chunkedHead)zz\r\n".utf8)
            return RawServer.Script(chunks: [head + newer(server)])
        },
        Fault("the last chunk is missing", .unreachable) { server in
            let document = newer(server)
            let size = String(document.count, radix: 16)
            let head = Array("\(Self.chunkedHead)\(size)\r\n".utf8)
            return RawServer.Script(chunks: [head + document + Array("\r\n".utf8)])
        },
        Fault("the response has no status", .unreachable) { RawServer.Script(chunks: [newer($0)]) },
        Fault("the headers never end", .unreachable) { _ in
            let line = "X: " + String(repeating: "y", count: 1_000) + "\r\n"
            let head = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 1_000)
            return RawServer.Script(chunks: [Array(head.utf8)], staysOpen: true)
        },
        Fault("there is no answer", .timedOut) { _ in RawServer.Script(staysOpen: true) },
        Fault("the connection is closed", .unreachable) { _ in RawServer.Script() },
        Fault("the document drips, and each part in time", nil) { server in
            RawServer.Script(chunks: Self.response(newer(server)).chunks(of: 8), pause: .milliseconds(1))
        },
        Fault("the document drips for too long", .timedOut) { server in
            RawServer.Script(chunks: Self.response(newer(server)).chunks(of: 1), pause: .milliseconds(50))
        },
        .head("the server has a failure", .refused, "HTTP/1.1 500 Error\r\nContent-Length: 0"),
        .head("the server is busy", .refused, "HTTP/1.1 503 Busy\r\nRetry-After: 60\r\nContent-Length: 0"),
        .head("the gateway cannot reach the server", .refused, "HTTP/1.1 502 Bad\r\nContent-Length: 0"),
        .head("there is nothing at the path", .refused, "HTTP/1.1 404 Not Found\r\nContent-Length: 0"),
        .head("the client is said to have the document", .refused, "HTTP/1.1 304 Not Modified"),
        .head(
            "the client is sent to another host",
            .redirected,
            "HTTP/1.1 302 Found\r\nLocation: http://a.test/settings\r\nContent-Length: 0"
        ),
        .body("a network wants a login", .malformed) { _ in Array("<html><body>Log in</body></html>\n".utf8) },
        .body("the body is empty", .malformed) { _ in [] },
        .body("a bit of the values is another one", .invalidSignature) { $0.newerDocument.flipped(at: 150) },
        .body("a bit of the signature is another one", .invalidSignature) { server in
            var text = String(decoding: server.newerDocument, as: UTF8.self)
            let index = text.index(text.startIndex, offsetBy: 40)
            text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            return Array(text.utf8)
        },
        .body("someone else has signed, under the identifier of the key", .invalidSignature) { server in
            SignedMessage(server.newerMessage.content, signedWith: try SigningKey.generate(id: server.key.id)).bytes
        },
        .body("someone else has signed", .unknownKey) { server in
            SignedMessage(server.newerMessage.content, signedWith: try SigningKey.generate(id: "other")).bytes
        },
        .body("the document is an old one", .olderRevision) { $0.sign(.document, ["limit": 9], revision: 1) },
        .body("the document is that of another publisher", .wrongPublisher) { server in
            SignedMessage(server.newerMessage(name: "other").content, signedWith: server.key).bytes
        },
        .body("the document has expired", .expired) { server in
            SignedMessage(server.newerMessage(issued: -10 * 86_400).content, signedWith: server.key).bytes
        },
        .body("the clock of the server is a day behind", nil) { server in
            SignedMessage(server.newerMessage(issued: -86_400).content, signedWith: server.key).bytes
        },
        .body("the clock of the server is a day ahead", nil) { server in
            SignedMessage(server.newerMessage(issued: 86_400).content, signedWith: server.key).bytes
        },
        .body("the format has a later version", .unsupportedVersion) { server in
            let text = String(decoding: server.newerDocument, as: UTF8.self)
            return Array(text.replacing("keyspan-settings 1", with: "keyspan-settings 2", maxReplacements: 1).utf8)
        },
        .body("the document is too large", .tooLarge) { server in
            server.sign(.document, ["title": .string(String(repeating: "x", count: 20_000))], revision: 3)
        },
        .body("the values are not those of settings", .unreadableContent) { server in
            SignedMessage(Array("{\"kind\": \"document\"}".utf8), signedWith: server.key).bytes
        },
    ]

    @Test(arguments: faults)
    func `the last good values stay, and the next good document is taken`(_ fault: Fault) async throws {
        let server = try TestServer()
        let present = Locked(RawServer.Script.response(server.sign(.document, ["limit": 1], revision: 2)))
        let raw = try await RawServer.start { present.withLock(\.self) }
        // Long, unless it is waited for.
        let isLate = fault.kind == .timedOut
        let limit = Duration.milliseconds(isLate ? 700 : 1_200_000)
        let store = try makeHTTPClient(of: server, port: raw.port, requestLimit: limit * 2) { options in
            (options.idleTimeout, options.connectTimeout, options.maximumSize) = (limit, limit, 10_000)
        }
        try await fetch(store, isLate)
        #expect(store.snapshot() == ["limit": 1])
        let script = try fault.script(server)
        present.withLock { $0 = script }
        do throws(RemoteStoreError) {
            try await store.fetch()
            #expect(fault.kind == nil)
            #expect(store.snapshot() == ["limit": 2])
        } catch {
            #expect(error.kind == fault.kind, "\(error)")
            #expect(store.snapshot() == ["limit": 1])
            #expect(store.status.lastError?.kind == fault.kind)
        }
        present.withLock { $0 = .response(server.sign(.document, ["limit": 3], revision: 4)) }
        try await fetch(store, isLate)
        #expect(store.snapshot() == ["limit": 3] && store.status.lastError == nil)
        try await raw.close()
    }

    /// Fetches a good document, with a client whose time limits a busy machine may exceed.
    private func fetch(_ store: RemoteStore, _ isLate: Bool) async throws {
        for _ in 0..<100 where isLate {
            if (try? await store.fetch()) != nil { return }
        }
        try await store.fetch()
    }

    private static func newer(_ server: TestServer) -> [UInt8] { server.newerDocument }

    private static func response(_ body: [UInt8]) -> [UInt8] { RawServer.Script.response(body).chunks.flatMap(\.self) }
}

extension RawServer.Script {
    /// A response with a body, after which the connection is closed.
    static func response(_ body: [UInt8], length: Int? = nil, headers: [String] = []) -> Self {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(length ?? body.count)", "Connection: close"] + headers
        return Self(chunks: [Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body])
    }
}

extension TestServer {
    /// A document that is newer than that of the clients.
    fileprivate var newerDocument: [UInt8] { SignedMessage(newerMessage.content, signedWith: key).bytes }

    fileprivate var newerMessage: SettingsMessage { newerMessage() }

    fileprivate func newerMessage(name: String = TestServer.name, issued: Double = 0) -> SettingsMessage {
        let time = TestClock().now.addingTimeInterval(issued)
        let values: PropertyListDictionary = ["limit": 2]
        return SettingsMessage(
            kind: .document,
            name: name,
            revision: 3,
            state: SettingsState(of: SettingsState.text(of: values)),
            validity: time..<time.addingTimeInterval(7 * 86_400),
            values: values
        )
    }
}
#endif
