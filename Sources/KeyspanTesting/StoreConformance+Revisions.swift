internal import KeyspanCore

extension StoreConformance {
    /// The revisions that promise 1 lets caches rely on; a store that has none passes.
    static let revisions = [
        StoreConformance(promise: 1, "a revision stands for one state of one store") { test in
            let store = try test.make()
            guard let empty = store.revision else { return }
            try store.write(1, forKey: "a")
            let first = store.revision
            try store.write(1, forKey: "a")
            try store.write(nil, forKey: "absent")
            test.expect(store.revision == first, "writes that changed nothing changed the revision")
            try store.write(2, forKey: "a")
            test.expect(first != empty && store.revision != first, "a change left the revision as it was")
            test.expect(try test.make().revision != empty, "two stores have the same revision")
        },
        StoreConformance(promise: 1, "a new value is never read under an old revision") { test in
            let store = try test.make()
            try store.write(0, forKey: "number")
            let late = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for number in 1..<2_000 {
                        try store.write(.init(number), forKey: "number")
                    }
                    return false
                }
                group.addTask {
                    (0..<2_000).contains { _ in
                        // If nothing changed between the two questions, the values have to agree.
                        let (before, first) = (store.revision, store.value(forKey: "number"))
                        let (second, after) = (store.value(forKey: "number"), store.revision)
                        return before != nil && before == after && first != second
                    }
                }
                return try await group.contains(true)
            }
            test.expect(!late, "a value changed while the revision stayed")
        },
    ]
}
