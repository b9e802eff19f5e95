import Foundation
import KeyspanCore
import KeyspanTesting

@testable import KeyspanEtcd

/// A thread that makes random calls on a store, and checks at once what it can.
struct HistoryWriter: Sendable {
    /// The name of the client, which no other one has.
    let name: String
    let store: HistoryStore
    let recorder: HistoryRecorder
    let seed: UInt64
    /// A key that the cluster lets no store write.
    var forbidden: String?
    /// The number of times that the cluster has written a text, if that is known.
    var count: (@Sendable (String) -> Int)?

    /// The key that only this thread writes.
    private var own: String { "own\(name)" }

    /// Makes calls as long as a condition holds.
    func run(while isGoingOn: (_ number: Int) -> Bool) {
        var random = SeededGenerator(seed: seed)
        var number = 0
        while isGoingOn(number) {
            number += 1
            makeCall("\(name)-\(number)", &random)
            // Paces the calls, so that faults come between them.
            if Bool.random(using: &random) { usleep(UInt32.random(in: 0...20_000, using: &random)) }
        }
    }

    private func makeCall(_ call: String, _ random: inout SeededGenerator) {
        var batch = PropertyListBatch()
        let shared = Int.random(in: 0..<3, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: writeOwn(call)
        case 3, 4:
            for number in [shared, (shared + 1) % 3] { batch.set(.string(call), forKey: "shared\(number)") }
            recorder.apply(batch, to: store, as: call, of: name)
        case 5:
            batch.remove("shared\(shared)")
            batch.set(.string(call), forKey: own)
            recorder.apply(batch, to: store, as: call, of: name)
        case 6, 7, 8: increment(call)
        case 9:
            batch.expect(store.store.value(forKey: "shared\(shared)"), forKey: "shared\(shared)")
            batch.set(.string(call), forKey: "shared\(shared)")
            recorder.apply(batch, to: store, as: call, of: name)
        case 10: writeForbidden(call)
        default: synchronize(call)
        }
    }

    private func writeOwn(_ call: String) {
        let batch = PropertyListBatch(.set(.string(call), key: own))
        guard recorder.apply(batch, to: store, as: call, of: name) == nil else { return }
        let seen = store.store.value(forKey: own)
        if seen != .string(call) { recorder.fail("\(call) was accepted, and a reader sees \(seen?.text ?? "nothing")") }
    }

    private func increment(_ call: String) {
        let old = store.store.value(forKey: "counter")
        var number = 0
        if case .string(let text)? = old { number = Int(text.prefix { $0 != "#" }) ?? 0 }
        var batch = PropertyListBatch(.set(.string("\(number + 1)#\(call)"), key: "counter"))
        batch.expect(old, forKey: "counter")
        guard let error = recorder.apply(batch, to: store, as: call, of: name) else { return }
        if error.code == .conflict, error.underlying == nil, store.store.value(forKey: "counter") == old {
            recorder.fail("\(call) met a conflict that is not visible")
        }
    }

    /// Writes a batch that the cluster refuses, in a transaction with others if it is sent in the background.
    private func writeForbidden(_ call: String) {
        guard let forbidden else { return }
        var batch = PropertyListBatch(.set(.string(call), key: forbidden))
        batch.set(.string(call), forKey: "refused\(name)")
        guard recorder.apply(batch, to: store, as: call, of: name) == nil else { return }
        if store.isBackground {
            recorder.willBeRefused(by: store, of: name)
        } else {
            recorder.fail("\(call) was acknowledged, and is forbidden")
        }
    }

    private func synchronize(_ call: String) {
        writeOwn(call)
        do throws(StoreError) {
            try recorder.synchronize(store, for: name)
            if store.isBackground, let count, count("\"\(call)\"") != 1 {
                recorder.fail("\(call) is not in the cluster after a synchronization")
            }
        } catch {
            // A refused batch may be of this thread or of another one.
            let isExpected =
                error.code == .notDurable || forbidden != nil && store.isBackground && error.code == .unauthorized
            if !isExpected { recorder.fail("a synchronization failed with \(error)") }
        }
    }
}
