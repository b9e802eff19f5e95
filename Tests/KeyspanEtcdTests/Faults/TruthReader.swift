import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// Reads the history of a prefix from the cluster itself, revision by revision.
final class TruthReader: Sendable {
    private static let isDone = CallError(kind: .rejected, endpoint: "", reason: "the truth is read")

    private let space: KeySpace
    private let address: MemberAddress
    private let state: Locked<(revision: Int64, revisions: [History.Revision])>

    /// Begins at the present revision of a cluster, at which the prefix must be empty.
    init(of cluster: TestCluster, in space: KeySpace) throws {
        self.space = space
        guard let endpoint = Endpoint(cluster.endpoints[0]) else { throw cluster.failure("no endpoint") }
        address = MemberAddress(endpoint: endpoint, host: endpoint.host, isOneOfSeveral: false)
        state = Locked((try cluster.revision(), []))
    }

    /// The part of the history that was read so far.
    var truth: [History.Revision] { state.withLock { $0.revisions } }

    /// Reads on up to a revision.
    func read(upTo revision: Int64) async throws(CallError) {
        let connector = GRPCConnector(
            security: .plaintext,
            credentials: nil,
            callTimeout: .seconds(60),
            executor: .next()
        )
        do throws(CallError) {
            let calls = try await connector.connect(to: address)
            defer { calls.end(because: Self.isDone) }
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
        } catch {
            guard error.reason == Self.isDone.reason else { throw error }
        }
    }

    private func add(_ revision: RevisionAssembly.Revision) {
        let revision = History.Revision(revision.number, revision.events, in: space)
        state.withLock { state in
            state.revision = max(state.revision, revision.number)
            if !revision.events.isEmpty { state.revisions.append(revision) }
        }
    }
}
