import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

@testable import KeyspanEtcd

/// A thread of the model that writes to one store and checks at once what it can.
final class ModelWriter: Sendable {
    private let name: String
    private let store: SimulatedStore
    /// Whether writes without expectations are sent in the background.
    private let isPending: Bool
    private let cluster: SimulatedCluster
    private let record: ModelRecord
    private let seed: UInt64
    /// The values of the thread's own key that are possible now.
    private let possible = Locked<[String?]>([nil])

    init(
        _ name: String,
        _ store: SimulatedStore,
        isPending: Bool,
        _ cluster: SimulatedCluster,
        _ record: ModelRecord,
        seed: UInt64
    ) {
        (self.name, self.store, self.isPending) = (name, store, isPending)
        (self.cluster, self.record, self.seed) = (cluster, record, seed)
    }

    /// The key that only this thread writes.
    private var own: String { "own\(name)" }

    func run(_ count: Int) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<count {
            let value = "\(name).\(number)"
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1, 2: writeOwn(value)
            case 3, 4: write(value, toShared: Int.random(in: 0..<3, using: &random))
            case 5: removeShared(Int.random(in: 0..<3, using: &random), value)
            case 6, 7, 8: updateCounter(value)
            case 9: writeForbidden(value)
            default: synchronize(value)
            }
            if Bool.random(using: &random) {
                rest(seconds: Double.random(in: 0...0.02, using: &random))
            }
        }
    }

    private func writeOwn(_ value: String) {
        var batch = PropertyListBatch()
        batch.set(.string(value), forKey: own)
        let outcome = apply(batch, texts: [value])
        // No other thread writes the key.
        let seen = store.value(forKey: own)
        if outcome == .acknowledged, seen != .string(value) {
            record.fail("\(value) was acknowledged, and a reader sees \(seen.map { "\($0)" } ?? "nil")")
        }
    }

    private func write(_ value: String, toShared number: Int) {
        var batch = PropertyListBatch()
        batch.set(.string(value), forKey: "shared\(number)")
        batch.set(.string("\(value)+"), forKey: "shared\((number + 1) % 3)")
        _ = apply(batch, texts: [value, "\(value)+"])
    }

    private func removeShared(_ number: Int, _ value: String) {
        var batch = PropertyListBatch()
        batch.remove("shared\(number)")
        batch.set(.string(value), forKey: own)
        _ = apply(batch, texts: [value])
    }

    private func updateCounter(_ value: String) {
        let old = store.value(forKey: "counter")
        var number = 0
        if case .string(let text)? = old { number = Int(text.prefix { $0 != "#" }) ?? 0 }
        let new = "\(number + 1)#\(value)"
        var batch = PropertyListBatch()
        batch.expect(old, forKey: "counter")
        batch.set(.string(new), forKey: "counter")
        var write = ModelWrite(texts: ["\"\(new)\""], isPending: false)
        do throws(StoreError) {
            try store.apply(batch)
            write.outcome = .acknowledged
        } catch {
            if error.code == .outcomeUnknown || error.code == .notShown { write.outcome = .unknown }
            if error.code == .conflict, error.underlying == nil, store.value(forKey: "counter") == old {
                record.fail("\(new) met a conflict that is not visible")
            }
        }
        record.note(write)
    }

    /// The key that this thread writes only together with the forbidden one.
    private var refused: String { "refused\(name)" }

    /// Writes a batch that the cluster refuses, in a transaction with others if it is sent in the background.
    private func writeForbidden(_ value: String) {
        var batch = PropertyListBatch()
        for key in [ClusterModel.forbidden, refused] { batch.set(.string(value), forKey: key) }
        let isApplied = (try? store.apply(batch)) != nil
        if isApplied, !isPending { record.fail("\(value) was acknowledged, and is forbidden") }
    }

    private func synchronize(_ value: String) {
        writeOwn(value)
        do throws(StoreError) {
            try store.synchronize()
            if isPending, cluster.count(ofWritesOf: "\"\(value)\"") != 1 {
                record.fail("\(value) is not in the cluster after a synchronization")
            }
        } catch {
            // Of a batch of this thread or another one with the forbidden key.
            let isExpected = error.code == .notDurable || isPending && error.code == .unauthorized
            if !isExpected { record.fail("a synchronization failed with \(error)") }
        }
    }

    private func apply(_ batch: PropertyListBatch, texts: [String]) -> ModelWrite.Outcome {
        var write = ModelWrite(texts: texts.map { "\"\($0)\"" }, isPending: isPending)
        do throws(StoreError) {
            try store.apply(batch)
            write.outcome = .acknowledged
        } catch {
            if error.code == .outcomeUnknown || error.code == .notShown { write.outcome = .unknown }
        }
        record.note(write)
        if let value = batch.operations.compactMap(ownValue).last {
            possible.withLock { possible in
                switch write.outcome {
                case .acknowledged: possible = [value]
                case .unknown: possible.append(value)
                case .refused: break
                }
            }
        }
        return write.outcome
    }

    private func ownValue(_ operation: PropertyListBatch.Operation) -> String? {
        guard case .set(.string(let text), let key) = operation, key == own else { return nil }
        return "\"\(text)\""
    }

    /// Looks whether the cluster has nothing of the refused batches.
    func compareRefused(with truth: [String: String]) {
        for key in [ClusterModel.forbidden, refused] {
            if let text = truth[key] { record.fail("the cluster has \(text) for \(key), which it has refused") }
        }
    }

    /// Compares the last write of the thread's own key with the cluster.
    func compareOwn(with truth: [String: String]) {
        let possible = possible.withLock(\.self)
        if !possible.contains(truth[own]) {
            record.fail("the cluster has \(truth[own] ?? "nil") for \(own), which may be \(possible)")
        }
    }
}
