@_spi(StoreAuthors) internal import KeyspanCore

/// The store that a check of ``StoreConformance`` works on, and the place where the check records failures.
struct StoreUnderTest: Sendable {
    let scale: StoreConformance.Scale
    let make: @Sendable () throws -> any PropertyListStore
    let reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)?
    let patience: Duration
    let record: @Sendable (_ failure: String) -> Void

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

    /// Waits until the condition holds, for stores that deliver from a thread of their own.
    ///
    /// - Returns: Whether it came to hold; otherwise the failure was recorded.
    @discardableResult
    func expectEventually(_ failure: String, _ condition: () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        while !condition() {
            guard ContinuousClock.now < deadline else {
                record(failure)
                return false
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
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
}
