import Dispatch
import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// Connects to members of a simulated cluster.
struct SimulatedConnector: MemberConnector {
    let cluster: SimulatedCluster
    let callTimeout: Duration

    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress] {
        MemberAddress.all(of: endpoint, at: [endpoint.host] + cluster.state.read(\.deadHosts))
    }

    func connect(to address: MemberAddress) async throws(CallError) -> any MemberConnection {
        cluster.state.change { $0.attempts += 1 }
        guard address.host == address.endpoint.host, let member = cluster.endpoints.firstIndex(of: address.endpoint)
        else {
            throw CallError(kind: .unavailable, endpoint: "\(address)", reason: "no such host")
        }
        let connection: Int? = cluster.state.change { state in
            if state.members[member].isDown {
                state.refusedConnections += 1
                return nil
            }
            state.lastConnection += 1
            return state.lastConnection
        }
        guard let connection else {
            throw CallError(kind: .unavailable, endpoint: "\(address)", reason: "connection refused")
        }
        return SimulatedConnection(to: address, connection, member: member, of: self)
    }
}

extension ClusterConnector {
    /// The access of a store to a simulated cluster.
    convenience init(to cluster: SimulatedCluster, callTimeout: Duration, space: KeySpace) {
        let identity = SharedConnection.Identity(
            members: Set(cluster.endpoints),
            security: .plaintext,
            credentials: nil,
            callTimeout: callTimeout,
            network: ObjectIdentifier(cluster)
        )
        let shared = SharedConnection.of(identity, at: cluster.endpoints) { _ in
            SimulatedConnector(cluster: cluster, callTimeout: callTimeout)
        }
        self.init(to: shared, probing: space.start)
    }
}

/// A connection to one member of a simulated cluster.
final class SimulatedConnection: MemberConnection {
    let address: MemberAddress

    let number: Int
    let member: Int
    let cluster: SimulatedCluster
    let timeout: Duration

    var state: WatchedState<SimulatedCluster.State> { cluster.state }

    init(to address: MemberAddress, _ number: Int, member: Int, of connector: SimulatedConnector) {
        (self.address, self.number, self.member) = (address, number, member)
        (cluster, timeout) = (connector.cluster, connector.callTimeout)
    }

    var sessionLimit: Int { state.read(\.sessionLimit) }

    func end(because error: CallError) { end() }

    private func end() {
        state.change { _ = $0.ended.insert(number) }
    }

    func waitUntilEnded() async -> CallError {
        _ = await state.wait { [number, member] in $0.isOver(number, to: member) }
        return error(.unavailable, "the connection has ended")
    }

    func error(_ kind: CallError.Kind, _ reason: String) -> CallError {
        CallError(kind: kind, endpoint: "\(address)", reason: reason)
    }

    /// The failure of a call that has no answer in time.
    var silence: CallError { .silence(of: "\(address)", for: timeout) }
}

// MARK: - Calls with one answer

extension SimulatedConnection {
    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse {
        if request.limit > state.read(\.largestPage) {
            state.change { _ = $0.nextFault(for: .list) }
            throw await silence(until: .now + timeout)
        }
        return try await call(request.countOnly ? .count : .list) { (state) throws(SimulatedHistory.Refusal) in
            try state.history.range(request)
        }
    }

    func probe(_ key: Data) async throws(CallError) {
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.countOnly) = (key, true)
        _ = try await range(request)
    }

    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse {
        try await call(SimulatedCall(request), request) { (state) throws(SimulatedHistory.Refusal) in
            try state.history.commit(request)
        }
    }

    func grantLease(_ id: Int64, seconds: Int64) async throws(CallError) {
        try await call(.lease) { (state) throws(SimulatedHistory.Refusal) in try state.history.grantLease(id) }
    }

    func revokeLease(_ id: Int64) async throws(CallError) {
        try await call(.revocation) { (state) throws(SimulatedHistory.Refusal) in try state.history.revokeLease(id) }
    }

    /// Makes a call, with what goes wrong with it.
    private func call<Response: Sendable>(
        _ call: SimulatedCall,
        _ request: Etcdserverpb_TxnRequest? = nil,
        _ body: @escaping @Sendable (inout SimulatedCluster.State) throws(SimulatedHistory.Refusal) -> Response
    ) async throws(CallError) -> Response {
        let deadline = ContinuousClock.now + timeout
        let fault = state.change { $0.nextFault(for: call) }
        try await reach(until: deadline, request)
        switch fault {
        case nil: return try await perform(until: deadline, body)
        case .losesRequest?: throw await silence(until: deadline)
        case .losesAnswer?:
            _ = state.change { try? body(&$0) }
            throw await silence(until: deadline)
        case .staysUnderWay?:
            if let request { state.change { $0.underWay.append(request) } }
            throw await silence(until: deadline)
        case .happensLate(let delay)?:
            state.change { $0.late += 1 }
            DispatchQueue.global().asyncAfter(deadline: .now() + delay.dispatchInterval) { [state] in
                state.change { state in
                    _ = try? body(&state)
                    state.late -= 1
                }
            }
            throw await silence(until: deadline)
        case .fails(let kind)?: throw error(kind, "fault")
        case .happensAndFails(let kind)?:
            _ = state.change { try? body(&$0) }
            throw error(kind, "fault")
        case .takes(let duration)?:
            let response = try await perform(until: deadline, body)
            if duration >= timeout { throw await silence(until: deadline) }
            await pause(duration)
            return response
        case .failsLate(let kind, let duration)?:
            await pause(duration)
            throw error(kind, "fault")
        case .endsConnection?:
            end()
            throw error(.unavailable, "the connection has ended")
        case .endsConnectionAfterwards?:
            _ = state.change { try? body(&$0) }
            end()
            throw error(.unavailable, "the connection has ended")
        }
    }

    /// Waits until the member takes a call.
    func reach(until deadline: ContinuousClock.Instant, _ request: Etcdserverpb_TxnRequest?)
        async throws(CallError)
    {
        let (number, member) = (number, member)
        let isReached = await state.wait(upTo: deadline - .now) { state in
            state.isOver(number, to: member) || !state.members[member].isFrozen
        }
        try checkConnection()
        guard isReached else {
            // The member has the request, and goes on with it when it can.
            if let request { state.change { $0.members[member].backlog.append(request) } }
            throw silence
        }
        if state.read({ $0.members[member].hasNoLeader }) { throw error(.busy, "etcdserver: no leader") }
    }

    /// Lets a call happen, and answers as soon as the member has what happened.
    private func perform<Response: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: @Sendable (inout SimulatedCluster.State) throws(SimulatedHistory.Refusal) -> Response
    ) async throws(CallError) -> Response {
        let response: Response
        let revision: Int64
        do throws(SimulatedHistory.Refusal) {
            (response, revision) = try state.change { (state) throws(SimulatedHistory.Refusal) in
                let response = try body(&state)
                return (response, state.history.revision)
            }
        } catch {
            throw self.error(error.kind, "etcdserver: \(error.reason)")
        }
        let (number, member) = (number, member)
        let isThere = await state.wait(upTo: deadline - .now) { state in
            state.isOver(number, to: member) || state.applied(by: member) >= revision
                || state.history.revision < revision
        }
        try checkConnection()
        guard isThere else { throw silence }
        return response
    }

    /// Waits until the time of a call is over, or the connection ends.
    private func silence(until deadline: ContinuousClock.Instant) async -> CallError {
        await pause(deadline - .now)
        return silence
    }

    private func pause(_ duration: Duration) async {
        let (number, member) = (number, member)
        _ = await state.wait(upTo: duration) { $0.isOver(number, to: member) }
    }

    func checkConnection() throws(CallError) {
        if Task.isCancelled || state.read({ $0.isOver(number, to: member) }) {
            throw error(.unavailable, "the connection has ended")
        }
    }
}
