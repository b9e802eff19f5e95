import HTTPTypes
import KeyspanRemote
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

/// Serves a publisher with swift-nio and without a framework, for a program that has no other requests to answer.
///
/// It belongs behind a proxy with TLS, which also limits connections that send nothing.
public struct PublisherServer: Sendable {
    private let publisher: SettingsPublisher

    public init(_ publisher: SettingsPublisher) {
        self.publisher = publisher
    }

    /// Answers requests until the task is canceled.
    ///
    /// - Parameters:
    ///   - host: The address on which it listens.
    ///   - port: The port; 0 for any that is free.
    ///   - onRunning: Called with the port as soon as the server listens.
    public func run(host: String, port: Int, onRunning: (Int) -> Void = { _ in }) async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    return try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(wrappingChannelSynchronously: channel)
                }
            }
        onRunning(server.channel.localAddress?.port ?? 0)
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    // A connection that fails concerns its client alone.
                    group.addTask { try? await serve(connection) }
                }
            }
        }
    }

    private func serve(_ connection: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>) async throws {
        // Behind a proxy, this is the proxy's address: pass the one that the proxy names in a header field, or none.
        let peer = connection.channel.remoteAddress?.ipAddress
        try await connection.executeThenClose { requests, responses in
            for try await part in requests {
                if case .head(let request) = part {
                    try await write(publisher.respond(to: request, from: peer), to: responses)
                }
            }
        }
    }

    private func write(
        _ response: RemoteResponse,
        to responses: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        var head = response.head
        switch response.body {
        case .bytes(let bytes):
            if head.headerFields[.contentLength] == nil { head.headerFields[.contentLength] = "\(bytes.count)" }
            try await responses.write(.head(head))
            try await responses.write(.body(ByteBuffer(bytes: bytes)))
        case .stream(let events):
            try await responses.write(.head(head))
            // The write of an event fails if the client has gone, after a heartbeat at the latest.
            for await event in events { try await responses.write(.body(ByteBuffer(bytes: event))) }
        }
        try await responses.write(.end(nil))
    }
}
