#if RemoteHTTPClient && !canImport(Darwin)
@_spi(StoreAuthors) import KeyspanCore
import NIOCore
import NIOPosix
import Testing

/// A server whose responses are any bytes, in the chunks in which they are sent.
final class RawServer: Sendable {
    /// The behavior after a request.
    struct Script: Sendable {
        var chunks: [[UInt8]] = []
        /// The pause before each chunk.
        var pause = Duration.zero
        /// Whether the connection stays open after the last chunk.
        var staysOpen = false
    }

    let port: Int
    private let listener: any Channel

    private init(_ listener: any Channel) throws {
        self.listener = listener
        port = try #require(listener.localAddress?.port)
    }

    static func start(_ script: @escaping @Sendable () -> Script) async throws -> RawServer {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return try RawServer(listener)
    }

    func close() async throws { try await listener.close() }
}

private final class ScriptHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let script: @Sendable () -> RawServer.Script
    private let received = Locked<[UInt8]>([])

    init(_ script: @escaping @Sendable () -> RawServer.Script) {
        self.script = script
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isWhole = received.withLock { [bytes = [UInt8](buffer: unwrapInboundIn(data))] received in
            received += bytes
            defer { if received.suffix(4) == Array("\r\n\r\n".utf8) { received = [] } }
            return received.suffix(4) == Array("\r\n\r\n".utf8)
        }
        guard isWhole else { return }
        let (channel, script) = (context.channel, script())
        let task = Task {
            for chunk in script.chunks {
                // Paces the chunks, so that they arrive one by one.
                try await Task.sleep(for: script.pause)
                try await channel.writeAndFlush(ByteBuffer(bytes: chunk))
            }
            if !script.staysOpen { try await channel.close() }
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }
}
#endif
