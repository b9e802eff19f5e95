#if RemoteHTTPClient && !canImport(Darwin)
import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import KeyspanRemote

/// A server of HTTP on this machine that passes requests to a publisher.
final class HTTPServer: Sendable {
    let port: Int
    private let listener: any Channel
    private let handler: RequestHandler

    private init(_ listener: any Channel, _ handler: RequestHandler) throws {
        (self.listener, self.handler) = (listener, handler)
        port = try #require(listener.localAddress?.port)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - publisher: Answers the requests.
    ///   - port: The port; any that is free by default.
    static func start(_ publisher: SettingsPublisher, port: Int = 0) async throws -> HTTPServer {
        let handler = RequestHandler(publisher)
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return try HTTPServer(listener, handler)
    }

    /// The requests so far, each with its method, its target and whether it was conditional.
    var requests: [Request] { handler.requests.withLock(\.self) }

    struct Request: Sendable {
        let target: String
        let isConditional: Bool
        let status: Int
    }

    /// Closes all connections.
    func close() async throws {
        try await listener.close()
        for channel in handler.channels.withLock({ $0 }) { try? await channel.close() }
    }
}

/// Passes the requests of all connections on.
private final class RequestHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    let channels = Locked<[any Channel]>([])
    let requests = Locked<[HTTPServer.Request]>([])
    private let publisher: SettingsPublisher

    init(_ publisher: SettingsPublisher) {
        self.publisher = publisher
    }

    func channelActive(context: ChannelHandlerContext) {
        channels.withLock { [channel = context.channel] in $0.append(channel) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let channel = context.channel
        let task = Task {
            var request = HTTPRequest(
                method: try #require(HTTPRequest.Method(head.method.rawValue)),
                scheme: "http",
                authority: head.headers["host"].first,
                path: head.uri
            )
            request.headerFields[.ifNoneMatch] = head.headers["if-none-match"].first
            let response = publisher.respond(to: request)
            let isConditional = request.headerFields[.ifNoneMatch] != nil
            requests.withLock {
                $0.append(.init(target: head.uri, isConditional: isConditional, status: response.head.status.code))
            }
            try await Self.write(response, to: channel)
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    private static func write(_ response: RemoteResponse, to channel: any Channel) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.head.status.code))
        for field in response.head.headerFields { head.headers.add(name: field.name.rawName, value: field.value) }
        if case .bytes(let bytes) = response.body, response.head.status != .notModified {
            head.headers.add(name: "Content-Length", value: "\(bytes.count)")
        }
        try await channel.writeAndFlush(HTTPServerResponsePart.head(head))
        switch response.body {
        case .bytes(let bytes):
            try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        case .stream(let stream):
            for await chunk in stream {
                try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: chunk))))
            }
        }
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    }
}

/// Makes a client that reaches a server over AsyncHTTPClient.
func makeHTTPClient(
    of server: TestServer,
    port: Int,
    times: ManualClock = ManualClock(),
    _ change: (inout RemoteStoreOptions) -> Void = { _ in }
) throws -> RemoteStore {
    try makeClient(
        of: server,
        over: HTTPClientTransport(connectTimeout: .seconds(60)),
        url: "http://127.0.0.1:\(port)/settings",
        times: times,
        change
    )
}
#endif
