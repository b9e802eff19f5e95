import Foundation

@testable import KeyspanEtcd

/// The watches of a connection.
extension SimulatedConnection {
    /// How often a member that answers nothing is asked whether it is there, in calls' timeouts.
    private static var patience: Int { 3 }

    func watch(
        _ request: Etcdserverpb_WatchCreateRequest,
        _ receive: @escaping @Sendable (Etcdserverpb_WatchResponse) throws(CallError) -> Void
    ) async throws(CallError) -> Never {
        if case .fails(let kind)? = state.change({ $0.nextFault(for: .watch) }) { throw error(kind, "fault") }
        try await reach(until: .now + timeout, nil)
        var response = Etcdserverpb_WatchResponse()
        var announcements: Int
        (response.header, announcements) = state.read {
            ($0.history.header(at: $0.applied(by: member)), $0.announcements)
        }
        response.created = true
        try receive(response)
        var next = request.startRevision > 0 ? request.startRevision : response.header.revision + 1
        while true {
            try await waitForNews(after: next, announcements)
            let delivery = state.change { state in
                state.delivery(to: request, from: next, after: announcements, by: member)
            }
            for response in delivery.responses { try receive(response) }
            if delivery.isBroken { throw error(.unavailable, "the watch has ended") }
            (next, announcements) = (delivery.last + 1, delivery.announcements)
        }
    }

    /// Waits until a watch has something to deliver.
    private func waitForNews(after next: Int64, _ announcements: Int) async throws(CallError) {
        let (number, member) = (number, member)
        _ = await state.wait { state in
            let present = state.members[member]
            if state.isOver(number, to: member) || present.isFrozen || present.hasNoLeader { return true }
            if state.delivered(by: member) >= next { return true }
            return !present.holdsWatches && state.announcements > announcements
        }
        try checkConnection()
        let isGoingOn = await state.wait(upTo: timeout * Self.patience) { state in
            state.isOver(number, to: member) || !state.members[member].isFrozen
        }
        try checkConnection()
        if !isGoingOn { throw error(.unavailable, "keepalive timeout") }
        if state.read({ $0.members[member].hasNoLeader }) { throw error(.busy, "etcdserver: no leader") }
    }
}

/// A part of the history that a watch delivers at once.
private struct WatchDelivery {
    var responses: [Etcdserverpb_WatchResponse] = []
    /// The last revision that the watch has delivered then.
    var last: Int64
    /// The announcements of progress that it has delivered then.
    var announcements: Int
    /// Whether the watch breaks after it.
    var isBroken = false
}

extension SimulatedCluster.State {
    /// The most revisions that a member of etcd delivers in one response.
    private static var mostRevisions: Int { 1000 }

    /// Takes the part that a watch delivers next.
    fileprivate mutating func delivery(
        to request: Etcdserverpb_WatchCreateRequest,
        from next: Int64,
        after announcements: Int,
        by member: Int
    ) -> WatchDelivery {
        let applied = delivered(by: member)
        var delivery = WatchDelivery(last: next - 1, announcements: announcements)
        var response = Etcdserverpb_WatchResponse()
        if applied >= next, next < history.compacted {
            response.header = history.header(at: applied)
            (response.canceled, response.compactRevision) = (true, history.compacted)
            (delivery.responses, delivery.isBroken) = ([response], true)
            return delivery
        }
        let style = chaos?.style() ?? (revisions: Self.mostRevisions, isFragmented: false, breaks: false)
        var count = 0
        for revision in history.revisions where revision.number >= next && revision.number <= applied {
            let events = visibleEvents(of: revision, to: request)
            delivery.last = revision.number
            response.events += events
            if !events.isEmpty { count += 1 }
            if count == style.revisions { break }
        }
        response.header = history.header(at: applied)
        if count == 0 {
            delivery.last = max(delivery.last, applied)
            guard self.announcements > announcements, !members[member].holdsWatches else { return delivery }
            (delivery.responses, delivery.announcements) = ([response], self.announcements)
            return delivery
        }
        let breaks = breaksBetweenEvents > 0 && response.events.count > 1
        if breaks { breaksBetweenEvents -= 1 }
        delivery.isBroken = breaks || style.breaks
        delivery.responses = response.split(isFragmented: style.isFragmented, breaks: delivery.isBroken)
        return delivery
    }

    private mutating func visibleEvents(
        of revision: SimulatedHistory.Revision,
        to request: Etcdserverpb_WatchCreateRequest
    ) -> [Etcdserverpb_Event] {
        var events = revision.events.filter { $0.kv.key.isIn(request.key, request.rangeEnd) }
        while hiddenRemovals > 0, let index = events.firstIndex(where: { $0.type == .delete }) {
            events.remove(at: index)
            hiddenRemovals -= 1
        }
        return events
    }
}

extension Etcdserverpb_WatchResponse {
    /// The response in two fragments, or only the first one of them if the watch breaks between them.
    fileprivate func split(isFragmented: Bool, breaks: Bool) -> [Etcdserverpb_WatchResponse] {
        guard events.count > 1, isFragmented || breaks else { return [self] }
        var (first, second) = (self, self)
        first.fragment = true
        (first.events, second.events) = (Array(events[..<(events.count / 2)]), Array(events[(events.count / 2)...]))
        return breaks ? [first] : [first, second]
    }
}
