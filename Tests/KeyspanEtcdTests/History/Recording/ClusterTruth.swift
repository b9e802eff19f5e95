/// One revision of the cluster, as far as it wrote keys of the prefix.
package struct ClusterRevision: Codable, Sendable, Equatable {
    /// Its number in the cluster; numbers between two revisions of the prefix belong to keys elsewhere.
    package var revision: Int64
    /// The keys it wrote, with their new values; `nil` for a deleted key.
    package var events: [String: String?]

    /// Makes a revision.
    package init(revision: Int64, events: [String: String?]) {
        (self.revision, self.events) = (revision, events)
    }
}

/// The history of the prefix as etcd itself keeps it, from a starting state on.
///
/// A test reads it after all faults have healed, with a watch from the start revision on, before a compaction drops it.
package struct ClusterTruth: Codable, Sendable, Equatable {
    /// The revision of the starting state.
    package var startRevision: Int64
    /// All keys of the prefix at the start revision.
    package var start: [String: String]
    /// The revisions that followed, in ascending order.
    package var revisions: [ClusterRevision]

    /// Makes a truth.
    package init(startRevision: Int64, start: [String: String], revisions: [ClusterRevision] = []) {
        (self.startRevision, self.start, self.revisions) = (startRevision, start, revisions)
    }

    /// The state after the last revision.
    package var final: [String: String] { table(atPosition: revisions.count) }

    /// The state after a number of revisions; the starting state for zero.
    package func table(atPosition position: Int) -> [String: String] {
        var table = start
        for revision in revisions.prefix(position) {
            for (key, value) in revision.events { table[key] = value }
        }
        return table
    }

    /// Finds the first revision whose number is not higher than that of its predecessor.
    ///
    /// Such a truth was read wrongly, and no check of it means anything.
    package func firstUnorderedRevision() -> Int64? {
        var last = startRevision
        for revision in revisions {
            guard revision.revision > last else { return revision.revision }
            last = revision.revision
        }
        return nil
    }
}
