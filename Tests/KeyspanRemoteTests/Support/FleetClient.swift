import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A way to a random server, with the faults of a network.
struct FleetTransport: RemoteTransport {
    let fleet: Fleet
    let isOffline: Shared<Bool>

    func send(_ request: RemoteTransportRequest) async throws -> RemoteTransportResponse {
        let (replica, isStormy) = fleet.state.withLock { ($0.replicas.randomElement(), $0.isStormy) }
        guard let replica, !isOffline.withLock({ $0 }) else { throw ScriptedTransport.Failure() }
        let transport = ScriptedTransport(to: replica.server.publisher)
        if isStormy {
            switch Int.random(in: 0..<16) {
            case 0: transport.fail(.unreachable)
            case 1: transport.fail(.status([304, 429, 500, 503, 404].randomElement() ?? 500))
            case 2: transport.fail(.cut(after: .random(in: 0..<1_500), throwing: true))
            case 3: transport.fail(.cut(after: .random(in: 0..<1_500), throwing: false))
            case 4: transport.fail(.drip(.random(in: 1...50)))
            case 5: transport.fail(.flip(at: .random(in: 0..<1_500)))
            default: break
            }
        }
        return try await transport.send(request)
    }
}

/// A client, through its restarts.
final class FleetClient {
    private let fleet: Fleet
    private let policy: RemoteStoreOptions.Activation
    private let cohort: String?
    private let isLive: Bool
    private let cache: String
    private let clock = TestClock()
    private let isOffline = Shared(false)
    private let shown = Shared<[PropertyListTable]>([])
    /// The number of starts: a store of before may still be about to call its observer.
    private let starts = Shared(0)
    private var store: RemoteStore?
    private var observation: StoreObservation?
    private let problems = Problems()

    init(_ fleet: Fleet, _ policy: RemoteStoreOptions.Activation, _ cohort: String?, isLive: Bool, cache: String) {
        (self.fleet, self.policy, self.cohort, self.isLive, self.cache) = (fleet, policy, cohort, isLive, cache)
    }

    func start() throws {
        let number = starts.withLock { starts in
            starts += 1
            return starts
        }
        let store = try problems.collect {
            try makeClient(
                of: fleet.state.withLock { $0.replicas[0].server },
                over: FleetTransport(fleet: fleet, isOffline: isOffline),
                keys: RemoteFleetModelTests.keys,
                verificationKeys: fleet.keys.map(\.verificationKey),
                cache: cache,
                clock: clock
            ) {
                $0.activation = policy
                $0.client = RemoteClient(cohort: cohort, bucket: .random(in: 0..<3))
                $0.isLive = isLive
                $0.idleTimeout = .milliseconds(500)
            }
        }
        self.store = store
        note(store.snapshot())
        observation = store.observe(.all, initial: false) { [shown, starts, weak store] _ in
            guard let store else { return }
            starts.withLock { if $0 == number { shown.withLock { $0.append(store.snapshot()) } } }
        }
    }

    private func note(_ table: PropertyListTable) { shown.withLock { $0.append(table) } }

    func step() async throws {
        guard let store else { return try start() }
        let before = store.snapshot()
        switch Int.random(in: 0..<14) {
        case 0..<5: await problems.collect { [store] in Task { _ = try? await store.fetch() } }.value
        case 5: store.isLive.toggle()
        case 6: isOffline.withLock { $0.toggle() }
        case 7:
            clock.advance(by: [-86_400, 86_400, 3_600].randomElement() ?? 0)
            if abs(clock.now.timeIntervalSince(fleet.clock.now)) > 86_400 {
                clock.advance(by: fleet.clock.now.timeIntervalSince(clock.now))
            }
        case 8, 9:
            if policy == .manually {
                store.activate()
                note(store.snapshot())
                return
            }
        case 10, 11:
            try await store.synchronize()
            observation?.cancel()
            (self.store, observation) = (nil, nil)
            if Bool.random() { try start() }
            return
        default: break
        }
        if policy != .immediately { #expect(store.snapshot() == before) }
    }

    func settle() async throws {
        isOffline.withLock { $0 = false }
        clock.advance(by: fleet.clock.now.timeIntervalSince(clock.now))
        if store == nil { try start() }
        // A damaged line can hide an event for as long as the stream is open, and a closed server asks for a long pause.
        if let store, store.isLive {
            store.isLive = false
            store.isLive = true
        }
        let last = fleet.states(of: cohort).last ?? [:]
        var tries = 0
        while store?.snapshot() != last, tries < 400 {
            tries += 1
            if store?.isLive != true || tries > 300 { _ = try? await store?.fetch() }
            if policy == .manually { _ = store?.activate() }
            if policy == .onNextLaunch, tries % 20 == 0, let store {
                try await store.synchronize()
                observation?.cancel()
                (self.store, observation) = (nil, nil)
                try start()
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        let status = store?.status.description ?? ""
        #expect(
            store?.snapshot() == last,
            "\(policy) \(cohort ?? "-") live \(store?.isLive == true): \(status); \(store?.snapshot() as Any) instead of \(last)"
        )
        #expect(tries <= 300, "\(policy) \(cohort ?? "-") only by a fetch: \(status)")
        store?.isLive = false
        try await store?.synchronize()
        observation?.cancel()
        #expect(!problems.kinds.contains("cacheFailed"), "\(problems.all.map(\.description))")
    }

    func check() {
        let states = fleet.states(of: cohort)
        var place = 0
        for table in shown.withLock { $0 } {
            #expect(table["left"] == table["right"], "torn: \(table)")
            guard let next = states[place...].firstIndex(of: table) else {
                let kind = states.contains(table) ? "an older state" : "a state of no variant of this client"
                Issue.record("\(kind): \(table) after \(states[place]) \(policy) \(cohort ?? "-")")
                return
            }
            place = next
        }
    }
}
