import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting

@testable import KeyspanRemote

/// A source of settings, and servers that follow it, each as far as it has come.
final class Fleet: Sendable {
    enum Kind: CaseIterable {
        /// One server, which numbers its states by its clock; no state comes back.
        case oneServer
        /// Servers that give each state the number of the source, and start anew.
        case severalServers
        /// The same, and no state comes back.
        case severalServersOfUniqueStates
    }

    struct Operation: Sendable {
        let store: Int
        let batch: PropertyListBatch
    }

    private struct State {
        var random: SeededGenerator
        var operations: [Operation] = []
        var replicas: [Replica] = []
        var isStormy = true
        /// The number of operations at the change of the key, behind which no server of the later key lags.
        var rotation: Int?
    }

    /// `left` and `right` are written together; `number` differs in each state of a source whose states do not come back.
    static let names = ["left", "right", "number", "extra"]
    static let keys: [Defaults.AnyKey] = names.map { Defaults.Key<Int?>($0).published() as Defaults.AnyKey }

    let kind: Kind
    let signingKeys: [SigningKey]
    let clock = TestClock()
    private let state: Locked<State>

    init(_ kind: Kind, seed: UInt64) throws {
        self.kind = kind
        signingKeys = [try .generate(id: "a"), try .generate(id: "b")]
        let (keys, clock) = (signingKeys, clock)
        let replicas = try (0..<(kind == .oneServer ? 1 : 3)).map { _ in
            try Replica(key: keys[0], clock: clock, isNumbered: kind != .oneServer)
        }
        state = Locked(State(random: SeededGenerator(seed: seed), replicas: replicas))
    }

    var servers: [TestServer] { state.withLock { $0.replicas.map(\.server) } }

    /// Makes a random choice.
    func random<Value>(_ choose: (inout SeededGenerator) -> Value) -> Value {
        state.withLock { choose(&$0.random) }
    }

    func chance(_ part: Int) -> Bool { random { .random(in: 0..<part, using: &$0) } == 0 }

    func number(_ range: Range<Int>) -> Int { random { .random(in: range, using: &$0) } }

    /// The server of the next request, and what happens to the request.
    func route(_ documents: [[UInt8]]) -> (server: TestServer?, fault: ScriptedTransport.Fault) {
        state.withLock { state in
            let server = state.replicas.randomElement(using: &state.random)?.server
            return (server, state.isStormy ? .random(documents, using: &state.random) : .none)
        }
    }

    /// Changes something at the source, at a server, or about the time.
    func step() throws {
        switch number(0..<12) {
        case 0..<6:
            write()
            advance(number(0..<servers.count), by: 2)
        case 6..<9: advance(number(0..<servers.count), by: number(1..<7))
        case 9 where kind != .oneServer:
            if chance(8) { try rotate() } else { try restart(number(0..<servers.count)) }
        case 9, 10: servers[number(0..<servers.count)].publisher.refreshGroups()
        default: clock.advance(by: Double(number(0..<7_200)))
        }
    }

    private func write() {
        let store = number(0..<3)
        var batch = PropertyListBatch()
        let value: PropertyListValue? = store > 0 && chance(3) ? nil : .number(number(0..<4))
        batch.set(value, forKey: "left")
        batch.set(value, forKey: "right")
        if chance(2) { batch.set(.number(number(0..<3)), forKey: "extra") }
        state.withLock { state in
            state.operations.append(Operation(store: store, batch: batch))
            if kind == .severalServers { return }
            let number = PropertyListBatch(.set(.number(state.operations.count), key: "number"))
            state.operations.append(Operation(store: 0, batch: number))
        }
    }

    /// Changes the key of all servers, each of which has the last state then: the later key outranks all revisions.
    private func rotate() throws {
        let isFirst = state.withLock { state in
            defer { state.rotation = state.rotation ?? state.operations.count }
            return state.rotation == nil
        }
        if isFirst { for index in servers.indices { try restart(index) } }
    }

    private func restart(_ index: Int) throws {
        let rotation = state.withLock(\.rotation)
        let replica = try Replica(key: signingKeys[rotation == nil ? 0 : 1], clock: clock, isNumbered: true)
        let applied = chance(2) ? 0 : state.withLock { $0.replicas[index].applied }
        catchUp(replica, to: max(applied, rotation ?? 0))
        let old = state.withLock { state in
            defer { state.replicas[index] = replica }
            return state.replicas[index]
        }
        if chance(2) { old.server.publisher.close() }
    }

    private func advance(_ index: Int, by count: Int) {
        let replica = state.withLock { $0.replicas[index] }
        catchUp(replica, to: replica.applied + count)
    }

    private func catchUp(_ replica: Replica, to count: Int) {
        let operations = state.withLock(\.operations)
        while replica.applied < min(count, operations.count) { replica.apply(operations[replica.applied]) }
    }

    /// Ends all faults, and brings all servers to the last state.
    func settle() {
        let replicas = state.withLock { state in
            state.isStormy = false
            return state.replicas
        }
        for replica in replicas { catchUp(replica, to: .max) }
    }

    /// All states of a group, in their order.
    func states(of cohort: String?) -> [PropertyListTable] {
        let stores = (0..<3).map { _ in InMemoryStore() }
        let overlay = cohort == "x" ? stores[1] : cohort == "y" ? stores[2] : nil
        var states: [PropertyListTable] = [[:]]
        for operation in state.withLock(\.operations) {
            try? stores[operation.store].apply(operation.batch)
            var table = stores[0].snapshot()
            for name in Self.names { if let value = overlay?.value(forKey: name) { table[name] = value } }
            states.append(table)
        }
        return states
    }
}

extension ScriptedTransport.Fault {
    fileprivate static func random(_ documents: [[UInt8]], using random: inout SeededGenerator) -> Self {
        switch Int.random(in: 0..<18, using: &random) {
        case 0: .unreachable
        case 1: .status([304, 429, 500, 503, 404].randomElement(using: &random) ?? 500)
        case 2: .cut(after: .random(in: 0..<1_500, using: &random), throwing: true)
        case 3: .cut(after: .random(in: 0..<1_500, using: &random), throwing: false)
        case 4: .drip(.random(in: 1...50, using: &random))
        case 5: .flip(at: .random(in: 0..<1_500, using: &random))
        case 6: .silence
        case 7: documents.randomElement(using: &random).map { .body($0) } ?? .none
        default: .none
        }
    }
}

/// A server with copies of the source's stores.
private final class Replica: Sendable {
    let server: TestServer
    private let stores: [InMemoryStore]
    private let count: Count

    /// The number of operations that the server has, which its publisher reads while one is applied.
    private final class Count: Sendable {
        let lock = NSRecursiveLock()
        let number = Locked(0)
    }

    var applied: Int { count.number.withLock(\.self) }

    init(key: SigningKey, clock: TestClock, isNumbered: Bool) throws {
        let overlays = [InMemoryStore(), InMemoryStore()]
        let count = Count()
        var options = SettingsPublisherOptions()
        options.heartbeat = .milliseconds(10)
        if isNumbered {
            options.revisions = .numbered { count.lock.withLock { Int64(count.number.withLock(\.self)) } }
        }
        let groups: [String: [any PropertyListStore]] = ["x": [overlays[0]], "y": [overlays[1]]]
        server = try TestServer(key: key, keys: Fleet.keys, clock: clock, groups: groups, options: options) { traits in
            traits.cohort ?? "all"
        }
        stores = [server.base] + overlays
        self.count = count
    }

    func apply(_ operation: Fleet.Operation) {
        count.lock.withLock {
            count.number.withLock { $0 += 1 }
            try? stores[operation.store].apply(operation.batch)
        }
    }
}
