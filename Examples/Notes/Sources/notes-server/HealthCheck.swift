import Keyspan
import NIOCore
import NIOPosix

/// The health check of a container, by a second process of the server's program: the image needs no HTTP client.
enum HealthCheck {
    /// An answer with another status than 200.
    struct Failure: Error, CustomStringConvertible {
        let server: Defaults.HostAndPort
        let answer: String

        var description: String { "the server at \(server) is not healthy: it answered \(answer.debugDescription)" }
    }

    /// Asks a server for its health.
    ///
    /// - Throws: ``Failure``, or an error of the connection if no server listens.
    static func run(_ server: Defaults.HostAndPort) async throws {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: server.host, port: Int(server.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await connection.executeThenClose { inbound, outbound in
            let request = "GET /health HTTP/1.1\r\nHost: \(server)\r\nConnection: close\r\n\r\n"
            try await outbound.write(ByteBuffer(string: request))
            var answer = ByteBuffer()
            for try await var part in inbound { answer.writeBuffer(&part) }
            let status = String(buffer: answer).prefix { !$0.isNewline }
            if !status.hasPrefix("HTTP/1.1 200 ") { throw Failure(server: server, answer: String(status)) }
        }
    }
}
