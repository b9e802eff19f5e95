#if Remote
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of HTTP/1.1 that hands each request to a closure, as small as swift-nio allows.
struct EventServer {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// Answers a request; the next one of the connection is read when it returns.
    let answer: @Sendable (HTTPRequestHead, Connection, Writer) async throws -> Void

    /// Accepts connections until the task is canceled.
    ///
    /// - Parameter ready: Receives the port.
    func run(ready: (Int) -> Void) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        ready(server.channel.localAddress?.port ?? 0)
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { try? await serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: Connection) async throws {
        try await connection.executeThenClose { inbound, outbound in
            for try await part in inbound {
                guard case .head(let head) = part else { continue }
                try await answer(head, connection, outbound)
            }
        }
    }
}
#endif
