#if Etcd
internal import NIOCore
internal import NIOHTTP2

/// Reads how many streams a member takes on one connection, from its settings.
///
/// Each watch is a stream that stays open. etcd before 3.4.20 and 3.5.5 takes 250 with TLS, and proxies on the way have limits of their own.
/// The calls beyond would wait in vain.
final class StreamLimitReading: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private let receive: @Sendable (Int) -> Void

    /// - Parameter receive: Called with the limit, on the event loop of the connection.
    init(_ receive: @escaping @Sendable (Int) -> Void) {
        self.receive = receive
    }

    /// Installs the handler on a new connection, behind HTTP/2.
    static func install(on channel: any Channel, _ receive: @escaping @Sendable (Int) -> Void) -> EventLoopFuture<Void>
    {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(StreamLimitReading(receive), position: .after(http2))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.settings(let settings)) = unwrapInboundIn(data).payload {
            for setting in settings where setting.parameter == .maxConcurrentStreams { receive(setting.value) }
        }
        context.fireChannelRead(data)
    }
}
#endif
