#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How an ``EtcdStore`` stands to its cluster.
public struct EtcdStoreStatus: Sendable, Hashable {
    /// The member that the store follows, such as `10.0.0.1:2379`; `nil` while there is none.
    ///
    /// If its name has several addresses, the address is named too: `etcd:2379 (10.0.0.1)`.
    public internal(set) var endpoint: String?

    /// The revision of the cluster that readers see; `nil` before the store has reached the cluster once.
    ///
    /// It is the revision of the last change of the prefix, or a later one up to which the cluster reported no other.
    public internal(set) var revision: Int64?

    /// Since when the values may be older than those of the cluster; `nil` while the store follows it.
    ///
    /// It is the last time at which they were known to be up to date, by a change, a report of progress or a read that all members agreed on,
    /// which is before the loss of a member was noticed. It stays until the changes that were missed have arrived.
    public internal(set) var staleSince: Date?

    /// Why the store follows no member; `nil` while it does.
    public internal(set) var problem: String?

    /// The number of keys whose writes the cluster has not committed yet, in the mode ``EtcdStoreOptions/Writes/background(limit:)``.
    public internal(set) var pendingKeys = 0

    /// Whether the values still are those of the ``EtcdStoreOptions/cache``.
    public internal(set) var isFromCache = false
}

extension EtcdStoreStatus: CustomStringConvertible {
    /// The status in one line, such as `etcd 10.0.0.1:2379 revision 4711`.
    public var description: String {
        var text = endpoint.map { "etcd \($0)" } ?? "etcd, no connection"
        if let revision { text += " revision \(revision)" }
        if let staleSince { text += ", stale since \(staleSince.formatted(.iso8601))" }
        if pendingKeys > 0 { text += ", \(pendingKeys) keys not yet committed" }
        if let problem { text += " (\(problem))" }
        return text
    }
}
#endif
