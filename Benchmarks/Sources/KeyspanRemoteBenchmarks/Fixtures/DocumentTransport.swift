#if Remote
import Foundation
import KeyspanCore
import KeyspanRemote

/// Answers each request with the next one of several documents, without a network.
final class DocumentTransport: RemoteTransport {
    private let documents: Locked<ArraySlice<[UInt8]>>

    init(_ documents: [[UInt8]]) {
        self.documents = Locked(documents[...])
    }

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        guard let next = documents.withLock({ $0.popFirst() }) else {
            return RemoteTransportResponse(status: 503, headers: [], body: RemoteTransportBody([]))
        }
        return RemoteTransportResponse(status: 200, headers: [], body: RemoteTransportBody(next))
    }

    /// Makes a client that fetches only on request.
    func makeStore(count: Int, verificationKey: VerificationKey) throws -> RemoteStore {
        var options = RemoteStoreOptions()
        options.isAutomatic = false
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
