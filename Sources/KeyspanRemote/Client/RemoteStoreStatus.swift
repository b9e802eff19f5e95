#if Remote || canImport(CryptoKit)
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
    /// When the server last answered with a message that the client could take, or said that the client has the latest
    /// one.
    ///
    /// After a restart, it can be up to an hour earlier than it was.
    public internal(set) var lastContact: Date?
    /// Why the last attempt failed; `nil` if it succeeded.
    public internal(set) var lastError: RemoteStoreError?
    /// Whether a stream of the server is open.
    public internal(set) var isLive = false
}

extension RemoteStoreStatus: CustomStringConvertible {
    /// The status in one line, such as `revision 12, live`.
    public var description: String {
        var text = revision.map { "revision \($0)" } ?? "no values"
        if isActivationPending, let fetchedRevision { text += ", revision \(fetchedRevision) fetched" }
        if isLive { text += ", live" }
        if let lastContact { text += ", last contact \(lastContact.messageText)" }
        if let lastError { text += " (\(lastError.kind.rawValue): \(lastError.reason))" }
        return text
    }
}
#endif
