#if RemoteHTTPClient && !canImport(Darwin)
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import KeyspanRemote

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A publisher behind a server of HTTP on this machine.
@Suite
struct HTTPClientTransportTests {
    @Test func `a store follows a publisher over HTTP`() async throws {
        let server = try TestServer(["limit": 1])
        let channel = try await HTTPServer.start(server.publisher)
        let port = try #require(channel.localAddress?.port)
        var options = RemoteStoreOptions()
        options.isAutomatic = false
        options.client = RemoteClient(platform: "Linux", id: "a")
        do {
            let clock = TestClock()
            var parameters = RemoteEngine.Parameters()
            parameters.now = { clock.now }
            let store = try RemoteStore(
                url: try #require(URL(string: "http://localhost:\(port)/settings")),
                keys: TestKeys.all,
                verificationKeys: [server.key.verificationKey],
                name: TestServer.name,
                cache: nil,
                options: options,
                transport: HTTPClientTransport(),
                fileSystem: POSIXFileSystem(),
                parameters: parameters
            )
            #expect(try await store.fetch())
            #expect(try await store.fetch() == false)
            #expect(store.snapshot() == ["limit": 1])
            store.isLive = true
            try await eventually { server.publisher.streamCount == 1 && store.status.isLive }
            for value in 2...10 {
                server.defaults[TestKeys.limit] = value
                try await eventually { store.snapshot() == ["limit": .integer(PropertyListInteger(value))] }
            }
            server.defaults[TestKeys.title] = String(repeating: "long ", count: 100_000)
            try await eventually { store.snapshot()["title"] != nil }
            store.isLive = false
            try await eventually { server.publisher.streamCount == 0 }
        }
        try await channel.close()
    }
}

/// The smallest server of HTTP that passes requests to a publisher.
private final class HTTPServer: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let publisher: SettingsPublisher

    private init(_ publisher: SettingsPublisher) {
        self.publisher = publisher
    }

    static func start(_ publisher: SettingsPublisher) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(HTTPServer(publisher))
                }
            }
            .bind(host: "localhost", port: 0).get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let channel = context.channel
        let task = Task {
            let request = RemoteRequest(method: head.method.rawValue, target: head.uri) { head.headers[$0].first }
            let response = await publisher.respond(to: request)
            try await Self.write(response, to: channel)
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    private static func write(_ response: RemoteResponse, to channel: any Channel) async throws {
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status))
        for (name, value) in response.headers { head.headers.add(name: name, value: value) }
        if case .bytes(let bytes) = response.body { head.headers.add(name: "Content-Length", value: "\(bytes.count)") }
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
#endif
