#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One TCP connection to one member, which is over for good when it is lost.
protocol MemberConnection: MemberCalls {
    /// The number of sessions that the member takes on the connection.
    var sessionLimit: Int { get }

    /// Makes a read that all members agree on, and returns when the member has answered it, even with a refusal.
    ///
    /// - Parameter key: The key to read, whose value is not sent.
    func probe(_ key: Data) async throws(CallError)

    /// Waits until the connection has ended.
    ///
    /// - Returns: Why it has.
    func waitUntilEnded() async -> CallError

    /// Ends the connection, without waiting for the member.
    func end(because error: CallError)
}

/// Makes connections to members of a cluster.
protocol MemberConnector: Sendable {
    /// Finds the addresses of a member.
    ///
    /// - Returns: At least one, in the order in which they are tried.
    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress]

    /// Connects to a member, and returns once calls can be made.
    func connect(to address: MemberAddress) async throws(CallError) -> any MemberConnection
}
#endif
