import Dispatch
import Foundation
import KeyspanCore
import KeyspanTesting

@testable import KeyspanEtcd

/// A cluster of etcd in memory, whose members and connections fail as a test wants.
///
/// All members share one history, of which a member that lags shows less. Time is real, so tests use short timeouts.
final class SimulatedCluster: Sendable {
    /// How a member is.
    struct Member: Sendable {
        /// It refuses connections, and has lost those that it had.
        var isDown = false
        /// It answers nothing; what it receives happens when it goes on.
        var isFrozen = false
        /// It has no leader: it refuses calls and ends watches.
        var hasNoLeader = false
        /// The last revision that it has, if it lags behind the others.
        var appliedWhileLagging: Int64?
        /// Its watches deliver nothing more.
        var holdsWatches = false
        /// The last revision that its watches deliver then.
        var heldRevision: Int64?
        /// The transactions that it has received while it was frozen, and that nobody waits for.
        var backlog: [Etcdserverpb_TxnRequest] = []
    }

    /// Everything that changes.
    struct State: Sendable {
        var history = SimulatedHistory()
        var members: [Member]
        /// Addresses that the names of all members have too, and at which nobody answers.
        var deadHosts: [String] = []
        /// The faults of the next calls of each kind.
        var faults: [SimulatedCall: [SimulatedFault]] = [:]
        var chaos: SimulatedChaos?
        /// Transactions that happen when the test says so.
        var underWay: [Etcdserverpb_TxnRequest] = []
        /// The number of calls that happen after a while.
        var late = 0
        /// The history that a restore has thrown away.
        var lost: [SimulatedHistory.Revision] = []
        /// The largest page that a listing can have in the time of a call.
        var largestPage = Int64.max
        /// The number of sessions that a connection takes.
        var sessionLimit = Int.max
        /// The number of attempts to connect.
        var attempts = 0
        /// The number of the last connection, and those that were ended.
        var lastConnection = 0
        var ended: Set<Int> = []
        /// The last connection that an earlier restore or break has ended.
        var lastBroken = 0
        /// The number of connections that members that are down have refused.
        var refusedConnections = 0
        /// The number of times that progress was announced.
        var announcements = 0
        /// The number of removals that watches leave out.
        var hiddenRemovals = 0
        /// How many responses the watches still break in the middle.
        var breaksBetweenEvents = 0
        /// The calls that were made, in their order.
        var calls: [SimulatedCall] = []

        /// The last revision that a member has.
        func applied(by member: Int) -> Int64 {
            min(members[member].appliedWhileLagging ?? .max, history.revision)
        }

        /// The last revision that the watches of a member deliver.
        func delivered(by member: Int) -> Int64 {
            min(members[member].heldRevision ?? .max, applied(by: member))
        }

        /// Whether a connection has ended.
        func isOver(_ connection: Int, to member: Int) -> Bool {
            members[member].isDown || connection <= lastBroken || ended.contains(connection)
        }
    }

    let state: WatchedState<State>

    /// Makes a cluster without entries.
    init(members: Int = 1) {
        state = WatchedState(State(members: Array(repeating: Member(), count: members)))
    }

    /// The addresses of the members.
    var endpoints: [Endpoint] {
        (0..<state.read(\.members.count)).compactMap { Endpoint("member\($0):2379") }
    }

    // MARK: - Faults

    /// Lets something go wrong with the next calls of a kind, one after the other.
    func inject(_ faults: SimulatedFault..., into call: SimulatedCall) { inject(faults, into: call) }

    func inject(_ faults: [SimulatedFault], into call: SimulatedCall) {
        state.change { $0.faults[call, default: []] += faults }
    }

    /// Lets calls fail by chance, or no longer.
    func setChaos(_ chaos: SimulatedChaos?) {
        state.change { $0.chaos = chaos }
    }

    /// Changes a member, or all.
    func change(member: Int? = nil, _ body: @Sendable (inout Member) -> Void) {
        state.change { state in
            for index in state.members.indices where member == nil || member == index {
                body(&state.members[index])
                let held = state.members[index].heldRevision ?? state.history.revision
                state.members[index].heldRevision = state.members[index].holdsWatches ? held : nil
            }
            state.runBacklogs()
        }
    }

    /// Lets a member lag behind what the cluster has now, or catch up.
    func setLagging(_ isLagging: Bool, member: Int? = nil) {
        state.change { state in
            for index in state.members.indices where member == nil || member == index {
                state.members[index].appliedWhileLagging = isLagging ? state.history.revision : nil
            }
        }
    }

    /// Ends all connections.
    func breakConnections() {
        state.change { $0.lastBroken = $0.lastConnection }
    }

    /// Lets everything happen that is under way.
    func deliverWhatIsUnderWay() {
        state.change { state in
            for request in state.underWay { _ = try? state.history.commit(request) }
            state.underWay = []
        }
    }

    /// Goes back to an earlier revision, as another cluster or under the same number.
    func restore(to revision: Int64, cluster: UInt64) {
        state.change { state in
            state.lost += state.history.revisions.filter { $0.number > revision }
            state.history.restore(to: revision, cluster: cluster)
            state.underWay = []
            state.lastBroken = state.lastConnection
            for index in state.members.indices { state.members[index].backlog = [] }
        }
    }

    /// Ends all faults.
    func heal() {
        state.change { state in
            (state.chaos, state.faults, state.hiddenRemovals, state.breaksBetweenEvents) = (nil, [:], 0, 0)
            for index in state.members.indices {
                let backlog = state.members[index].backlog
                state.members[index] = Member()
                state.members[index].backlog = backlog
            }
            state.runBacklogs()
        }
    }

    // MARK: - What people do with etcdctl

    /// Writes a text, as `etcdctl put` does.
    @discardableResult
    func put(_ text: String, forKey key: String) -> Int64 {
        run([.put(Data(text.utf8), forKey: Data(key.utf8), lease: 0)])
    }

    /// Removes a key, as `etcdctl del` does.
    @discardableResult
    func remove(_ key: String) -> Int64 {
        run([.deletion(from: Data(key.utf8), to: Data())])
    }

    /// Writes or removes several keys at once.
    @discardableResult
    func run(_ operations: [Etcdserverpb_RequestOp]) -> Int64 {
        var request = Etcdserverpb_TxnRequest()
        request.success = operations
        return state.change { [request] state in
            let response = try? state.history.commit(request)
            precondition(response != nil, "a transaction of the test is refused")
            return state.history.revision
        }
    }

    /// Compacts the history up to a revision, or to the present one.
    func compact(to revision: Int64? = nil) {
        state.change { state in state.history.compact(to: revision ?? state.history.revision) }
    }

    /// Lets all watches that have delivered everything say so.
    func announceProgress() {
        state.change { $0.announcements += 1 }
    }

    // MARK: - The truth

    /// The history.
    var history: SimulatedHistory { state.read(\.history) }

    /// The texts of the entries with a prefix, except the markers of stores, by the rest of their names.
    func texts(prefix: String) -> [String: String] {
        let space = KeySpace(prefix: prefix)
        return history.entries.values.reduce(into: [:]) { found, entry in
            guard entry.key.starts(with: space.prefix), case .entry(let name) = space.name(of: entry.key) else {
                return
            }
            found[name] = String(decoding: entry.value, as: UTF8.self)
        }
    }

    /// The number of revisions that wrote a text, those that a restore has thrown away among them.
    func count(ofWritesOf text: String) -> Int {
        let text = Data(text.utf8)
        return state.read { $0.history.revisions + $0.lost }.count { revision in
            revision.events.contains { $0.type == .put && $0.kv.value == text }
        }
    }

    /// The number of calls of a kind so far.
    func count(of call: SimulatedCall) -> Int {
        state.read { state in state.calls.count { $0 == call } }
    }
}

extension SimulatedCluster.State {
    /// The fault of a call, which is counted.
    mutating func nextFault(for call: SimulatedCall) -> SimulatedFault? {
        calls.append(call)
        if var planned = faults[call], !planned.isEmpty {
            let fault = planned.removeFirst()
            faults[call] = planned
            return fault
        }
        return chaos?.fault(for: call)
    }

    /// Lets what frozen members have received happen, of those that go on.
    mutating func runBacklogs() {
        for index in members.indices where !members[index].isFrozen {
            for request in members[index].backlog { _ = try? history.commit(request) }
            members[index].backlog = []
        }
    }
}
