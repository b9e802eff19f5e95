#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The proof that a member has the history of which a mirror is, by changes that a watch delivers once more.
///
/// A cluster that was restored from a backup has the revisions of the mirror again, with other changes, and often the same cluster id. So
/// the watch of a new connection begins at the first of the mirror's recent changes. The history is the same if it has a change at each
/// revision of these, and if all changes up to the mirror's revision, one after the other, lead to the entries that the mirror has.
struct HistoryProof: Sendable {
    /// A change shows that the member has another history.
    struct Refutation: Error {}

    /// The first revision of the watch.
    let start: Int64
    /// The mirror's changes from there on; `nil` once the proof is complete.
    private var recent: [RecentChanges.Change]?
    /// The last change of each key that was delivered.
    private var delivered = ClusterKeys<Etcdserverpb_Event>()
    private var lastDelivered: Int64 = 0

    /// Begins a proof for a mirror; `nil` if the mirror has no changes to prove it by.
    init?(of mirror: Mirror) {
        guard let first = mirror.recent.changes.first else { return nil }
        (start, recent) = (first.revision, mirror.recent.changes)
    }

    /// Makes the complete proof for a mirror that was listed or compared on the same connection.
    ///
    /// - Parameter revision: The revision of the mirror, with which the watch begins.
    init(provenAt revision: Int64) {
        (start, recent) = (revision, nil)
    }

    /// Whether the history is that of the mirror.
    var isComplete: Bool { recent == nil }

    /// Takes the changes of a revision that the mirror has.
    ///
    /// - Throws: ``Refutation`` if the mirror does not have that change, though all before it.
    mutating func take(_ revision: RevisionAssembly.Revision) throws(Refutation) {
        guard recent != nil else {
            if revision.number == start { return }
            throw Refutation()
        }
        for event in revision.events { delivered[event.kv.key] = event }
        lastDelivered = revision.number
    }

    /// Completes the proof if the last change of the mirror was delivered.
    ///
    /// - Parameter isRequired: Whether changes after those of the mirror arrive, so that none before them is missing.
    /// - Throws: ``Refutation`` if the changes do not lead to the entries of the mirror.
    mutating func conclude(over mirror: Mirror, isRequired: Bool) throws(Refutation) {
        guard let recent, let last = recent.last else { return }
        guard lastDelivered >= last.revision else {
            if isRequired { throw Refutation() }
            return
        }
        for change in recent {
            for key in change.keys where mirror.version(of: key)?.revision == change.revision {
                if delivered[key]?.kv.modRevision != change.revision { throw Refutation() }
            }
        }
        for (key, event) in delivered {
            let agrees = event.type == .delete ? mirror.version(of: key) == nil : mirror.has(event.kv)
            if !agrees { throw Refutation() }
        }
        (self.recent, delivered) = (nil, ClusterKeys())
    }
}
#endif
