internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore
internal import Testing

/// The store that a check of ``StoreConformance`` works on, and the place where the check records failures.
struct StoreUnderTest: Sendable {
    let scale: StoreConformance.Scale
    let make: @Sendable () throws -> any PropertyListStore
    let reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)?
    let makeMedium: (@Sendable () throws -> StoreConformance.Medium)?
    let longPatience: Duration
    let run: ConformanceRun
    let record: @Sendable (_ failure: String) -> Void

    /// How long a wait may last: a short time once one has failed.
    ///
    /// So a store that blocks its users does not take the whole time in each check. A store that is only slow, and checked at the
    /// same line, must not fail within the short time.
    var patience: Duration { run.hasTimedOut ? min(longPatience, .milliseconds(500)) : longPatience }

    /// The number of repetitions at the scale of this run.
    func repetitions(_ quick: Int, thorough: Int) -> Int {
        switch scale {
        case .quick: quick
        case .thorough: thorough
        }
    }

    /// Records a failure unless the condition holds.
    func expect(_ condition: Bool, _ failure: @autoclosure () -> String) {
        if !condition { record(failure()) }
    }

    /// Records a failure unless the write fails with that code and names that key.
    func expect(
        _ code: StoreError.Code,
        forKey key: String,
        from store: any PropertyListStore,
        applying batch: PropertyListBatch
    ) {
        do {
            try store.apply(batch)
            expect(false, "a batch was accepted that should have failed with \(code)")
        } catch {
            expect(error.code == code, "the error was \(error.code) instead of \(code)")
            expect(error.key == key, "the error names \(error.key ?? "no key") instead of \(key)")
        }
    }

    /// Waits until the condition holds, which another thread brings about.
    ///
    /// - Returns: Whether it came to hold; otherwise the failure was recorded.
    @discardableResult
    func expectEventually(_ failure: String, _ condition: () -> Bool) async throws -> Bool {
        let start = ContinuousClock.now
        while !condition() {
            guard ContinuousClock.now - start < patience else {
                recordTimeout(failure)
                return false
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    /// Blocks the thread until another one gives a signal.
    ///
    /// - Parameter progress: How much the other thread has done; the wait begins anew whenever that advances.
    /// - Returns: Whether the signal came in time; otherwise the failure was recorded.
    @discardableResult
    func wait(for signal: DispatchSemaphore, orRecord failure: String, progress: () -> Int = { 0 }) -> Bool {
        if isGiven(signal, progress) { return true }
        recordTimeout(failure)
        return false
    }

    /// Blocks the thread until another one gives a signal, or for as long as a wait may last.
    ///
    /// - Parameter progress: How much the other thread has done; the wait begins anew whenever that advances.
    /// - Returns: Whether the signal came in time.
    func wait(for signal: DispatchSemaphore, progress: () -> Int = { 0 }) -> Bool {
        let isInTime = isGiven(signal, progress)
        if !isInTime { run.noteTimeout() }
        return isInTime
    }

    private func isGiven(_ signal: DispatchSemaphore, _ progress: () -> Int) -> Bool {
        var (start, done) = (ContinuousClock.now, progress())
        while ContinuousClock.now - start < patience {
            // In steps, so that the failure of another wait ends this one too.
            if signal.wait(within: min(patience, .milliseconds(50))) { return true }
            let now = progress()
            if now != done { (start, done) = (.now, now) }
        }
        return false
    }

    /// Records that a wait has failed, and from the second one on that it was a short one.
    private func recordTimeout(_ failure: String) {
        let isShort = run.hasTimedOut
        run.noteTimeout()
        record(isShort ? "\(failure) (waited \(patience), because an earlier wait had failed)" : failure)
    }

    /// Blocks the thread until another one has ended.
    ///
    /// - Returns: Whether it ended in time; otherwise the failure was recorded.
    @discardableResult
    func join(_ thread: TestThread, orRecord failure: String) -> Bool {
        wait(for: thread.done, orRecord: failure)
    }

    /// Starts a thread that writes a value, and waits until a signal says that the observer of the write is called.
    ///
    /// - Returns: The thread, or `nil` if no observer was called, which is recorded.
    func startWriter(
        of value: PropertyListValue,
        forKey key: String,
        to store: any PropertyListStore,
        entered: DispatchSemaphore,
        observer: ChangeRecorder
    ) -> TestThread? {
        let writer = TestThread {
            try? store.write(value, forKey: key)  // A failure shows as a missing change.
            // A write that has returned need not be waited for.
            entered.signal()
        }
        guard wait(for: entered, orRecord: "a write neither returned nor called its observer") else { return nil }
        expect(observer.count > 0, "an observer was not called")
        return observer.count > 0 ? writer : nil
    }

    /// Whether other threads can use the store while it calls an observer; otherwise the failure is recorded.
    ///
    /// A check whose observer calls the store asks this first: if the store holds a lock meanwhile, such a call ends or stops the
    /// process, and no failure would name the check.
    func callsObserversUnlocked() throws -> Bool {
        let store = try make()
        let isUnlocked = Locked(true)
        let recorder = ChangeRecorder()
        let observation = store.observe(.named(["a"]), initial: true) { [weak store] change in
            recorder.receive(change)
            guard let store, isUnlocked.withLock(\.self) else { return }
            let user = TestThread {
                _ = (store.value(forKey: "a"), store.snapshot(), store.revision)
                store.observe(.named(["b"]), initial: true) { _ in }.cancel()
                // Failures are the matter of other checks.
                try? store.write(.init(recorder.count), forKey: "b")
                try? store.synchronize()
            }
            let isFree = join(
                user,
                orRecord: "an observer was called while the store held a lock that its members take"
            )
            if !isFree { isUnlocked.withLock { $0 = false } }
        }
        defer { observation.cancel() }
        try store.write(1, forKey: "a")
        expect(recorder.count == 2, "\(recorder.count) of 2 changes had arrived when the write returned")
        return isUnlocked.withLock(\.self) && recorder.count == 2
    }

    /// A new place that several stores can open; `nil` if the caller has none, and then the check is left out.
    func sharedMedium() throws -> StoreConformance.Medium? {
        if let medium = try makeMedium?(), medium.isShared { return medium }
        noteOmission("with several stores on one place", "a shared `medium:`")
        return nil
    }

    /// A new place that can fail; `nil` if the caller has none, and then the check is left out.
    func failingMedium() throws -> (place: StoreConformance.Medium, setFailing: @Sendable (Bool) -> Void)? {
        if let medium = try makeMedium?(), let setFailing = medium.setFailing { return (medium, setFailing) }
        noteOmission("with a place that fails", "a `medium:` with `setFailing:`")
        return nil
    }

    /// A store that keeps nothing anywhere leaves nothing out.
    private func noteOmission(_ checks: String, _ remedy: String) {
        if reopen != nil || makeMedium != nil { run.noteOmission("the checks \(checks): they need \(remedy)") }
    }
}

/// What all checks share that are called from one line.
final class ConformanceRun: Sendable {
    private struct State {
        var hasTimedOut = false
        var omissions: Set<String> = []
    }

    private static let runs = Locked<[SourceLocation: ConformanceRun]>([:])

    private let location: SourceLocation
    private let state = Locked(State())

    private init(_ location: SourceLocation) {
        self.location = location
    }

    static func of(_ location: SourceLocation) -> ConformanceRun {
        runs.withLock { runs in
            let run = runs[location] ?? ConformanceRun(location)
            runs[location] = run
            return run
        }
    }

    /// Whether another thread has not done in time what a check waited for.
    var hasTimedOut: Bool { state.withLock(\.hasTimedOut) }

    func noteTimeout() {
        state.withLock { $0.hasTimedOut = true }
    }

    /// Prints once which checks are left out.
    func noteOmission(_ omission: String) {
        guard state.withLock({ $0.omissions.insert(omission).inserted }) else { return }
        print("\(location.fileID):\(location.line): StoreConformance leaves out \(omission)")
    }
}

/// An observer that records its calls: their changes, their threads, and whether two of them ever overlapped.
final class ChangeRecorder: Sendable {
    private struct State {
        var changes: [PropertyListChange] = []
        var threads: [ThreadIdentity] = []
        var callsInProgress = 0
        var overlapped = false
    }

    private let state = Locked(State())

    var changes: [PropertyListChange] { state.withLock(\.changes) }

    var count: Int { state.withLock(\.changes.count) }

    /// The thread of each call.
    var threads: [ThreadIdentity] { state.withLock(\.threads) }

    var overlapped: Bool { state.withLock(\.overlapped) }

    /// The new values of one key, in the order of delivery.
    func values(of key: String) -> [PropertyListValue?] {
        changes.compactMap { $0[key] }.map(\.new)
    }

    func receive(_ change: PropertyListChange) {
        receive(change) {}
    }

    /// Records a call, which lasts as long as the body runs.
    func receive(_ change: PropertyListChange, during body: () -> Void) {
        state.withLock { state in
            state.callsInProgress += 1
            state.overlapped = state.overlapped || state.callsInProgress > 1
            state.changes.append(change)
            state.threads.append(.current)
        }
        body()
        state.withLock { $0.callsInProgress -= 1 }
    }
}

extension PropertyListStore {
    /// Applies one write.
    func write(_ value: PropertyListValue?, forKey key: String) throws {
        var batch = PropertyListBatch()
        batch.set(value, forKey: key)
        try apply(batch)
    }

    /// Adds one to a number, and retries until no other write came in between.
    ///
    /// - Throws: The store's error, such as that of a conflict after which the store still has the value that was expected.
    func increment(_ key: String) throws(StoreError) {
        while true {
            let old = value(forKey: key)
            var batch = PropertyListBatch()
            batch.expect(old, forKey: key)
            batch.set(.init((old?.integerValue?.converted(to: Int.self) ?? 0) + 1), forKey: key)
            do {
                return try apply(batch)
            } catch {
                guard error.code == .conflict, value(forKey: key) != old else { throw error }
            }
        }
    }
}
