#if Etcd
internal import KeyspanCore

/// A watch on one connection: what it has delivered of the present revision, and whether the member has the history of the mirror.
final class ClusterWatch: Sendable {
    private struct State {
        var assembly = RevisionAssembly()
        var proof: HistoryProof
        var isFull = false
        var responseCount = 0
    }

    /// The member delivers more changes up to those of the mirror than one response has.
    ///
    /// A listing says nothing about changes between those that made its entries. Any number of them can be there: of a key that changes all the
    /// time, or of keys that came and went.
    struct TooLong: Error {}

    /// The most revisions that a member delivers at once (`watchBatchMaxRevs` of etcd); it has more then.
    private static let mostRevisions = 1000

    /// The first revision that it delivers.
    let start: Int64
    /// Whether the mirror was listed just before it.
    let isListed: Bool
    private let state: Locked<State>

    /// Makes a watch that delivers recent changes of the mirror once more.
    init(provenBy proof: HistoryProof) {
        (start, isListed) = (proof.start, false)
        state = Locked(State(proof: proof))
    }

    /// Makes a watch from the revision of a mirror that was listed or compared on the same connection.
    init(provenAt revision: Int64, isListed: Bool = false) {
        (start, self.isListed) = (revision, isListed)
        state = Locked(State(proof: HistoryProof(provenAt: revision)))
    }

    /// Whether the member has the history of the mirror.
    var isProven: Bool { state.withLock(\.proof.isComplete) }

    /// Whether the proof is not complete after the most revisions that a member delivers at once.
    var isTooLong: Bool { state.withLock { $0.isFull && !$0.proof.isComplete } }

    /// Whether the last response had the most revisions that a member delivers at once.
    var isFull: Bool { state.withLock(\.isFull) }

    /// The number of responses, parts of others among them.
    var responseCount: Int { state.withLock(\.responseCount) }

    /// Takes a response.
    ///
    /// - Returns: The revisions that are whole now.
    func take(_ response: Etcdserverpb_WatchResponse) -> [RevisionAssembly.Revision] {
        state.withLock { state in
            state.responseCount += 1
            let revisions = state.assembly.take(response)
            state.isFull = revisions.count >= Self.mostRevisions
            return revisions
        }
    }

    /// Takes a revision that the mirror has already.
    func takeAgain(_ revision: RevisionAssembly.Revision) throws(HistoryProof.Refutation) {
        try state.withLock { (state) throws(HistoryProof.Refutation) in try state.proof.take(revision) }
    }

    /// Completes the proof, if all of it was delivered.
    func conclude(over mirror: Mirror, isRequired: Bool) throws(HistoryProof.Refutation) {
        try state.withLock { (state) throws(HistoryProof.Refutation) in
            try state.proof.conclude(over: mirror, isRequired: isRequired)
        }
    }
}
#endif
