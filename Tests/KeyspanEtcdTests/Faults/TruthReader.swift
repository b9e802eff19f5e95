import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// Reads the history of a prefix from the cluster itself, revision by revision.
final class TruthReader: Sendable {
    private let space: KeySpace
    private let address: MemberAddress
    private let state: Locked<(revision: Int64, revisions: [ClusterRevision])>

    /// Begins at the present revision of a cluster, at which the prefix must be empty.
    init(of cluster: TestCluster, member: ClusterMember, prefix: String) throws {
        space = KeySpace(prefix: prefix)
        guard let endpoint = Endpoint(member.endpoint) else { throw cluster.failure("no endpoint") }
        address = MemberAddress(endpoint: endpoint, host: endpoint.host, isOneOfSeveral: false)
        state = Locked((try cluster.revision(), []))
        start = state.withLock { $0.revision }
    }

    private let start: Int64

    /// The part of the history that was read so far.
    var truth: ClusterTruth {
        ClusterTruth(startRevision: start, start: [:], revisions: state.withLock { $0.revisions })
    }

    /// Reads on up to a revision.
    func read(upTo revision: Int64) async throws(CallError) {
        let connector = GRPCConnector(
            security: .plaintext,
            credentials: nil,
            callTimeout: .seconds(10),
            executor: .next()
        )
        do throws(CallError) {
            try await connector.withConnection(to: address) { [self] calls throws(CallError) in
                var request = Etcdserverpb_WatchCreateRequest()
                (request.key, request.rangeEnd) = (Data([0]), Data([0]))
                request.startRevision = state.withLock { $0.revision } + 1
                if request.startRevision > revision { throw Self.isDone }
                let assembly = Locked(RevisionAssembly())
                try await calls.watch(request) { [self] response throws(CallError) in
                    if response.canceled {
                        throw CallError(kind: .compacted, endpoint: "", reason: response.cancelReason)
                    }
                    for part in assembly.withLock({ $0.take(response) }) where part.number <= revision { add(part) }
                    if state.withLock({ $0.revision }) >= revision { throw Self.isDone }
                }
            }
        } catch {
            guard error.reason == Self.isDone.reason else { throw error }
        }
    }

    private static let isDone = CallError(kind: .rejected, endpoint: "", reason: "the truth is read")

    private func add(_ revision: RevisionAssembly.Revision) {
        var events: [String: String?] = [:]
        for event in revision.events {
            guard event.kv.key.starts(with: space.prefix), case .entry(let name) = space.name(of: event.kv.key) else {
                continue
            }
            events[name] = .some(event.type == .delete ? nil : String(decoding: event.kv.value, as: UTF8.self))
        }
        state.withLock { state in
            state.revision = max(state.revision, revision.number)
            if !events.isEmpty { state.revisions.append(.init(revision: revision.number, events: events)) }
        }
    }
}
