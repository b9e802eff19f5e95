#if RemoteHTTPClient && !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanRemote

/// Responses that are wrong or late, over real connections; `RemoteStoreTests` has those whose content is wrong.
@Suite
struct HTTPFaultTests {
    /// A response, and what becomes of it.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The failure; `nil` if the document is taken in spite of the fault.
        let kind: RemoteStoreError.Kind?
        /// The response, made of a document that is newer than that of the client.
        let script: @Sendable (TestServer) -> RawServer.Script

        init(
            _ name: String,
            _ kind: RemoteStoreError.Kind?,
            _ script: @escaping @Sendable (TestServer) -> RawServer.Script
        ) {
            (testDescription, self.kind, self.script) = (name, kind, script)
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
            RawServer.Script(chunks: Self.response(newer(server)).chunks(of: 1), pause: .milliseconds(10))
        },
    ]

    @Test(arguments: faults)
    func `the last good values stay, and the next good document is taken`(_ fault: Fault) async throws {
        let (server, clock) = (try TestServer(), ManualClock())
        let present = Locked(RawServer.Script.response(server.sign(["limit": 1], revision: 2)))
        let raw = try await RawServer.start { present.withLock(\.self) }
        let store = try makeHTTPClient(of: server, port: raw.port, times: clock) { $0.maximumSize = 10_000 }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 1])
        let script = fault.script(server)
        present.withLock { $0 = script }
        let request = store.engine.request(isFresh: true)
        if fault.kind == .timedOut {
            try await eventually("the request ends", store.status.lastError?.kind) { kind in
                clock.advance(by: .seconds(50))
                return kind != nil
            }
        }
        switch await request.value {
        case .success:
            #expect(fault.kind == nil)
            #expect(store.snapshot() == ["limit": 2])
        case .failure(let error):
            #expect(error.kind == fault.kind, "\(error)")
            #expect(store.snapshot() == ["limit": 1])
            #expect(store.status.lastError?.kind == fault.kind)
        }
        present.withLock { $0 = .response(server.sign(["limit": 3], revision: 4)) }
        try await store.fetch()
        #expect(store.snapshot() == ["limit": 3] && store.status.lastError == nil)
        try await raw.close()
    }

    private static func newer(_ server: TestServer) -> [UInt8] { server.sign(["limit": 2], revision: 3) }

    private static func response(_ body: [UInt8]) -> [UInt8] { RawServer.Script.response(body).chunks.flatMap(\.self) }
}

extension RawServer.Script {
    /// A response with a body, after which the connection is closed.
    static func response(_ body: [UInt8], length: Int? = nil, headers: [String] = []) -> Self {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(length ?? body.count)", "Connection: close"] + headers
        return Self(chunks: [Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body])
    }
}

#endif
