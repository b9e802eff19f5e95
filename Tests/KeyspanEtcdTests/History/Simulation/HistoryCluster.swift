/// A cluster that applies batches one after the other, and keeps all its states.
struct HistoryCluster {
    /// The history of the cluster.
    private(set) var truth: ClusterTruth
    /// The states, by position.
    private(set) var states: [[String: String]]

    /// Makes a cluster with a starting state.
    init(startRevision: Int64, start: [String: String]) {
        truth = ClusterTruth(startRevision: startRevision, start: start)
        states = [start]
    }

    /// The position of the current state.
    var position: Int { states.count - 1 }

    /// The number of the current revision.
    var revision: Int64 { truth.revisions.last?.revision ?? truth.startRevision }

    /// The current state.
    var table: [String: String] { states[position] }

    /// Applies a batch as one transaction; a batch without effect makes no revision.
    ///
    /// - Parameter step: By how much the number of the revision grows.
    mutating func apply(_ batch: RecordedBatch, step: Int64) {
        var events: [String: String?] = [:]
        var table = table
        if batch.removesAll {
            for key in table.keys where batch.changes[key] == nil { events.updateValue(nil, forKey: key) }
        }
        for (key, value) in batch.changes where value != nil || table[key] != nil {
            events.updateValue(value, forKey: key)
        }
        guard !events.isEmpty else { return }
        for (key, value) in events { table[key] = value }
        truth.revisions.append(ClusterRevision(revision: revision + step, events: events))
        states.append(table)
    }
}

extension RecordedBatch {
    /// The effect of this batch followed by another one, as a background store sends them together.
    func followed(by next: RecordedBatch) -> RecordedBatch {
        if next.removesAll { return next }
        return RecordedBatch(changes.merging(next.changes) { _, new in new }, removesAll: removesAll)
    }

    /// The table after the batch.
    func applied(to table: [String: String]) -> [String: String] {
        var result = removesAll ? [:] : table
        for (key, value) in changes { result[key] = value }
        return result
    }

    /// The batch with a tag of its own.
    func tagged(_ tag: String?, _ value: String) -> RecordedBatch {
        guard let tag else { return self }
        return followed(by: RecordedBatch([tag: value]))
    }
}

/// The differences between two tables, as an observer is notified of them.
func observedDifference(_ old: [String: String], _ new: [String: String]) -> [String: ObservedValues] {
    var values: [String: ObservedValues] = [:]
    for (key, value) in new where old[key] != value { values[key] = ObservedValues(old: old[key], new: value) }
    for (key, value) in old where new[key] == nil { values[key] = ObservedValues(old: value, new: nil) }
    return values
}

/// A store that mirrors a simulated cluster.
struct HistoryStore {
    /// A call that a background store has not sent.
    struct Unsent {
        let call: Int
        let batch: RecordedBatch
    }

    let name: String
    let mode: StoreMode
    /// The position that the store shows, apart from unsent calls.
    var position: Int
    /// The unsent calls, in order.
    var queue: [Unsent] = []
    /// The observers of the store, as indices of the history.
    var observers: [Int] = []
    /// The positions of the observers of a direct store, which are notified one revision at a time.
    var observerPositions: [Int] = []

    /// The table that the store shows.
    func view(of cluster: HistoryCluster) -> [String: String] {
        queue.reduce(cluster.states[position]) { $1.batch.applied(to: $0) }
    }
}

/// A client that makes one call after the other on a store of a simulation.
struct SimulatedClient {
    /// What becomes of a call.
    enum Fate {
        case acknowledged, refused, unknownAtOnce, unknownLate, unknownNever, dies

        /// Chooses a fate, most often success.
        static func random(using random: inout some RandomNumberGenerator) -> Self {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<78: .acknowledged
            case 78..<85: .refused
            case 85..<92: .unknownAtOnce
            case 92..<96: .unknownLate
            case 96..<99: .unknownNever
            default: .dies
            }
        }
    }

    let name: String
    let store: Int
    let hasTags: Bool
    var calls = 0
    /// The call that has not returned.
    var pending: (call: Int, fate: Fate, isApplied: Bool)?
    var isAlive = true
}
