#if Remote
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a ``RemoteStore`` stands to its server.
public struct RemoteStoreStatus: Sendable {
    /// The revision of the values in force; `nil` if there are none.
    public internal(set) var revision: Int64?
    /// The revision of the values that were fetched last; another one than ``revision`` if they wait for coming into
    /// force.
    public internal(set) var fetchedRevision: Int64?
    /// Whether fetched values wait for coming into force.
    public internal(set) var isActivationPending = false
    /// The group of clients whose values these are; `nil` before the server has assigned one.
    public internal(set) var group: String?

    /// When the server last proved that the fetched values are the present ones, by a document that the client could
    /// take, or by saying that the client has it.
    ///
    /// After a restart, it can be up to an hour earlier than it was.
    public internal(set) var lastProof: Date?

    /// Since when the values may be older than those of the server: the last proof, once a request has failed or the next
    /// proof is late by half an interval; `nil` while they are not, and before the first proof.
    public internal(set) var staleSince: Date?

    /// Whether the document of the values in force has expired; the values stay.
    ///
    /// The server has then proved nothing for several days: for at least three quarters of its ``SettingsPublisherOptions/validity``.
    public internal(set) var isExpired = false

    /// Why the last attempt failed; `nil` if it succeeded.
    public internal(set) var lastError: RemoteStoreError?
    /// Whether a stream of the server is open that has brought an event.
    public internal(set) var isLive = false
}

extension RemoteStoreStatus: CustomStringConvertible {
    /// The status in one line, such as `revision 12, live`.
    public var description: String {
        var text = revision.map { "revision \($0)" } ?? "no values"
        if isActivationPending, let fetchedRevision { text += ", revision \(fetchedRevision) fetched" }
        if isLive { text += ", live" }
        if let lastProof, staleSince == nil { text += ", proved \(lastProof.messageText)" }
        if let staleSince { text += ", stale since \(staleSince.messageText)" }
        if isExpired { text += ", expired" }
        if let lastError { text += " (\(lastError.kind.rawValue): \(lastError.reason))" }
        return text
    }
}
#endif
