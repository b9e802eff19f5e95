@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promise 2: writes are batches, applied together or not at all.
    static let batches = [
        StoreConformance(promise: 2, "the last of several writes to a key wins") { test in
            let store = try test.make()
            var batch = PropertyListBatch()
            batch.set(1, forKey: "a")
            batch.remove("a")
            batch.set(2, forKey: "a")
            batch.set(3, forKey: "b")
            batch.remove("b")
            try store.apply(batch)
            test.expect(store.snapshot() == ["a": 2], "the batch left \(store.snapshot().dictionary)")
        },
        StoreConformance(promise: 2, "removing all keeps what is written after it") { test in
            let store = try test.make()
            try store.write(1, forKey: "old")
            var batch = PropertyListBatch()
            batch.set(2, forKey: "before")
            batch.removeAll()
            batch.set(3, forKey: "after")
            try store.apply(batch)
            test.expect(store.snapshot() == ["after": 3], "the batch left \(store.snapshot().dictionary)")
        },
        StoreConformance(promise: 2, "removing an absent key is no error") { test in
            let store = try test.make()
            try store.write(nil, forKey: "absent")
            try store.apply(PropertyListBatch())
            test.expect(store.snapshot().isEmpty, "the store is not empty")
        },
        StoreConformance(promise: 2, "one rejected write rejects the whole batch") { test in
            let store = try test.make()
            try store.write("old", forKey: "a")
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false, recorder.receive)
            defer { observation.cancel() }
            var batch = PropertyListBatch()
            batch.set("new", forKey: "a")
            batch.set("new", forKey: "b")
            batch.set("new", forKey: "")
            test.expect(.invalidKey, forKey: "", from: store, applying: batch)
            test.expect(store.snapshot() == ["a": "old"], "a failed batch left \(store.snapshot().dictionary)")
            try store.write("end", forKey: "end")
            test.expect(
                recorder.changes.map { $0.entries.map(\.key) } == [["end"]],
                "an observer received a failed batch"
            )
        },
        StoreConformance(promise: 2, "a batch is applied only if its expectations hold") { test in
            let store = try test.make()
            var first = PropertyListBatch()
            first.expect(nil, forKey: "counter")
            first.set(1, forKey: "counter")
            try store.apply(first)
            test.expect(.conflict, forKey: "counter", from: store, applying: first)
            var second = PropertyListBatch()
            second.expect(1, forKey: "counter")
            second.set(2, forKey: "counter")
            try store.apply(second)
            test.expect(.conflict, forKey: "counter", from: store, applying: second)
            test.expect(store.value(forKey: "counter") == 2, "the expectations were not respected")
            // Each of several expectations counts, without a write of its key and without any write.
            for operation in [PropertyListBatch.Operation.set(3, key: "new"), nil] {
                var third = operation.map { PropertyListBatch($0) } ?? PropertyListBatch()
                third.expect(2, forKey: "counter")
                third.expect(1, forKey: "other")
                test.expect(.conflict, forKey: "other", from: store, applying: third)
            }
            test.expect(store.snapshot() == ["counter": 2], "failed batches left \(store.snapshot().dictionary)")
        },
        StoreConformance(promise: 2, "expectations lose no increment among several writers") { test in
            let store = try test.make()
            let total = test.repetitions(20, thorough: 100)
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<total {
                            try store.increment("counter")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = store.value(forKey: "counter")
            test.expect(found == .init(4 * total), "\(4 * total) increments made \(store.snapshot().dictionary)")
        },
        StoreConformance(promise: 2, "no reader sees a part of a batch") { test in
            let store = try test.make()
            let total = test.repetitions(50, thorough: 500)
            let torn = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for number in 0..<total {
                        try writePair(.init(number), to: store)
                    }
                    return false
                }
                group.addTask {
                    (0..<total).contains { _ in isTorn(store.snapshot()) }
                }
                return try await group.contains(true)
            }
            test.expect(!torn, "a snapshot had one write of a batch without the other")
        },
    ]

    static func writePair(_ value: PropertyListValue, to store: any PropertyListStore) throws(StoreError) {
        var batch = PropertyListBatch()
        batch.set(value, forKey: "left")
        batch.set(value, forKey: "right")
        try store.apply(batch)
    }

    static func isTorn(_ table: PropertyListTable) -> Bool {
        table["left"] != table["right"]
    }
}

extension StoreConformance {
    /// Promise 3: a snapshot is one instant.
    static let snapshots = [
        StoreConformance(promise: 3, "a snapshot does not see later writes") { test in
            let store = try test.make()
            let total = test.repetitions(50, thorough: 100)
            var batch = PropertyListBatch()
            for number in 0..<total { batch.set(.init(number), forKey: "key \(number)") }
            try store.apply(batch)
            let snapshot = store.snapshot()
            batch = PropertyListBatch(.removeAll)
            batch.set("new", forKey: "key 0")
            try store.apply(batch)
            test.expect(snapshot.count == total, "the snapshot has \(snapshot.count) keys instead of \(total)")
            for number in 0..<total {
                test.expect(snapshot["key \(number)"] == .init(number), "the snapshot changed at key \(number)")
            }
            test.expect(store.snapshot() == ["key 0": "new"], "a later snapshot does not see the write")
        },
        StoreConformance(promise: 3, "a snapshot taken by an observer has the change it received") { test in
            guard try test.callsObserversUnlocked() else { return }
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["left"]), initial: false) { [weak store] change in
                guard let store, isTorn(store.snapshot()) else { return }
                recorder.receive(change)
            }
            defer { observation.cancel() }
            for number in 0..<test.repetitions(20, thorough: 100) {
                try writePair(.init(number), to: store)
            }
            test.expect(recorder.changes.isEmpty, "an observer saw a part of a batch")
        },
    ]
}
