#if RemoteHTTPClient && !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A publisher behind a server of HTTP on this machine.
@Suite
struct HTTPClientTransportTests {
    @Test func `a store follows a publisher over HTTP`() async throws {
        let server = try TestServer(["limit": 1])
        let http = try await HTTPServer.start(server.publisher)
        do {
            let times = ManualClock()
            let store = try makeHTTPClient(of: server, port: http.port, times: times)
            #expect(try await store.fetch())
            #expect(try await store.fetch() == false)
            #expect(store.snapshot() == ["limit": 1])
            store.isLive = true
            try await eventually("the store follows") { server.publisher.streamCount == 1 && store.status.isLive }
            for value in 2...10 {
                server.defaults[TestKeys.limit] = value
                try await eventually("the change has arrived", store.snapshot()) { table in
                    // Its event spreads the requests over a second.
                    times.advance(by: .seconds(1))
                    return table == ["limit": .number(value)]
                }
            }
            server.defaults[TestKeys.title] = String(repeating: "long ", count: 100_000)
            try await eventually("the long change has arrived") {
                times.advance(by: .seconds(1))
                return store.snapshot()["title"] != nil
            }
            let announced = http.requests.filter {
                $0.target.contains("/settings/all/") && !$0.target.hasSuffix("changes")
            }
            #expect(announced.contains { $0.status == 200 })
            store.isLive = false
            try await eventually("the stream is closed", server.publisher.streamCount, is: 0)
        }
        try await http.close()
    }

    @Test func `a server that does not listen cannot be reached, which is known at once`() async throws {
        let server = try TestServer(["limit": 1])
        let http = try await HTTPServer.start(server.publisher)
        try await http.close()
        let store = try makeHTTPClient(of: server, port: http.port)
        let error = await #expect(throws: RemoteStoreError.self) { try await store.fetch() }
        #expect(error?.kind == .unreachable)
    }

    @Test func `a connection that the server has closed after the last response is no failure`() async throws {
        let server = try TestServer()
        let body = server.sign(["limit": 1], revision: 2)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
        let raw = try await RawServer.start { RawServer.Script(chunks: [Array(head.utf8) + body]) }
        let store = try makeHTTPClient(of: server, port: raw.port)
        for _ in 0..<200 { try await store.fetch() }
        #expect(store.snapshot() == ["limit": 1])
        try await raw.close()
    }
}
#endif
