#if Etcd
/// Puts the responses of a watch together to whole revisions.
struct RevisionAssembly: Sendable {
    /// All changes of one revision.
    struct Revision: Sendable {
        let number: Int64
        var events: [Etcdserverpb_Event]
    }

    private var fragments: [Etcdserverpb_Event] = []

    /// Takes a response.
    ///
    /// A response has whole revisions, in ascending order, unless it says that the next one continues it.
    ///
    /// - Returns: The revisions that are whole now.
    mutating func take(_ response: Etcdserverpb_WatchResponse) -> [Revision] {
        fragments += response.events
        if response.fragment { return [] }
        defer { fragments = [] }
        var revisions: [Revision] = []
        for event in fragments {
            if let last = revisions.indices.last, revisions[last].number == event.kv.modRevision {
                revisions[last].events.append(event)
            } else {
                revisions.append(Revision(number: event.kv.modRevision, events: [event]))
            }
        }
        return revisions
    }
}
#endif
