#if Etcd
internal import NIOCore
internal import NIOHTTP2

/// Answers the pings of a member before HTTP/2 counts them.
///
/// A server of gRPC in Go pings about once for each call, to measure the connection. swift-nio-http2 from 1.46 closes a connection on which
/// 200 pings arrive within 30 seconds, as a defense against floods, and the transport has no setting for it: a store that writes seven times
/// a second would lose its connection again and again. Frames are those of RFC 9113, section 4.1, and pings those of section 6.7.
final class PingAnswering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Frame {
        static let headerSize = 9
        static let pingSize = 17
        static let pingType: UInt8 = 6
        static let acknowledgment: UInt8 = 1
        static let flagsOffset = 4
    }

    /// The beginning of a frame of which too little has arrived to know what to do with it.
    private var partial = ByteBuffer()
    /// The number of bytes of the present frame that have not arrived.
    private var missing = 0

    /// Installs the handler on a new connection, between TLS and HTTP/2.
    @Sendable static func install(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(PingAnswering(), position: .before(http2))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        if partial.readableBytes > 0 {
            partial.writeBuffer(&input)
            (input, partial) = (partial, ByteBuffer())
        }
        var output = context.channel.allocator.buffer(capacity: input.readableBytes)
        while input.readableBytes > 0 {
            if missing > 0 {
                guard var part = input.readSlice(length: min(missing, input.readableBytes)) else { break }
                missing -= part.readableBytes
                output.writeBuffer(&part)
                continue
            }
            guard let header = input.getBytes(at: input.readerIndex, length: Frame.headerSize) else { break }
            if Self.isPing(header) {
                guard var answer = input.getSlice(at: input.readerIndex, length: Frame.pingSize) else { break }
                input.moveReaderIndex(forwardBy: Frame.pingSize)
                answer.setInteger(Frame.acknowledgment, at: answer.readerIndex + Frame.flagsOffset)
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            } else {
                input.moveReaderIndex(forwardBy: Frame.headerSize)
                output.writeBytes(header)
                missing = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            }
        }
        partial = input
        if output.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(output)) }
    }

    /// Whether a header is that of a ping that asks for an answer; any other, also a malformed one, is for HTTP/2.
    private static func isPing(_ header: [UInt8]) -> Bool {
        header[3] == Frame.pingType && header[Frame.flagsOffset] & Frame.acknowledgment == 0
            && header[0] == 0 && header[1] == 0 && Int(header[2]) == Frame.pingSize - Frame.headerSize
    }
}
#endif
