@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promises 2 and 5 on a place that fails and is then back.
    static let failure = [
        StoreConformance(promise: 2, "a write that fails with its place is seen by no reader and no observer") { test in
            for isExpecting in [true, false] { try verifyRefusedWrite(isExpecting: isExpecting, test) }
        },
        StoreConformance(promise: 5, "synchronizing throws as long as the place fails, and makes up for it afterwards")
        {
            test in
            guard let (medium, setFailing) = try test.failingMedium() else { return }
            let store = try medium.open()
            try store.write(1, forKey: "a")
            try store.synchronize()
            setFailing(true)
            defer { setFailing(false) }
            let keys = ["b", "c", "d"]
            let applied = keys.filter { (try? store.write(2, forKey: $0)) != nil }
            for _ in 0..<2 where !applied.isEmpty {
                let isDurable = (try? store.synchronize()) != nil
                test.expect(!isDurable, "synchronizing succeeded though the place failed")
            }
            for key in ["a"] + applied {
                let value: PropertyListValue = key == "a" ? 1 : 2
                test.expect(store.value(forKey: key) == value, "a value is gone because the place failed")
                test.expect(store.snapshot()[key] == value, "a snapshot lacks a value because the place fails")
            }
            setFailing(false)
            for key in keys where !applied.contains(key) { try store.write(2, forKey: key) }
            try store.synchronize()
            try test.expectContents(["a": 1, "b": 2, "c": 2, "d": 2], of: medium)
        },
        StoreConformance(promise: 5, "a commit that fails with its place says whether its batch was applied") { test in
            guard let (medium, setFailing) = try test.failingMedium() else { return }
            let store = try medium.open()
            try await store.commit(PropertyListBatch(.set(1, key: "a")))
            setFailing(true)
            defer { setFailing(false) }
            do throws(StoreError) {
                try await store.commit(PropertyListBatch(.set(2, key: "a")))
                return test.expect(false, "a commit succeeded though the place failed")
            } catch {
                if error.code.effect == .unknown { return }
                let value: PropertyListValue = error.code == .notDurable ? 2 : 1
                test.expect(
                    store.value(forKey: "a") == value,
                    "the error was \(error.code), which is not what happened"
                )
                setFailing(false)
                try await store.synchronize()
                try test.expectContents(["a": value], of: medium)
            }
        },
    ]

    /// Writes to a place that fails, while another thread reads; a store that needs the place later only has nothing to show.
    private static func verifyRefusedWrite(isExpecting: Bool, _ test: StoreUnderTest) throws {
        guard let (medium, setFailing) = try test.failingMedium() else { return }
        let store = try medium.open()
        try store.write("old", forKey: "a")
        try store.synchronize()
        let revision = store.revision
        let recorder = ChangeRecorder()
        let observation = store.observe(.all, initial: false, recorder.receive)
        defer { observation.cancel() }
        var batch = PropertyListBatch()
        if isExpecting { batch.expect("old", forKey: "a") }
        batch.set("new", forKey: "a")
        batch.set("new", forKey: "b")
        let isOver = Locked(false)
        let isSeen = Locked(false)
        let reader = TestThread {
            while !isOver.withLock(\.self) {
                if store.value(forKey: "a") != "old" { isSeen.withLock { $0 = true } }
            }
        }
        setFailing(true)
        let isRefused = (0..<test.repetitions(3, thorough: 30)).allSatisfy { _ in
            do throws(StoreError) {
                try store.apply(batch)
                return false
            } catch {
                return error.code.effect != .unknown
            }
        }
        isOver.withLock { $0 = true }
        setFailing(false)
        guard test.join(reader, orRecord: "a reader did not finish"), isRefused else { return }
        test.expect(!isSeen.withLock(\.self), "a reader saw a write that failed")
        test.expect(store.snapshot() == ["a": "old"], "a failed write left \(store.snapshot().dictionary)")
        test.expect(store.revision == revision, "a failed write changed the revision")
        try store.write("end", forKey: "end")
        test.expect(
            recorder.changes.map { $0.entries.map(\.key) } == [["end"]],
            "an observer received a write that failed"
        )
        try store.synchronize()
        try test.expectContents(["a": "old", "end": "end"], of: medium)
    }
}
