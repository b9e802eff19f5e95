import Dispatch
import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// Connects to members of a simulated cluster.
struct SimulatedConnector: ClusterConnector {
    let cluster: SimulatedCluster
    let callTimeout: Duration

    func addresses(of endpoint: Endpoint) async throws(CallError) -> [MemberAddress] {
        MemberAddress.all(of: endpoint, at: [endpoint.host] + cluster.state.read(\.deadHosts))
    }

    func withConnection(
        to address: MemberAddress,
        _ body: @escaping @Sendable (any ClusterCalls) async throws(CallError) -> Void
    ) async throws(CallError) {
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
        let calls = SimulatedConnection(to: address, connection, member: member, of: self)
        let outcome: Result<Void, CallError> = await withTaskGroup(of: Result<Void, CallError>.self) { group in
            group.addTask {
                do throws(CallError) {
                    try await body(calls)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                _ = await cluster.state.wait { $0.isOver(connection, to: member) }
                return .failure(calls.error(.unavailable, "the connection has ended"))
            }
            let outcome = await group.next()
            group.cancelAll()
            return outcome ?? .success(())
        }
        try outcome.get()
    }
}

/// A connection to one member of a simulated cluster.
final class SimulatedConnection: ClusterCalls {
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

    func end() {
        state.change { _ = $0.ended.insert(number) }
    }

    func error(_ kind: CallError.Kind, _ reason: String) -> CallError {
        CallError(kind: kind, endpoint: "\(address)", reason: reason)
    }
}

// MARK: - Calls with one answer

extension SimulatedConnection {
    func range(_ request: Etcdserverpb_RangeRequest) async throws(CallError) -> Etcdserverpb_RangeResponse {
        try await call(request.countOnly ? .count : .list) { (state) throws(SimulatedHistory.Refusal) in
            try state.history.range(request)
        }
    }

    func commit(_ request: Etcdserverpb_TxnRequest) async throws(CallError) -> Etcdserverpb_TxnResponse {
        try await call(SimulatedCall(request), request) { (state) throws(SimulatedHistory.Refusal) in
            try state.history.commit(request)
        }
    }

    func grantLease(seconds: Int64) async throws(CallError) -> Int64 {
        try await call(.lease) { $0.history.grantLease() }
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
            throw error(.unavailable, "deadline exceeded")
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
        guard isThere else { throw error(.unavailable, "deadline exceeded") }
        return response
    }

    /// Waits until the time of a call is over, or the connection ends.
    private func silence(until deadline: ContinuousClock.Instant) async -> CallError {
        await pause(deadline - .now)
        return error(.unavailable, "deadline exceeded")
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
