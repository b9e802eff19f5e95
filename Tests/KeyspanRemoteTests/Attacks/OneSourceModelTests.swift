import Foundation
import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// One source whose key is exchanged now and then, clients that ask by themselves, and a network that also mixes the documents
/// of groups and repeats old ones.
@Suite(.bounded, .seeded)
struct OneSourceModelTests {
    private static let rounds = TestLevel.current.pick(3, thorough: 60)
    private static let steps = TestLevel.current.pick(150, thorough: 500)

    @Test func `clients show states of their group in order, and the last one in the end`() async throws {
        for seed in SeededGenerator.seeds(Self.rounds) {
            let (source, folder) = (try Source(seed: seed), try TemporaryFolder())
            var clients: [SourceClient] = []
            for (number, policy) in [RemoteStoreOptions.Activation.immediately, .onNextLaunch, .manually].enumerated() {
                for group in ["all", "beta", nil] {
                    let cache = folder.path("\(number)-\(group ?? "assigned")")
                    clients.append(SourceClient(source, policy, group, cache: cache))
                }
            }
            for _ in 0..<Self.steps {
                try source.step()
                try await clients[source.number(0..<clients.count)].step()
                if source.number(0..<3) == 0 { await Task.yield() }
            }
            try source.settle()
            for client in clients { try await client.settle() }
            for client in clients {
                try #require(client.mistakes.values.isEmpty, "seed \(seed): \(client.mistakes.values)")
            }
        }
    }
}

/// The source: stores whose states have numbers, and the publisher of the present key.
private final class Source: Sendable {
    struct State: Sendable {
        var random: SeededGenerator
        var server: TestServer
        var rank = 0
        var assigned = "all"
        var isStormy = true
        /// All documents of before, also of other groups.
        var documents: [[UInt8]] = []
        /// The values of groups at each number.
        var tables: [[String: PropertyListTable]] = []
    }

    static let keys: [Defaults.AnyKey] = ["number", "left", "right"].map {
        Defaults.Key<Int?>($0).published() as Defaults.AnyKey
    }

    let signingKeys: [SigningKey]
    let (clock, times) = (TestClock(), ManualClock())
    let base = InMemoryStore()
    let beta = InMemoryStore()
    private let host = Host()
    private let assignment: Recorder<String>
    private let state: Locked<State>

    /// The number of the present state, which waits while the stores are between two states.
    private final class Host: Sendable {
        let lock = NSRecursiveLock()
        let number = HostNumber(0)
    }

    init(seed: UInt64) throws {
        signingKeys = try ["a", "b", "c", "d"].map { try .generate(id: $0) }
        assignment = Recorder()
        let server = try Self.server(signingKeys[0], clock, beta, host, assignment)
        state = Locked(State(random: SeededGenerator(seed: seed), server: server))
        try write()
    }

    private static func server(
        _ key: SigningKey,
        _ clock: TestClock,
        _ beta: InMemoryStore,
        _ host: Host,
        _ assignment: Recorder<String>
    ) throws -> TestServer {
        var options = SettingsPublisherOptions()
        options.revisions = .numbered { host.lock.withLock { host.number.value } }
        options.heartbeat = .milliseconds(10)
        return try TestServer(key: key, keys: keys, clock: clock, groups: ["beta": [beta]], options: options) { _ in
            assignment.values.last ?? "all"
        }
    }

    var server: TestServer { state.withLock(\.server) }
    var assigned: String { assignment.values.last ?? "all" }
    var tables: [[String: PropertyListTable]] { state.withLock(\.tables) }

    func number(_ range: Range<Int>) -> Int { state.withLock { .random(in: range, using: &$0.random) } }

    func advance(by seconds: Int) {
        clock.advance(by: Double(seconds))
        times.advance(by: .seconds(seconds))
    }

    /// Writes the next state; the host has no number while the stores are between two states.
    private func write() throws {
        let next = tables.count
        let server = server
        host.lock.lock()
        defer { host.lock.unlock() }
        host.number.value = -1
        if number(0..<2) == 0 {
            let value: PropertyListValue? = number(0..<3) == 0 ? nil : .number(number(0..<5))
            var batch = PropertyListBatch()
            batch.set(value, forKey: "left")
            try beta.apply(batch)
        }
        host.number.value = Int64(next)
        try server.set(["number": .number(next), "left": .number(number(0..<5)), "right": .number(next % 3)])
        let all = server.base.snapshot()
        var other = all
        if let left = beta.value(forKey: "left") { other["left"] = left }
        state.withLock { $0.tables.append(["all": all, "beta": other]) }
    }

    func step() throws {
        switch number(0..<16) {
        case 0..<6: try write()
        case 6: server.publisher.refreshGroups()
        case 7:
            assignment.record(number(0..<2) == 0 ? "all" : "beta")
            server.publisher.refreshGroups()
        case 8 where number(0..<4) == 0: try rotate()
        case 9: keepDocuments()
        default: advance(by: [1, 5, 60, 90, 600, 4_000][number(0..<6)])
        }
    }

    /// Signs with the next key, in a new process.
    private func rotate() throws {
        let (old, rank) = state.withLock { state in
            state.rank = min(state.rank + 1, 3)
            return (state.server, state.rank)
        }
        keepDocuments()
        let new = try Self.server(signingKeys[rank], clock, beta, host, assignment)
        try new.set(Dictionary(uniqueKeysWithValues: old.base.snapshot().map { ($0.key, $0.value) }))
        state.withLock { $0.server = new }
        if number(0..<2) == 0 { old.publisher.close() }
    }

    private func keepDocuments() {
        let found = ["all", "beta"].compactMap { try? server.document($0) }
        state.withLock { $0.documents += found }
    }

    func settle() throws {
        state.withLock { $0.isStormy = false }
        try write()
        server.publisher.refreshGroups()
    }

    var fault: ScriptedTransport.Fault {
        state.withLock { state in
            if !state.isStormy { return .none }
            switch Int.random(in: 0..<18, using: &state.random) {
            case 0: return .unreachable
            case 1:
                let status = [304, 400, 412, 429, 500, 503, 404, 999, 0].randomElement(using: &state.random) ?? 500
                return .status(status, [.retryAfter: "\(Int.random(in: 0..<5_000, using: &state.random))"])
            case 2: return .cut(after: .random(in: 0..<900, using: &state.random), throwing: true)
            case 3: return .cut(after: .random(in: 0..<900, using: &state.random), throwing: false)
            case 4: return .drip(.random(in: 1...50, using: &state.random))
            case 5: return .flip(at: .random(in: 0..<900, using: &state.random))
            case 6: return .silence
            case 7, 8: return state.documents.randomElement(using: &state.random).map { .body($0) } ?? .none
            default: return .none
            }
        }
    }
}

/// A client through its restarts.
private final class SourceClient: RemoteTransport {
    private struct State {
        var store: RemoteStore?
        var observation: StoreObservation?
        var last: Int64 = -1
    }

    private let source: Source
    private let policy: RemoteStoreOptions.Activation
    private let group: String?
    private let cache: String
    private let state = Locked(State())
    let mistakes = Recorder<String>()
    private let problems = Problems()

    init(_ source: Source, _ policy: RemoteStoreOptions.Activation, _ group: String?, cache: String) {
        (self.source, self.policy, self.group, self.cache) = (source, policy, group, cache)
    }

    func send(_ request: HTTPRequest) async throws -> (head: HTTPResponse, body: Body) {
        let transport = ScriptedTransport(to: source.server.publisher, [source.fault], clock: source.times)
        return try await transport.send(request)
    }

    private func start() throws -> RemoteStore {
        let isLive = source.number(0..<2) == 0
        let store = try problems.collect {
            try makeClient(
                of: source.server,
                over: self,
                keys: Source.keys,
                verificationKeys: source.signingKeys.map(\.verificationKey),
                cache: cache,
                clock: source.clock,
                times: source.times
            ) {
                $0.activation = policy
                $0.group = group.map { .named($0) } ?? .assigned(to: ClientTraits(cohort: "x"))
                $0.polling = .every(.seconds(60))
                $0.isLive = isLive
            }
        }
        look(store.snapshot())
        let observation = store.observe(.all, initial: false) { [weak self, weak store] _ in
            if let self, let store, state.withLock({ $0.store === store }) { look(store.snapshot()) }
        }
        state.withLock { ($0.store, $0.observation) = (store, observation) }
        return store
    }

    /// Looks at the values that the client shows.
    private func look(_ table: PropertyListTable) {
        if table == [:], state.withLock({ $0.last < 0 }) { return }
        guard case .integer(let integer)? = table["number"], let number = integer.int64 else {
            return mistakes.record("\(self) shows \(table)")
        }
        let last = state.withLock { state in
            defer { state.last = max(state.last, number) }
            return state.last
        }
        // Another look may have been faster.
        if number < last, state.withLock(\.store)?.snapshot()["number"] == .number(Int(number)) {
            mistakes.record("\(self) shows \(number) after \(last)")
        }
        let tables = source.tables
        guard tables.indices.contains(Int(number)) else { return }
        let groups = group.map { [$0] } ?? ["all", "beta"]
        if !groups.contains(where: { tables[Int(number)][$0] == table }) {
            mistakes.record("\(self) shows \(table), and \(number) is \(tables[Int(number)])")
        }
    }

    func step() async throws {
        guard let store = state.withLock(\.store) else {
            _ = try start()
            return
        }
        switch source.number(0..<8) {
        case 0: await problems.collect { Task { _ = try? await store.fetch() } }.value
        case 1: store.isLive.toggle()
        case 2, 3:
            if policy == .manually { store.activate() }
            look(store.snapshot())
        case 4: try await stop(store)
        default:
            let (status, now) = (store.status, source.clock.now)
            guard status.staleSince == nil, let proof = status.lastProof else { return }
            if now.timeIntervalSince(proof) > 5_400 { mistakes.record("\(self) is fresh after \(status) at \(now)") }
        }
    }

    private func stop(_ store: RemoteStore) async throws {
        try await store.synchronize()
        let observation = state.withLock { state in
            state.store = nil
            return state.observation.take()
        }
        observation?.cancel()
    }

    func settle() async throws {
        var store = try state.withLock(\.store) ?? start()
        let last = source.tables.last?[group ?? source.assigned] ?? [:]
        let values = PropertyListDictionary(last.map { ($0.key, $0.value) })
        try await eventually("\(self) has the last state", store.engine.state.withLock(\.fetched)?.values) {
            source.advance(by: 60)
            return $0 == values
        }
        if policy == .manually { store.activate() }
        if policy == .onNextLaunch {
            try await stop(store)
            store = try start()
        }
        try await eventually("\(self) shows the last state", store.snapshot(), is: last)
        // The time that passed may have ended a request.
        try await store.fetch()
        #expect(store.status.staleSince == nil, "\(self): \(store.status)")
        look(store.snapshot())
        try await stop(store)
    }
}

extension SourceClient: CustomStringConvertible {
    var description: String { "client \(policy) of \(group ?? "the assigned group")" }
}
