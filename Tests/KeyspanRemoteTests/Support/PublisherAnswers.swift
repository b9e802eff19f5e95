import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanRemote

extension RemoteResponse {
    var status: Int { head.status.code }

    /// The body; `nil` for a stream.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }

    subscript(name: HTTPField.Name) -> String? { head.headerFields[name] }
}

extension TestServer {
    /// The answer to a request of a client that has a document.
    func get(_ path: String = "/settings/all", unless tags: String) -> RemoteResponse {
        get(path, [.ifNoneMatch: tags])
    }

    /// The path of a group's document.
    func path(ofDocument group: String = "all") throws -> String { "/settings/\(group)/\(try tag(group).text)" }

    /// The events of a stream.
    func events(_ group: String = "all", from peer: String? = nil) throws -> EventIterator {
        EventIterator(try stream(group, from: peer))
    }
}

extension ScriptedStore {
    /// The number of times that the store was read.
    var readingCount: Int { count(of: .snapshot) }
}
