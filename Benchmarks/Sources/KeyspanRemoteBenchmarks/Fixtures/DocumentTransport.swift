#if Remote
import Foundation
import HTTPTypes
import KeyspanCore
import KeyspanRemote

/// Answers each request with the next one of several documents, without a network.
final class DocumentTransport: RemoteTransport {
    private let documents: Locked<ArraySlice<[UInt8]>>

    init(_ documents: [[UInt8]]) {
        self.documents = Locked(documents[...])
    }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let next = documents.withLock { $0.popFirst() }
        let (body, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
        continuation.yield(next ?? [])
        continuation.finish()
        return (HTTPResponse(status: next == nil ? .serviceUnavailable : .ok), body)
    }

    /// Makes a client that fetches only on request.
    func makeStore(count: Int, verificationKey: VerificationKey) throws -> RemoteStore {
        var options = RemoteStoreOptions()
        options.polling = .manually
        guard let url = URL(string: "https://settings.example/settings") else { throw BenchmarkError("no URL") }
        return try RemoteStore(
            url: url,
            keys: PublishedSettings.keys(count: count),
            verificationKeys: [verificationKey],
            name: PublishedSettings.publisherName,
            options: options,
            transport: self
        )
    }
}
#endif
