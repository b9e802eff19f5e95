@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promise 4: observers receive everything once, in order.
    static let observation = [
        StoreConformance(promise: 4, "an observer receives one change for each batch, with old and new values") {
            test in
            let store = try test.make()
            try store.write(1, forKey: "a")
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false, recorder.receive)
            defer { observation.cancel() }
            var batch = PropertyListBatch()
            batch.set(2, forKey: "a")
            batch.set(3, forKey: "b")
            try store.apply(batch)
            try store.write(nil, forKey: "a")
            try store.apply(PropertyListBatch(.removeAll))
            let changes = recorder.changes
            test.expect(changes.count == 3, "three batches arrived as \(changes.count) changes")
            guard changes.count == 3 else { return }
            test.expect(changes.first?.entries.count == 2, "the first batch did not arrive as two entries")
            test.expect(
                changes.first?["a"]?.old == 1 && changes.first?["a"]?.new == 2,
                "the change of a did not arrive as 1 to 2"
            )
            test.expect(changes.first?["b"]?.old == nil && changes.first?["b"]?.new == 3, "b did not arrive as new")
            test.expect(changes[1]["a"]?.old == 2 && changes[1]["a"]?.new == nil, "a did not arrive as removed")
            test.expect(
                changes[2].entries.map(\.key) == ["b"] && changes[2]["b"]?.old == 3 && changes[2]["b"]?.new == nil,
                "the removal of all did not arrive as that of b"
            )
        },
        StoreConformance(promise: 4, "an observer receives no other keys, and no writes that change nothing") {
            test in
            let store = try test.make()
            try store.write("same", forKey: "a")
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["a"]), initial: false, recorder.receive)
            defer { observation.cancel() }
            try store.write("same", forKey: "a")
            try store.write("other", forKey: "b")
            var batch = PropertyListBatch()
            batch.set("changed and back", forKey: "a")
            batch.set("same", forKey: "a")
            try store.apply(batch)
            batch = PropertyListBatch()
            batch.set("end", forKey: "a")
            batch.set("end", forKey: "b")
            try store.apply(batch)
            test.expect(recorder.count == 1, "\(recorder.count) changes arrived instead of the only one")
            test.expect(recorder.changes.first?.entries.map(\.key) == ["a"], "a key arrived that is not observed")
        },
        StoreConformance(promise: 4, "a change made without propagation says so, and no other does") { test in
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.all, initial: false, recorder.receive)
            defer { observation.cancel() }
            try store.write(1, forKey: "a")
            try Defaults.withoutPropagation { try store.write(2, forKey: "a") }
            try store.write(3, forKey: "a")
            let marks = recorder.changes.map(\.isQuiet)
            test.expect(marks == [false, true, false], "the changes were marked as quiet: \(marks)")
        },
        StoreConformance(promise: 4, "the present values come first where asked for") { test in
            let store = try test.make()
            try store.write(1, forKey: "a")
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["a", "b"]), initial: true, recorder.receive)
            defer { observation.cancel() }
            try store.write(2, forKey: "a")
            test.expect(recorder.count == 2, "\(recorder.count) of 2 changes had arrived when the write returned")
            test.expect(recorder.changes.first?.isInitial == true, "the first change is not marked as initial")
            test.expect(recorder.changes.first?["a"]?.new == 1, "the present value did not arrive first")
            test.expect(recorder.changes.first?["b"] != nil, "an observed key without a value is missing")
            test.expect(recorder.changes.last?.isInitial == false, "a later change is marked as initial")
        },
        StoreConformance(promise: 4, "with several writers, the order is kept and the last change is the final state") {
            test in
            for _ in 0..<test.repetitions(1, thorough: 5) where try await !verifyOrder(test) {
                return
            }
        },
        StoreConformance(promise: 4, "an observer registered among writes misses nothing after its first change") {
            test in
            for _ in 0..<test.repetitions(2, thorough: 20) where try await !verifyInitialOrder(test) {
                return
            }
        },
        StoreConformance(promise: 4, "an observer may write, and receives its own writes in order") { test in
            guard try test.callsObserversUnlocked() else { return }
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observation = store.observe(.named(["number"]), initial: false) { [weak store] change in
                recorder.receive(change)
                guard let number = change["number"]?.new?.integerValue?.converted(to: Int.self), number < 10 else {
                    return
                }
                try? store?.write(.init(number + 1), forKey: "number")  // A failure shows as a missing change.
            }
            defer { observation.cancel() }
            try store.write(1, forKey: "number")
            let numbers: [PropertyListValue?] = (1...10).map { .init($0) }
            test.expect(recorder.values(of: "number") == numbers, "the changes arrived in another order")
            test.expect(!recorder.overlapped, "two calls to one observer overlapped")
        },
        StoreConformance(promise: 4, "a canceled or released observer receives nothing more") { test in
            let store = try test.make()
            let (canceled, released, kept) = (ChangeRecorder(), ChangeRecorder(), ChangeRecorder())
            let observation = store.observe(.all, initial: false, canceled.receive)
            _ = store.observe(.all, initial: false, released.receive)
            let others = (0..<50).map { _ in store.observe(.all, initial: false, kept.receive) }
            defer { others.forEach { $0.cancel() } }
            observation.cancel()
            observation.cancel()
            try store.write(1, forKey: "a")
            test.expect(kept.count == 50, "50 remaining observers of one change were called \(kept.count) times")
            test.expect(canceled.changes.isEmpty, "a canceled observer received a change")
            test.expect(released.changes.isEmpty, "a released observer received a change")
        },
        StoreConformance(promise: 4, "an observer may cancel itself") { test in
            guard try test.callsObserversUnlocked() else { return }
            let store = try test.make()
            let (recorder, kept) = (ChangeRecorder(), ChangeRecorder())
            let own = Locked<StoreObservation?>(nil)
            let observation = store.observe(.all, initial: false) { change in
                recorder.receive(change)
                own.withLock { $0 }?.cancel()
            }
            own.withLock { $0 = observation }
            let last = store.observe(.all, initial: false, kept.receive)
            defer { last.cancel() }
            try store.write(1, forKey: "a")
            try store.write(2, forKey: "a")
            test.expect(kept.count == 2, "the remaining observer received \(kept.count) changes instead of 2")
            test.expect(recorder.count == 1, "an observer that canceled itself was called again")
        },
        StoreConformance(promise: 4, "an observer may register and cancel others") { test in
            guard try test.callsObserversUnlocked() else { return }
            let store = try test.make()
            let recorder = ChangeRecorder()
            let observations = Locked<[StoreObservation]>([])
            // The first change registers two observers, which cancel each other at the second one.
            let outer = store.observe(.named(["a"]), initial: false) { [weak store] change in
                guard let store, change["a"]?.new == 1 else { return }
                for _ in 0..<2 {
                    let observation = store.observe(.named(["a"]), initial: true) { change in
                        recorder.receive(change)
                        if change.isInitial { return }
                        for observation in observations.withLock(\.self) { observation.cancel() }
                    }
                    observations.withLock { $0.append(observation) }
                }
            }
            defer { outer.cancel() }
            try store.write(1, forKey: "a")
            guard recorder.values(of: "a") == [1, 1] else {
                return test.expect(false, "observers that another one registered did not receive the present value")
            }
            try store.write(2, forKey: "a")
            let calls = recorder.count - 2
            test.expect(
                calls == 1,
                "of two observers that one registered and that cancel each other, \(calls) were called"
            )
        },
    ]

    /// Several writers change one key, as often as the store manages in a moment; an observer checks that each change begins where the
    /// one before ended.
    ///
    /// If a store enqueues a change after releasing the lock of its values, another writer may overtake the thread, but seldom does.
    private static func verifyOrder(_ test: StoreUnderTest) async throws -> Bool {
        let store = try test.make()
        let recorder = ChangeRecorder()
        let observation = store.observe(.named(["shared"]), initial: false, recorder.receive)
        defer { observation.cancel() }
        try await writeConcurrently(to: store, test, for: .milliseconds(200))
        return try await expectUnbroken(recorder, upTo: store.value(forKey: "shared"), in: test)
    }

    /// The same for an observer that registers while the writers are at work.
    private static func verifyInitialOrder(_ test: StoreUnderTest) async throws -> Bool {
        let store = try test.make()
        let recorder = ChangeRecorder()
        async let writers: Void = writeConcurrently(to: store, test)
        let observation = store.observe(.named(["shared"]), initial: true, recorder.receive)
        defer { observation.cancel() }
        try await writers
        test.expect(recorder.changes.first?.isInitial == true, "a change arrived before the present value")
        return try await expectUnbroken(recorder, upTo: store.value(forKey: "shared"), in: test)
    }

    private static func writeConcurrently(
        to store: any PropertyListStore,
        _ test: StoreUnderTest,
        for duration: Duration = .zero
    ) async throws {
        let end = ContinuousClock.now + duration
        let total = test.repetitions(15, thorough: 50)
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<5_000 where number < total || ContinuousClock.now < end {
                        try store.write(.init(writer * 10_000 + number), forKey: "shared")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Expects that an observer received every change of "shared", in order, after all writers have ended.
    private static func expectUnbroken(
        _ recorder: ChangeRecorder,
        upTo final: PropertyListValue?,
        in test: StoreUnderTest
    ) async throws -> Bool {
        // A background thread may still be calling the observer, but it was called before any write returned.
        test.expect(recorder.count > 0, "an observer was not called")
        guard recorder.count > 0 else { return false }
        let isFinal = try await test.expectEventually("the last change is not the final state") {
            recorder.values(of: "shared").last == .some(final)
        }
        let entries = recorder.changes.compactMap { $0["shared"] }
        let isUnbroken = zip(entries, entries.dropFirst()).allSatisfy { $0.new == $1.old }
        test.expect(isUnbroken, "changes arrived in another order than they were made, or not all")
        test.expect(!recorder.overlapped, "two calls to one observer overlapped")
        return isFinal && isUnbroken && !recorder.overlapped
    }
}
