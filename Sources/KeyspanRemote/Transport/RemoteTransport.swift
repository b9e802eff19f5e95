#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The way of a ``RemoteStore`` to its server: sends requests of HTTP.
///
/// A transport follows no redirect, keeps no responses, and does nothing about timeouts beyond
/// ``RemoteTransportRequest/connectTimeout``: the store cancels the task that waits for too long, and the transport
/// then closes the connection and throws. It is called by several tasks at once.
///
/// The module has `URLSessionTransport` on Apple's systems, and with the trait `RemoteHTTPClient` there is
/// `HTTPClientTransport` on Linux.
public protocol RemoteTransport: Sendable {
    /// Sends a request, and returns as soon as the headers of the response are there.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whose body comes as it is read.
    /// - Throws: Any error, if the server does not answer.
    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse
}

/// A request of a ``RemoteStore``: always `GET`, without a body.
public struct RemoteTransportRequest: Sendable {
    /// The URL with the query.
    public let url: URL
    /// The headers.
    public let headers: [(name: String, value: String)]
    /// The time within which the connection should be made.
    public let connectTimeout: Duration

    /// Makes a request, as the store does; tests of a transport need it.
    ///
    /// - Parameters:
    ///   - url: The URL with the query.
    ///   - headers: The headers.
    ///   - connectTimeout: The time within which the connection should be made.
    public init(url: URL, headers: [(name: String, value: String)] = [], connectTimeout: Duration = .seconds(10)) {
        (self.url, self.headers, self.connectTimeout) = (url, headers, connectTimeout)
    }

    /// The value of a header, whose name is compared without regard to case.
    public func header(_ name: String) -> String? { headers.value(of: name) }
}

/// A response to a ``RemoteStore``.
public struct RemoteTransportResponse: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The headers.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: RemoteTransportBody

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status, such as 200.
    ///   - headers: The headers.
    ///   - body: The body, without the transfer encoding and without compression.
    public init(status: Int, headers: [(name: String, value: String)], body: RemoteTransportBody) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The value of a header, whose name is compared without regard to case.
    public func header(_ name: String) -> String? { headers.value(of: name) }
}

extension [(name: String, value: String)] {
    fileprivate func value(of name: String) -> String? {
        let name = name.lowercased()
        return first { $0.name.lowercased() == name }?.value
    }
}

/// The body of a response as it arrives, in chunks of any size.
///
/// It is read once. The end of the iteration, or the release of the iterator, closes the connection if the body is not
/// complete.
public struct RemoteTransportBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = any Error

    private let makeNext: @Sendable () -> () async throws -> [UInt8]?

    /// Makes a body of another sequence of chunks.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        makeNext = {
            var iterator = chunks.makeAsyncIterator()
            return { try await iterator.next() }
        }
    }

    /// Makes a body of bytes that are all there.
    public init(_ bytes: [UInt8]) {
        makeNext = {
            var rest: [UInt8]? = bytes.isEmpty ? nil : bytes
            return {
                defer { rest = nil }
                return rest
            }
        }
    }

    /// The iterator of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let nextChunk: () async throws -> [UInt8]?

        /// The next chunk; `nil` at the end of the body.
        public mutating func next() async throws -> [UInt8]? { try await nextChunk() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(nextChunk: makeNext()) }
}
#endif
