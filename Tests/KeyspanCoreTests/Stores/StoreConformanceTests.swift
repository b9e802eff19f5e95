import KeyspanCore
import KeyspanTesting
import Testing

@Suite struct StoreConformanceTests {
    @Test(arguments: StoreConformance.all + StoreConformance.depth)
    func `an in-memory store keeps its promises`(_ check: StoreConformance) async throws {
        try await check.verify(scale: .ofLevel, makeStore: { InMemoryStore() })
    }

    @Test(arguments: StoreConformance.all)
    func `a scripted store without a script keeps them too`(_ check: StoreConformance) async throws {
        try await check.verify(scale: .ofLevel, makeStore: { ScriptedStore() })
    }

    @Test(arguments: StoreConformance.all)
    func `the broken store keeps them too as long as nothing is broken`(_ check: StoreConformance) async throws {
        try await check.verify(scale: .ofLevel, makeStore: { BrokenStore(nil) })
    }

    @Test(arguments: StoreConformance.all)
    func `a store of text keeps them too`(_ check: StoreConformance) async throws {
        try await check.verify(scale: .ofLevel, makeStore: { TextStore() })
    }

    /// The promise that each fault violates.
    @Test(arguments: [
        (BrokenStore.Fault.appliesPartsOfBatches, 2),
        (.forgetsExpectations, 2),
        (.takesLiveSnapshots, 3),
        (.notifiesOutOfOrder, 4),
        (.notifiesWhenNothingChanged, 4),
        (.notifiesFromOneQueue, 4),
        (.notifiesInBackground, 4),
        (.notifiesWithinCalls, 4),
        (.forgetsWhatIsQuiet, 4),
        (.ignoresCancellation, 4),
        (.registersLate, 4),
        (.acceptsAnyKey, 6),
        (.repeatsRevisions, 1),
        (.numbersOneKeyOfBatches, 1),
        (.mergesSpellings, 1),
        (.keepsSpellings, 2),
        (.forgetsWhatIsText, 1),
    ])
    func `the checks find a broken store`(_ fault: BrokenStore.Fault, promise: Int) async throws {
        let found = Locked<Set<Int>>([])
        for check in StoreConformance.all {
            try await check.verify(makeStore: { BrokenStore(fault) }, patience: .milliseconds(200)) { _ in
                found.withLock { _ = $0.insert(check.promise) }
            }
        }
        let promises = found.withLock(\.self)
        #expect(promises.contains(promise), "fault was found with promises \(promises.sorted()), not with \(promise)")
    }

    /// The check that is about each way of calling observers wrongly.
    @Test(arguments: [
        (
            BrokenStore.Fault.notifiesFromOneQueue,
            "an observer may wait for one of another key, which it does not delay"
        ),
        (.notifiesInBackground, "a program of one thread receives each change on it before the write returns"),
        (.notifiesWithinCalls, "an observer's write to its own key arrives after its call, on its thread"),
    ])
    func `a check of the calling thread finds what it is about`(_ fault: BrokenStore.Fault, name: String) async throws {
        let check = try #require(StoreConformance.all.first { $0.name == name })
        let failures = Locked(0)
        try await check.verify(makeStore: { BrokenStore(fault) }, patience: .milliseconds(200)) { _ in
            failures.withLock { $0 += 1 }
        }
        #expect(failures.withLock(\.self) > 0)
    }

    @Test func `a failure is recorded where the check was called`() async throws {
        let check = try #require(StoreConformance.all.first { $0.promise == 6 })
        let line = #line + 2
        try await withKnownIssue {
            try await check.verify(makeStore: { BrokenStore(.acceptsAnyKey) })
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileName == "StoreConformanceTests.swift"
        }
    }
}
