#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The calls of etcd that a store makes, over a connection to one member.
///
/// Each call ends within the deadline of the connection, except the watch, which ends with the connection or its task.
protocol MemberCalls: AnyObject, Sendable {
    /// The address of the member at the other end.
    var address: MemberAddress { get }

    /// Reads a range of keys at one revision.
    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse

    /// Compares, and then writes or reads, as one step.
    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse

    /// Makes a lease of a number, or leaves it as it is if it is there.
    func grantLease(_ id: Int64, seconds: Int64) async throws(CallError)

    /// Ends a lease, which removes its keys.
    func revokeLease(_ id: Int64) async throws(CallError)

    /// Watches a range of keys.
    ///
    /// - Parameters:
    ///   - request: The range, and the first revision.
    ///   - receive: Called with each response in order, the next one after it has returned; what it throws ends the watch.
    /// - Throws: ``CallError`` in any case in the end, because a watch has none of its own.
    func watch(
        _ request: Etcdserverpb_WatchCreateRequest,
        _ receive: @escaping @Sendable (Etcdserverpb_WatchResponse) throws(CallError) -> Void
    ) async throws(CallError) -> Never
}

/// The calls of one store over a connection that the stores of the process share: a session.
///
/// A session never outlives the TCP connection on which it began.
protocol ClusterCalls: MemberCalls {
    /// The time at which the last call began that all members agreed on and that this connection answered, for any of its sessions.
    var lastProof: Date? { get }

    /// Ends the session for a reason that says nothing against the connection, which the store may use again at once.
    func leave()

    /// Ends the session, because the member does not answer this store as it should.
    ///
    /// No session begins on the connection before it has answered a probe, and this store does not use it again.
    func end()
}
#endif
