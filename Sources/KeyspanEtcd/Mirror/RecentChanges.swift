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

    /// The last change of a key.
    struct KeyChange: Sendable {
        let key: Data
        let revision: Int64
        let size: Int
    }

    /// The most revisions.
    static let capacity = 16
    /// The most keys.
    static let keyCapacity = 100
    /// The most bytes that a member sends once more, unless those of the last revision are more.
    static let largestSize = 1 << 18
    /// The most revisions between the first and the last change of a listing, which shows nothing of what happened between them: a member
    /// delivers them once more, and 1,000 at once.
    static let longestSpan: Int64 = 900

    /// The changes of the last revisions, in their order.
    private(set) var changes: [Change] = []
    private var size = 0
    /// The keys that have changed last, in the order of their changes; others may have changed several times since.
    private var keys: [KeyChange] = []

    /// The keys that have changed last, up to a number and to the size of what a member sends once more.
    func lastKeys(upTo count: Int) -> [Data] {
        var size = 0
        // A large entry leaves the smaller ones before it in, by which another history shows as well.
        return keys.suffix(count).reversed().filter { change in
            guard size + change.size <= Self.largestSize else { return false }
            size += change.size
            return true
        }.map(\.key)
    }

    /// Notes the change of a key.
    ///
    /// - Parameter isListed: Whether it is the only change of the key, as in a listing.
    mutating func note(_ key: Data, size: Int, at revision: Int64, isListed: Bool = false) {
        noteRevision(revision, of: key, size: size)
        if isListed, let last = changes.last {
            while let first = changes.first, last.revision - first.revision > Self.longestSpan {
                self.size -= changes.removeFirst().size
            }
        }
        if keys.count == Self.keyCapacity, let first = keys.first, first.revision > revision { return }
        if !isListed { keys.removeAll { $0.key == key } }
        let position = keys.lastIndex { $0.revision <= revision }.map { $0 + 1 } ?? 0
        keys.insert(KeyChange(key: key, revision: revision, size: size), at: position)
        if keys.count > Self.keyCapacity { keys.removeFirst() }
    }

    private mutating func noteRevision(_ revision: Int64, of key: Data, size: Int) {
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
