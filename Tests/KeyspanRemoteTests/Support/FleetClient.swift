import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A client of a fleet, through its restarts, and its way to a random server.
final class FleetClient: RemoteTransport {
    private struct State {
        var isOffline = false
        /// Documents of its group that servers have sent before.
        var documents: [[UInt8]] = []
        var shown: [PropertyListTable] = []
        /// The number of starts: a store of before may still be about to call its observer.
        var starts = 0
        var store: RemoteStore?
        var observation: StoreObservation?
    }

    private let fleet: Fleet
    private let policy: RemoteStoreOptions.Activation
    private let cohort: String?
    private let isLive: Bool
    private let cache: String
    private let (clock, times) = (TestClock(), ManualClock())
    private let problems = Problems()
    private let state = Locked(State())

    init(_ fleet: Fleet, _ policy: RemoteStoreOptions.Activation, _ cohort: String?, isLive: Bool, cache: String) {
        (self.fleet, self.policy, self.cohort, self.isLive, self.cache) = (fleet, policy, cohort, isLive, cache)
    }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let (isOffline, documents) = state.withLock { ($0.isOffline, $0.documents) }
        let (server, fault) = fleet.route(documents)
        let transport = ScriptedTransport(to: isOffline ? nil : server?.publisher, [fault], clock: times)
        return try await transport.send(request)
    }

    @discardableResult
    func start() throws -> RemoteStore {
        let isAssigned = fleet.chance(2)
        let store = try problems.collect {
            try makeClient(
                of: fleet.servers[0],
                over: self,
                keys: Fleet.keys,
                verificationKeys: fleet.signingKeys.map(\.verificationKey),
                cache: cache,
                clock: clock,
                times: times
            ) {
                $0.activation = policy
                $0.group =
                    isAssigned
                    ? .assigned(to: ClientTraits(cohort: cohort, bucket: fleet.number(0..<3))) : .named(cohort ?? "all")
                $0.isLive = isLive
            }
        }
        let number = state.withLock { state in
            state.starts += 1
            state.store = store
            state.shown.append(store.snapshot())
            return state.starts
        }
        let observation = store.observe(.all, initial: false) { [weak self, weak store] _ in
            guard let self, let store else { return }
            state.withLock { if $0.starts == number { $0.shown.append(store.snapshot()) } }
        }
        state.withLock { $0.observation = observation }
        return store
    }

    private func stop(_ store: RemoteStore) async throws {
        try await store.synchronize()
        let observation = state.withLock { state in
            state.store = nil
            return state.observation.take()
        }
        observation?.cancel()
    }

    func step() async throws {
        guard let store = state.withLock(\.store) else {
            try start()
            return
        }
        let before = store.snapshot()
        // Requests after events are spread over a second.
        times.advance(by: .milliseconds(fleet.number(0..<2_000)))
        switch fleet.number(0..<15) {
        case 0..<5: await problems.collect { Task { _ = try? await store.fetch() } }.value
        case 5: store.isLive.toggle()
        case 6: state.withLock { $0.isOffline.toggle() }
        case 7:
            clock.advance(by: [-86_400, 86_400, 3_600][fleet.number(0..<3)])
            if abs(clock.now.timeIntervalSince(fleet.clock.now)) > 86_400 { setClock() }
        case 8, 9:
            if policy == .manually {
                store.activate()
                state.withLock { $0.shown.append(store.snapshot()) }
                return
            }
        case 10, 11:
            try await stop(store)
            if fleet.chance(2) { try start() }
            return
        case 12:
            if let document = try? fleet.route([]).server?.document(cohort ?? "all") {
                state.withLock { $0.documents.append(document) }
            }
        default: break
        }
        if policy != .immediately { #expect(store.snapshot() == before) }
    }

    private func setClock() { clock.advance(by: fleet.clock.now.timeIntervalSince(clock.now)) }

    /// Brings the client to the last state, over a network that is well.
    func settle() async throws {
        state.withLock { $0.isOffline = false }
        setClock()
        var store = if let store = state.withLock(\.store) { store } else { try start() }
        if store.isLive {
            // A damaged line can hide an event for as long as the stream is open, and a closed server asks for a long pause.
            store.isLive = false
            store.isLive = true
        } else {
            try await store.fetch()
        }
        let last = fleet.states(of: cohort).last ?? [:]
        let values = PropertyListDictionary(last.map { ($0.key, $0.value) })
        try await eventually("\(self) has the last state", store.engine.state.withLock(\.fetched)?.values) { found in
            times.advance(by: .seconds(1))
            return found == values
        }
        if policy == .manually { store.activate() }
        if policy == .onNextLaunch {
            try await stop(store)
            store = try start()
        }
        try await eventually("\(self) shows the last state", store.snapshot(), is: last)
        store.isLive = false
        try await stop(store)
        #expect(!problems.kinds.contains("cacheFailed"), "\(problems.values.map(\.description))")
    }

    /// The first state that the client must not have shown; `nil` if there is none.
    var mistake: String? {
        let states = fleet.states(of: cohort)
        var place = 0
        for table in state.withLock(\.shown) {
            guard let next = states[place...].firstIndex(of: table) else {
                let kind = states.contains(table) ? "an older state" : "a state of no variant of this client"
                return "\(self): \(kind): \(table) after \(states[place])"
            }
            place = next
        }
        return nil
    }
}

extension FleetClient: CustomStringConvertible {
    var description: String { "client \(policy) of cohort \(cohort ?? "-")\(isLive ? ", live" : "")" }
}
