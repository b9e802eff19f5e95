import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// One source, and servers that follow it.
final class Fleet: Sendable {
    struct Operation: Sendable {
        let store: Int
        let batch: PropertyListBatch
    }

    struct State {
        var operations: [Operation] = []
        var replicas: [Replica] = []
        var isStormy = true
    }

    let keys: [SigningKey]
    let isUnique: Bool
    let state = Locked(State())
    let clock = TestClock()

    init(isUnique: Bool) throws {
        keys = [try .generate(id: "a"), try .generate(id: "b")]
        self.isUnique = isUnique
        let replicas = try (0..<3).map { _ in try Replica(key: keys[0], clock: clock) }
        state.withLock { $0.replicas = replicas }
    }

    func step() throws {
        switch Int.random(in: 0..<12) {
        case 0..<6:
            var batch = PropertyListBatch()
            let store = Int.random(in: 0..<3)
            let value: PropertyListValue? =
                store > 0 && Int.random(in: 0..<3) == 0 ? nil : .integer(PropertyListInteger(Int.random(in: 0..<4)))
            batch.set(value, forKey: "left")
            batch.set(value, forKey: "right")
            if Bool.random() { batch.set(.integer(PropertyListInteger(Int.random(in: 0..<3))), forKey: "extra") }
            state.withLock { state in
                state.operations.append(Operation(store: store, batch: batch))
                if isUnique {
                    var batch = PropertyListBatch()
                    batch.set(.integer(PropertyListInteger(state.operations.count)), forKey: "number")
                    state.operations.append(Operation(store: 0, batch: batch))
                }
            }
            advance(Int.random(in: 0..<3), by: 2)
        case 6..<9: advance(Int.random(in: 0..<3), by: .random(in: 1...6))
        case 9:
            let index = Int.random(in: 0..<3)
            let applied = Bool.random() ? state.withLock { $0.replicas[index].applied } : 0
            let replica = try Replica(key: keys[Int.random(in: 0...1)], clock: clock)
            catchUp(replica, to: applied)
            let old = state.withLock { state in
                defer { state.replicas[index] = replica }
                return state.replicas[index]
            }
            if Bool.random() { old.server.publisher.close() }
        case 10: state.withLock { $0.replicas.randomElement() }?.server.publisher.refreshLayers()
        default: clock.advance(by: .random(in: 0...7_200))
        }
    }

    private func advance(_ index: Int, by count: Int) {
        let replica = state.withLock { $0.replicas[index] }
        catchUp(replica, to: replica.applied + count)
    }

    private func catchUp(_ replica: Replica, to count: Int) {
        let operations = state.withLock(\.operations)
        while replica.applied < min(count, operations.count) { replica.apply(operations[replica.applied]) }
    }

    func settle() throws {
        let replicas = state.withLock { state in
            state.isStormy = false
            return state.replicas
        }
        for replica in replicas { catchUp(replica, to: .max) }
    }

    /// All states of a variant, in their order.
    func states(of cohort: String?) -> [PropertyListTable] {
        var stores = [PropertyListTable](repeating: [:], count: 3)
        var states: [PropertyListTable] = [[:]]
        for operation in state.withLock(\.operations) {
            let store = InMemoryStore()
            try? store.apply(PropertyListBatch(setting: stores[operation.store]))
            try? store.apply(operation.batch)
            stores[operation.store] = store.snapshot()
            var table = stores[0]
            let overlay = cohort == "x" ? stores[1] : cohort == "y" ? stores[2] : [:]
            for name in ["left", "right", "number", "extra"] { if let value = overlay[name] { table[name] = value } }
            states.append(table)
        }
        return states
    }
}
