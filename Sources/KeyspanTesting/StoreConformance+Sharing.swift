internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promises 2, 4 and 5 for several stores that are open on one place.
    static let sharing = [
        StoreConformance(
            promise: 2,
            "an expectation is decided by what another store on the place has written, and a conflict shows it"
        ) { test in
            guard let medium = try test.sharedMedium() else { return }
            let (first, second) = (try medium.open(), try medium.open())
            try first.write(1, forKey: "a")
            try first.synchronize()
            var batch = PropertyListBatch(.set(2, key: "a"))
            batch.expect(nil, forKey: "a")
            try second.write("waits", forKey: "own")
            test.expect(.conflict, forKey: "a", from: second, applying: batch)
            test.expect(second.value(forKey: "a") == 1, "a conflict did not make the deciding value visible")
            batch = PropertyListBatch(.set(2, key: "a"))
            batch.expect(1, forKey: "a")
            try second.apply(batch)
            try second.synchronize()
            test.expect(.conflict, forKey: "a", from: first, applying: batch)
            test.expect(first.value(forKey: "a") == 2, "a conflict did not make the deciding value visible")
            try test.expectContents(["a": 2, "own": "waits"], of: medium)
        },
        StoreConformance(promise: 2, "increments of several stores on one place are all counted") { test in
            guard let medium = try test.sharedMedium() else { return }
            let stores = [try medium.open(), try medium.open()]
            let total = test.repetitions(10, thorough: 100)
            try await withThrowingTaskGroup { group in
                for store in stores + stores {
                    group.addTask {
                        for _ in 0..<total { try store.increment("counter") }
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { try await store.synchronize() }
            try test.expectContents(["counter": .init(4 * total)], of: medium)
        },
        StoreConformance(promise: 5, "what one store has synchronized is there for another that is opened beside it") {
            test in
            guard let medium = try test.sharedMedium() else { return }
            let first = try medium.open()
            try first.write(1, forKey: "a")
            try first.write(1, forKey: "removed")
            try first.synchronize()
            let second = try medium.open()
            test.expect(second.value(forKey: "a") == 1, "a store opened beside another lacks what that synchronized")
            try second.write(2, forKey: "b")
            try second.write(nil, forKey: "removed")
            try second.synchronize()
            try test.expectContents(["a": 1, "b": 2], of: medium)
            withExtendedLifetime((first, second)) {}
        },
        StoreConformance(promise: 5, "stores on one place keep each other's values") { test in
            guard let medium = try test.sharedMedium() else { return }
            let stores = [try medium.open(), try medium.open()]
            var written: PropertyListTable = [:]
            for round in 0..<test.repetitions(2, thorough: 10) {
                for (index, store) in stores.enumerated() {
                    written["\(index) \(round)"] = .init(round)
                    try store.write(.init(round), forKey: "\(index) \(round)")
                    try store.synchronize()
                }
            }
            try test.expectContents(written, of: medium)
            // Of one key, the last store that writes it decides.
            try stores[0].write("first", forKey: "0 0")
            try stores[0].synchronize()
            try stores[1].write(nil, forKey: "0 0")
            try stores[1].synchronize()
            written["0 0"] = nil
            try test.expectContents(written, of: medium)
            // So it does with the value that it saw last.
            written["0 0"] = "first"
            try stores[0].write("first", forKey: "0 0")
            try stores[0].synchronize()
            try test.expectContents(written, of: medium)
        },
        StoreConformance(
            promise: 5,
            "threads that synchronize one store at the same time each wait for what they wrote"
        ) {
            test in
            guard let medium = try test.sharedMedium() else { return }
            let store = try medium.open()
            let total = test.repetitions(10, thorough: 50)
            let lost = try await withThrowingTaskGroup(of: Int.self) { group in
                for key in ["a", "b", "c", "d"] {
                    group.addTask {
                        try (0..<total).count { number in
                            try store.write(.init(number), forKey: key)
                            try store.synchronize()
                            return try medium.open().value(forKey: key) != .init(number)
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            test.expect(lost == 0, "\(lost) of \(4 * total) writes were not on the place when synchronizing returned")
        },
        StoreConformance(promise: 4, "what a store takes over from another on its place is one whole change, told once")
        {
            test in
            try await verifyTakeover(test)
        },
        StoreConformance(promise: 5, "stores opened on a new place at the same time keep each other's values") { test in
            for _ in 0..<test.repetitions(5, thorough: 50) where try !verifyOpening(test) {
                return
            }
        },
    ]

    /// A store writes batches, and another one meets them in conflicts.
    private static func verifyTakeover(_ test: StoreUnderTest) async throws {
        guard let medium = try test.sharedMedium() else { return }
        let (first, second) = (try medium.open(), try medium.open())
        let recorder = ChangeRecorder()
        let observation = second.observe(.all, initial: false, recorder.receive)
        defer { observation.cancel() }
        for number in 1...5 {
            let revision = second.revision(of: KeyStripe(of: "left"))
            try writePair(.init(number), to: first)
            try await first.synchronize()
            var batch = PropertyListBatch(.set("new", key: "other"))
            batch.expect("never", forKey: "left")
            test.expect(.conflict, forKey: "left", from: second, applying: batch)
            let found = second.snapshot()
            test.expect(
                found == ["left": .init(number), "right": .init(number)],
                "after a conflict with batch \(number) of another store there is \(found.dictionary)"
            )
            let isNew = revision == nil || revision != second.revision(of: KeyStripe(of: "left"))
            test.expect(isNew, "what another store had written changed a value while the revision stayed")
        }
        let isTold = try await test.expectEventually("an observer was not told what another store had written") {
            recorder.values(of: "left").last == .some(5)
        }
        guard isTold else { return }
        test.expect(recorder.changes.allSatisfy { $0.entries.count == 2 }, "a batch of another store arrived in parts")
        let left = recorder.changes.compactMap { $0["left"] }
        let isUnbroken = left.first?.old == nil && zip(left, left.dropFirst()).allSatisfy { $0.new == $1.old }
        test.expect(isUnbroken, "changes by another store arrived in another order, twice, or not all")
    }

    /// Several threads open a store on one new place at the same time and write a key each.
    private static func verifyOpening(_ test: StoreUnderTest) throws -> Bool {
        guard let medium = try test.sharedMedium() else { return false }
        let names = ["a", "b", "c"]
        let stores = Locked<[any PropertyListStore]>([])
        let errors = Locked<[any Error]>([])
        let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = names.map { name in
            TestThread {
                ready.signal()
                _ = test.wait(for: start)
                do {
                    let store = try medium.open()
                    stores.withLock { $0.append(store) }
                    try store.write(.string(name), forKey: name)
                    try store.synchronize()
                } catch {
                    errors.withLock { $0.append(error) }
                }
            }
        }
        for _ in names { test.wait(for: ready, orRecord: "a thread did not start") }
        for _ in names { start.signal() }
        let haveEnded =
            threads.filter { test.join($0, orRecord: "a store was not opened and written") }.count == names.count
        if let error = errors.withLock(\.first) { throw error }
        let expected = PropertyListTable(Dictionary(uniqueKeysWithValues: names.map { ($0, .string($0)) }))
        return try haveEnded && test.expectContents(expected, of: medium)
    }
}

extension StoreUnderTest {
    /// Records a failure unless one more store, opened now, has these values.
    @discardableResult
    func expectContents(_ table: PropertyListTable, of medium: StoreConformance.Medium) throws -> Bool {
        let found = try medium.open().snapshot()
        expect(found == table, "a store opened afterwards has \(found.dictionary) instead of \(table.dictionary)")
        return found == table
    }
}
