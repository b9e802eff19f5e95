#if RemoteHTTPClient && !canImport(Darwin)
@_spi(StoreAuthors) import KeyspanCore
import NIOCore
import NIOPosix
import Testing

/// Forwards connections to a port, and treats each as a closure says.
final class FaultyRoute: Sendable {
    /// The treatment of the bytes of a server.
    enum Fault: Sendable {
        case none
        /// The connection is closed at once.
        case refused
        /// The connection is closed after a number of bytes.
        case cut(after: Int)
        /// The bytes come in chunks of a number, with pauses.
        case drip(Int)
        /// A bit of the byte at an offset is another one.
        case flip(at: Int)
    }

    private typealias Side = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    private let task: Task<Void, any Error>

    /// Starts to forward connections.
    ///
    /// - Parameters:
    ///   - target: The port of the server.
    ///   - fault: The treatment of the next connection.
    static func start(to target: Int, fault: @escaping @Sendable () -> Fault) async throws -> FaultyRoute {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Side(wrappingChannelSynchronously: channel) }
            }
        let port = try #require(listener.channel.localAddress?.port)
        let task = Task {
            try await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { connections in
                    for try await connection in connections {
                        let fault = fault()
                        group.addTask { try? await Self.forward(connection, to: target, fault) }
                    }
                }
            }
        }
        return FaultyRoute(port, task)
    }

    private init(_ port: Int, _ task: Task<Void, any Error>) {
        (self.port, self.task) = (port, task)
    }

    deinit {
        task.cancel()
    }

    private static func forward(_ client: Side, to target: Int, _ fault: Fault) async throws {
        if case .refused = fault { return try await client.executeThenClose { _, _ in } }
        let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: target) { channel in
                channel.eventLoop.makeCompletedFuture { try Side(wrappingChannelSynchronously: channel) }
            }
        try await client.executeThenClose { requests, toClient in
            try await server.executeThenClose { responses, toServer in
                // The first side that ends closes both.
                await withTaskGroup { group in
                    group.addTask {
                        do { for try await bytes in requests { try await toServer.write(bytes) } } catch {}
                    }
                    group.addTask { try? await send(responses, to: toClient, fault) }
                    await group.next()
                    group.cancelAll()
                }
            }
        }
    }

    private static func send(
        _ responses: NIOAsyncChannelInboundStream<ByteBuffer>,
        to client: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ fault: Fault
    ) async throws {
        var sent = 0
        for try await buffer in responses {
            var bytes = [UInt8](buffer: buffer)
            switch fault {
            case .none, .refused: break
            case .cut(let limit):
                bytes = Array(bytes.prefix(max(limit - sent, 0)))
                if !bytes.isEmpty { try await client.write(ByteBuffer(bytes: bytes)) }
                if sent + bytes.count >= limit { return }
                sent += bytes.count
                continue
            case .drip(let size):
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try await client.write(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
                    try await Task.sleep(for: .microseconds(100))
                }
                continue
            case .flip(let offset):
                if bytes.indices.contains(offset - sent) { bytes[offset - sent] ^= 0x10 }
            }
            sent += bytes.count
            try await client.write(ByteBuffer(bytes: bytes))
        }
    }
}
#endif
