#if Etcd
/// The calls of etcd that a store makes, over a connection to one member.
///
/// Each call ends within the deadline of the connection, except the watch, which ends with the connection or its task.
protocol ClusterCalls: AnyObject, Sendable {
    /// The address of the member at the other end.
    var address: MemberAddress { get }

    /// Reads a range of keys at one revision.
    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse

    /// Compares, and then writes or reads, as one step.
    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse

    /// Makes a lease.
    ///
    /// - Returns: Its number.
    func grantLease(seconds: Int64) async throws(CallError) -> Int64

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

    /// Ends the connection, because the member no longer answers as it should.
    func end()
}

/// Makes connections to members of a cluster.
protocol ClusterConnector: Sendable {
    /// Finds the addresses of a member.
    ///
    /// - Returns: At least one, in the order in which the store tries them.
    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress]

    /// Connects to a member, and keeps the connection as long as the body runs.
    func withConnection(
        to address: MemberAddress,
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError)
}
#endif
