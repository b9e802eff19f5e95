import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct StoreConformanceTests {
    /// The stores that all checks accept.
    enum Subject: CaseIterable {
        case inMemory
        case onSharedMedium
        case scripted
        case ofText

        /// The kinds of a level: the quick one leaves out those that add little code of their own.
        static var ofLevel: [Subject] { TestLevel.current.pick([.inMemory, .onSharedMedium], thorough: allCases) }

        func open(on medium: SharedMedium) throws -> any PropertyListStore {
            switch self {
            case .inMemory: InMemoryStore()
            case .onSharedMedium: try BrokenStore(nil, on: medium)
            case .scripted: ScriptedStore()
            case .ofText: TextStore()
            }
        }
    }

    @Test(arguments: Subject.ofLevel, StoreConformance.all + StoreConformance.depth)
    func `a store that breaks nothing passes`(_ subject: Subject, _ check: StoreConformance) async throws {
        let media = Recorder<SharedMedium>()
        let medium: @Sendable () throws -> StoreConformance.Medium = { SharedMedium.make(nil) }
        let isShared = subject == .onSharedMedium
        try await check.verify(
            scale: .ofLevel,
            makeStore: {
                let medium = SharedMedium()
                media.record(medium)
                return try subject.open(on: medium)
            },
            // A check opens the first of its stores again.
            reopen: isShared ? { @Sendable _ in try subject.open(on: media.values[0]) } : nil,
            medium: isShared ? medium : nil,
            patience: .seconds(60)
        )
    }

    /// The check that finds each fault.
    static let faults: [(BrokenStore.Fault, String)] = [
        (.appliesPartsOfBatches, "one rejected write rejects the whole batch"),
        (.forgetsExpectations, "a batch is applied only if its expectations hold"),
        (.takesLiveSnapshots, "a snapshot does not see later writes"),
        (.notifiesOutOfOrder, "an observer receives one change for each batch, with old and new values"),
        (.notifiesWhenNothingChanged, "an observer receives no other keys, and no writes that change nothing"),
        (.notifiesFromOneQueue, "an observer may wait for one of another key, which it does not delay"),
        (.notifiesInBackground, "a program of one thread receives each change on it before the write returns"),
        (.notifiesWithinCalls, "an observer's write to its own key arrives after its call, on its thread"),
        (.notifiesUnderTheLock, "no observer is called while the store holds a lock"),
        (.enqueuesOutsideTheLock, "with several writers, the order is kept and the last change is the final state"),
        (.forgetsToDeliver, "a program of one thread receives each change on it before the write returns"),
        (.forgetsWhatIsQuiet, "a change made without propagation says so, and no other does"),
        (.ignoresCancellation, "a canceled or released observer receives nothing more"),
        (.registersLate, "an observer receives one change for each batch, with old and new values"),
        (.acceptsAnyKey, "an empty key is rejected"),
        (.repeatsRevisions, "a revision stands for one state of one store"),
        (.numbersOneKeyOfBatches, "a change of a key changes the revision of its stripe"),
        (.mergesSpellings, "keys that differ in their bytes are different keys, or the second one is rejected"),
        (.keepsSpellings, "a text replaces one that differs in its bytes only"),
        (.forgetsWhatIsText, "reads, snapshots and observers agree on whether a value is text"),
        (.reusesRevisions, "a revision stands for one state of one store"),
        (.mergesKeysAtDots, "keys may have dots, spaces and any script"),
        (.turnsInnerDatesIntoText, "every kind of value reads back as it was written"),
        (.cutsLongKeys, "a long key or text is held as a whole, durably, or rejected"),
        (.cutsLongTexts, "a long key or text is held as a whole, durably, or rejected"),
        (.cutsLongBatches, "a snapshot does not see later writes"),
        (.checksOneExpectation, "a batch is applied only if its expectations hold"),
        (.expectsOnlyOfWrittenKeys, "a batch is applied only if its expectations hold"),
        (.skipsBatchesWithoutWrites, "a batch is applied only if its expectations hold"),
        (.hidesRemovalsOfAll, "an observer receives one change for each batch, with old and new values"),
        (.forgetsTheNinthObserver, "a canceled or released observer receives nothing more"),
        (.forgetsObserversOfObservers, "an observer may register and cancel others"),
        (.callsWhatAnotherCanceled, "an observer may register and cancel others"),
        (.notifiesFromOneQueuePerKey, "a writer does not wait for changes of other threads, which arrive in order"),
        (.keepsWhatIsRemoved, "a store opened again has every value that was synchronized"),
        (.removesAllFirst, "a store opened again has every value that was synchronized"),
        (.keepsTheLastBatches, "a store opened again has every value that was synchronized"),
        (.writesNothingWhenOpenedAgain, "a store opened again has every value that was synchronized"),
        (.decidesInMemory, "increments of several stores on one place are all counted"),
        (
            .hidesWhatDecidedAConflict,
            "an expectation is decided by what another store on the place has written, and a conflict shows it"
        ),
        (
            .synchronizesNothing,
            "what one store has synchronized is there for another that is opened beside it"
        ),
        (.publishesBeforeTheCommit, "a write that fails with its place is seen by no reader and no observer"),
        (.rewritesTheWholeMedium, "stores on one place keep each other's values"),
        (.makesTheMediumAnew, "stores opened on a new place at the same time keep each other's values"),
        (
            .hidesThatItCouldNotSynchronize,
            "synchronizing throws as long as the place fails, and makes up for it afterwards"
        ),
        (
            .makesUpForTheLastBatchOnly,
            "synchronizing throws as long as the place fails, and makes up for it afterwards"
        ),
        (
            .hidesValuesWithoutTheMedium,
            "synchronizing throws as long as the place fails, and makes up for it afterwards"
        ),
        (
            .synchronizesForOneThread,
            "threads that synchronize one store at the same time each wait for what they wrote"
        ),
        (
            .losesWhatWaitsInAConflict,
            "an expectation is decided by what another store on the place has written, and a conflict shows it"
        ),
        (.skipsWhatItSees, "stores on one place keep each other's values"),
        (.adoptsSilently, takeover),
        (.adoptsTwice, takeover),
        (.adoptsInParts, takeover),
        (.adoptsUnderTheOldRevision, takeover),
        (.adoptsTheDecidingKeyOnly, takeover),
    ]

    private static let takeover = "what a store takes over from another on its place is one whole change, told once"

    @Test(arguments: faults)
    func `a check finds the fault that it is about`(_ fault: BrokenStore.Fault, name: String) async throws {
        let check = try #require(StoreConformance.all.first { $0.name == name })
        var failures: [String] = []
        var rounds = 0
        // A fault that depends on chance may need some rounds.
        while failures.isEmpty, rounds < 20 {
            failures = await Self.failures(of: check, fault, patience: .milliseconds(200))
            rounds += 1
        }
        #expect(!failures.isEmpty, "\(fault) was not found")
        print("\(fault): round \(rounds) of \"\(name)\" found: \(failures.first ?? "nothing")")
    }

    @Test func `each fault has a check`() {
        let faults = Self.faults.map { fault, _ in fault }
        #expect(faults == BrokenStore.Fault.allCases)
    }

    /// A store that fails nearly everywhere must neither end the process nor use the time of each wait.
    @Test(arguments: [BrokenStore.Fault.forgetsToDeliver, .notifiesUnderTheLock])
    func `all checks come to an end over a store that fails in most of them`(_ fault: BrokenStore.Fault) async {
        let start = ContinuousClock.now
        // A place of its own, so that no wait is short because another test had to wait.
        let place = SourceLocation(
            fileID: #fileID,
            filePath: #filePath,
            line: #line,
            column: fault == .forgetsToDeliver ? 1 : 2
        )
        let failed = await withTaskGroup(of: Bool.self) { group in
            for check in StoreConformance.all {
                group.addTask { await !Self.failures(of: check, fault, patience: .seconds(6), place).isEmpty }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        print("\(fault): found by \(failed) of \(StoreConformance.all.count) checks in \(ContinuousClock.now - start)")
        #expect(failed >= 8)
    }

    @Test func `a slow store passes, also after another one of the same line was found to block`() async throws {
        let (failures, place) = (Recorder<String>(), #_sourceLocation)
        let checks = StoreConformance.all.filter { check in
            ["an observer may wait", "an observer may sync", "a writer does not", "a canceled observer"]
                .contains { check.name.hasPrefix($0) }
        }
        #expect(checks.count == 4)
        let blocking = await Self.failures(of: checks[0], .notifiesFromOneQueue, patience: .milliseconds(200), place)
        #expect(!blocking.isEmpty)
        for check in checks {
            try await check.verify(
                makeStore: {
                    let store = ScriptedStore()
                    // Paces calls as a slow disk does: all writes of a check take longer than the patience, which one does not.
                    store.before(.write) { usleep(20_000) }
                    store.before(.synchronize) { usleep(300_000) }
                    return store
                },
                patience: .seconds(2),
                sourceLocation: place,
                record: failures.record
            )
        }
        #expect(failures.values == [])
    }

    /// Returns the failures of a check, and the error that it throws.
    private static func failures(
        of check: StoreConformance,
        _ fault: BrokenStore.Fault,
        patience: Duration,
        _ place: SourceLocation = #_sourceLocation
    ) async -> [String] {
        let failures = Locked<[String]>([])
        let media = Recorder<SharedMedium>()
        do {
            try await check.verify(
                makeStore: {
                    let medium = SharedMedium()
                    media.record(medium)
                    return try BrokenStore(fault, on: medium)
                },
                reopen: { _ in try BrokenStore(fault, on: media.values[0]) },
                medium: { SharedMedium.make(fault) },
                patience: patience,
                sourceLocation: place
            ) { failure in
                failures.withLock { $0.append(failure) }
            }
        } catch {
            failures.withLock { $0.append("\(error)") }
        }
        return failures.withLock(\.self)
    }

    @Test func `a place that cannot be shared and cannot fail leaves the checks of that out`() async throws {
        for check in StoreConformance.all where check.name.contains("place") {
            try await check.verify(
                makeStore: { InMemoryStore() },
                medium: {
                    .init(isShared: false) {
                        Issue.record("a store was opened on the place")
                        return InMemoryStore()
                    }
                }
            )
        }
    }

    @Test func `a failure is recorded where the check was called`() async throws {
        let check = try #require(StoreConformance.all.first { $0.promise == 6 })
        let line = #line + 2
        try await withKnownIssue {
            try await check.verify(makeStore: { try BrokenStore(.acceptsAnyKey) })
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileName == "StoreConformanceTests.swift"
        }
    }
}
