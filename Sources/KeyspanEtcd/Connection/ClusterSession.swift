#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A connection to one member, with what its sessions know of it together.
final class MemberLink: Sendable {
    /// Differs from that of any other connection to the cluster.
    let number: UInt64
    let member: any MemberConnection
    let sessionLimit: Int
    private let proof = Locked<Date?>(nil)

    init(_ number: UInt64, to member: any MemberConnection) {
        (self.number, self.member, sessionLimit) = (number, member, member.sessionLimit)
    }

    /// The time at which the last answered call began that all members agreed on.
    var lastProof: Date? { proof.withLock { $0 } }

    /// Notes that such a call was answered.
    func noteProof(at time: Date) {
        proof.withLock { $0 = max($0 ?? time, time) }
    }
}

/// The calls of one store over a shared connection.
final class ClusterSession: ClusterCalls {
    /// How a session has ended.
    enum End: Sendable {
        /// The connection is over.
        case lost(CallError)
        /// The store has left it.
        case left
        /// The store has had no proper answer.
        case givenUp
    }

    let link: MemberLink
    /// The key that probes of the connection may read.
    let probed: Data
    private let isOver = Flag()
    private let state = Locked<(ending: End?, isEstablished: Bool)>((nil, false))

    init(over link: MemberLink, probing probed: Data) {
        (self.link, self.probed) = (link, probed)
    }

    var address: MemberAddress { link.member.address }

    var lastProof: Date? { link.lastProof }

    func leave() { finish(.left) }

    func end() { finish(.givenUp) }

    /// Ends the session; the first reason counts.
    func finish(_ end: End) {
        state.withLock { $0.ending = $0.ending ?? end }
        isOver.set()
    }

    /// How the session has ended; `nil` while it goes on.
    var ending: End? { state.withLock { $0.ending } }

    /// Whether its watch was established.
    var isEstablished: Bool { state.withLock { $0.isEstablished } }

    /// Waits until the session has ended, or the task is canceled.
    func waitUntilEnded() async -> CallError {
        await isOver.wait()
        switch ending {
        case .lost(let error): return error
        case .left:
            return CallError(kind: .compacted, endpoint: "\(address)", reason: "the entries have to be listed anew")
        case .givenUp, nil:
            return CallError(kind: .unavailable, endpoint: "\(address)", reason: "the connection was given up")
        }
    }
}

// MARK: - Calls

extension ClusterSession {
    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse {
        let began = Date()
        let response = try await link.member.range(request)
        if !request.serializable { link.noteProof(at: began) }
        return response
    }

    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse {
        let began = Date()
        let response = try await link.member.commit(request)
        link.noteProof(at: began)
        return response
    }

    func grantLease(_ id: Int64, seconds: Int64) async throws(CallError) {
        try await link.member.grantLease(id, seconds: seconds)
    }

    func revokeLease(_ id: Int64) async throws(CallError) {
        try await link.member.revokeLease(id)
    }

    func watch(
        _ request: Etcdserverpb_WatchCreateRequest,
        _ receive: @escaping @Sendable (Etcdserverpb_WatchResponse) throws(CallError) -> Void
    ) async throws(CallError) -> Never {
        try await link.member.watch(request) { [self] response throws(CallError) in
            if response.created, !response.canceled { state.withLock { $0.isEstablished = true } }
            try receive(response)
        }
    }
}
#endif
