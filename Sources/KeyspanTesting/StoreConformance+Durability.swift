@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promise 5: synchronized and committed values survive.
    static let durability = [
        StoreConformance(promise: 5, "synchronizing succeeds, with and without anything to do") { test in
            let store = try test.make()
            try store.synchronize()
            try store.write(1, forKey: "a")
            try store.synchronize()
            try store.synchronize()
            test.expect(store.value(forKey: "a") == 1, "synchronizing changed a value")
        },
        StoreConformance(promise: 5, "an observer may synchronize") { test in
            guard try test.callsObserversUnlocked() else { return }
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false) { [weak store] change in
                // A failure shows as a missing change.
                guard (try? store?.synchronize()) != nil else { return }
                recorder.receive(change)
            }
            defer { observation.cancel() }
            try store.write(1, forKey: "a")
            test.expect(recorder.count == 1, "an observer could not synchronize")
        },
        StoreConformance(promise: 5, "a store opened again has every value that was synchronized") { test in
            guard let reopen = test.reopen else { return }
            var written = PropertyListTable()
            let name = try {
                let store = try test.make()
                try store.write("gone", forKey: "old")
                try store.synchronize()
                var batch = PropertyListBatch(.set("gone", key: "before"))
                batch.removeAll()
                for (index, value) in plainValues.enumerated() {
                    written["batch \(index)"] = value
                    batch.set(value, forKey: "batch \(index)")
                }
                try store.apply(batch)
                for (index, value) in sampleValues.enumerated() {
                    written["key \(index)"] = value
                    try store.write(value, forKey: "key \(index)")
                }
                try store.write("gone", forKey: "removed")
                try store.synchronize()
                try store.write(nil, forKey: "removed")
                try store.synchronize()
                return store.name
            }()
            let found = try {
                let store = try reopen(name)
                let found = store.snapshot()
                try store.write("new", forKey: "key 0")
                try store.synchronize()
                return found
            }()
            for (key, value) in written where found[key] != value {
                test.expect(false, "\(value) came back as \(found[key]?.description ?? "nothing")")
            }
            test.expect(found.count == written.count, "the store has \(found.count) keys instead of \(written.count)")
            let last = try reopen(name).value(forKey: "key 0")
            test.expect(
                last == "new",
                "what was written after opening again came back as \(last?.description ?? "nothing")"
            )
        },
        StoreConformance(promise: 5, "a commit has applied its batch, and made it durable, when it returns") { test in
            let name = try await {
                let store = try test.make()
                let recorder = ChangeRecorder()
                let observation = store.observe(.all, initial: false, recorder.receive)
                defer { observation.cancel() }
                try store.write("old", forKey: "before")
                test.expect(recorder.count == 1, "an observer was not called")
                var batch = PropertyListBatch()
                batch.set(1, forKey: "a")
                batch.set(2, forKey: "b")
                try await store.commit(batch)
                test.expect(store.snapshot() == committed, "the commit left \(store.snapshot().dictionary)")
                guard recorder.count > 0 else { return store.name }
                try await test.expectEventually("the change of a commit did not arrive") { recorder.count > 1 }
                test.expect(recorder.count == 2, "a commit arrived as \(recorder.count - 1) changes")
                return store.name
            }()
            guard let reopen = test.reopen else { return }
            let found = try reopen(name).snapshot()
            test.expect(found == committed, "the durable values are \(found.dictionary)")
        },
        StoreConformance(promise: 5, "a commit that fails leaves nothing behind") { test in
            let store = try test.make()
            try store.write("old", forKey: "a")
            for (key, code) in [("a", StoreError.Code.conflict), ("", .invalidKey)] {
                var batch = PropertyListBatch()
                if code == .conflict { batch.expect("other", forKey: key) }
                batch.set("new", forKey: key)
                batch.set("new", forKey: "b")
                do throws(StoreError) {
                    try await store.commit(batch)
                    test.expect(false, "a commit was accepted that should have failed with \(code)")
                } catch {
                    test.expect(error.code == code, "the error was \(error.code) instead of \(code)")
                    test.expect(error.key == key, "the error names \(error.key ?? "no key") instead of \(key)")
                }
                test.expect(store.snapshot() == ["a": "old"], "a failed commit left \(store.snapshot().dictionary)")
            }
        },
        StoreConformance(promise: 5, "commits at the same time are all applied, and durable") { test in
            let total = test.repetitions(20, thorough: 200)
            let name = try await {
                let store = try test.make()
                try await withThrowingTaskGroup { group in
                    for number in 0..<total {
                        group.addTask {
                            try await store.commit(PropertyListBatch(.set(.init(number), key: "key \(number)")))
                        }
                    }
                    try await group.waitForAll()
                }
                // An empty commit waits for everything before it.
                try await store.synchronize()
                test.expect(
                    store.snapshot().count == total,
                    "\(store.snapshot().count) of \(total) commits were applied"
                )
                return store.name
            }()
            guard let reopen = test.reopen else { return }
            let count = try reopen(name).snapshot().count
            test.expect(count == total, "\(count) of \(total) commits are durable")
        },
    ]

    private static let committed: PropertyListTable = ["before": "old", "a": 1, "b": 2]
}
