internal import KeyspanCore

extension StoreConformance {
    /// Promise 3: a snapshot is one instant.
    static let snapshots = [
        StoreConformance(promise: 3, "a snapshot does not see later writes") { test in
            let store = try test.make()
            for number in 0..<100 {
                try store.write(.init(number), forKey: "key \(number)")
            }
            let snapshot = store.snapshot()
            var batch = PropertyListBatch()
            batch.removeAll()
            batch.set("new", forKey: "key 0")
            try store.apply(batch)
            test.expect(snapshot.count == 100, "the snapshot has \(snapshot.count) keys instead of 100")
            for number in 0..<100 {
                test.expect(snapshot["key \(number)"] == .init(number), "the snapshot changed at key \(number)")
            }
            test.expect(store.snapshot() == ["key 0": "new"], "a later snapshot does not see the write")
        },
        StoreConformance(promise: 3, "a snapshot taken by an observer has the change it heard of") { test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["left"]), initial: false) { [weak store] change in
                guard let store, isTorn(store.snapshot()) else { return }
                recorder.receive(change)
            }
            defer { observation.cancel() }
            for number in 0..<100 {
                try writePair(.init(number), to: store)
            }
            test.expect(recorder.changes.isEmpty, "an observer saw a part of a batch")
        },
    ]
}
