#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The last changes of a prefix that a mirror has: by them it recognizes the history of its cluster.
///
/// A listing shows each entry as of its last change, so it contributes the revisions at which the present entries have changed last.
struct RecentChanges: Sendable {
    /// The changes of one revision.
    struct Change: Sendable {
        let revision: Int64
        /// The keys that were changed then.
        var keys: [Data]
        /// About how many bytes a watch delivers for them.
        var size: Int
    }

    /// The most revisions.
    static let capacity = 16
    /// The most bytes that a watch delivers again, unless those of the last revision are more.
    static let largestSize = 1 << 18

    /// The changes in the order of their revisions.
    private(set) var changes: [Change] = []
    private var size = 0

    /// Notes the change of a key.
    mutating func note(_ key: Data, size: Int, at revision: Int64) {
        let position = changes.lastIndex { $0.revision <= revision }
        if let position, changes[position].revision == revision {
            changes[position].keys.append(key)
            changes[position].size += size
        } else {
            if position == nil, changes.count == Self.capacity { return }
            let change = Change(revision: revision, keys: [key], size: size)
            changes.insert(change, at: position.map { $0 + 1 } ?? 0)
        }
        self.size += size
        while changes.count > Self.capacity || self.size > Self.largestSize && changes.count > 1 {
            self.size -= changes.removeFirst().size
        }
    }
}
#endif
