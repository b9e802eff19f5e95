internal import KeyspanCore

extension StoreConformance {
    /// Promise 5: synchronized values survive.
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
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false) { [weak store] change in
                // A failure shows as a missing change.
                guard (try? store?.synchronize()) != nil else { return }
                recorder.receive(change)
            }
            defer { observation.cancel() }
            try store.write(1, forKey: "a")
            try await test.expectEventually("an observer could not synchronize") { !recorder.changes.isEmpty }
        },
        StoreConformance(promise: 5, "a store opened again has every value that was synchronized") { test in
            guard let reopen = test.reopen else { return }
            var written = PropertyListTable()
            let name = try {
                let store = try test.make()
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
            let found = try reopen(name).snapshot()
            for (index, value) in sampleValues.enumerated() where found["key \(index)"] != value {
                test.expect(false, "\(value) came back as \(found["key \(index)"]?.description ?? "nothing")")
            }
            test.expect(found.count == written.count, "the store has \(found.count) keys instead of \(written.count)")
        },
    ]
}
