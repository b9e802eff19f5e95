internal import KeyspanCore

/// What a check of ``StoreConformance`` works on, and where it records what is wrong.
struct StoreUnderTest: Sendable {
    let make: @Sendable () throws -> any PropertyListStore
    let reopen: (@Sendable (_ name: String) throws -> any PropertyListStore)?
    let patience: Duration
    let record: @Sendable (_ failure: String) -> Void

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

    /// Runs a part of the check on a thread of its own, and records in the task of the test what that finds.
    func onThread<Result: Sendable>(
        _ body: @escaping @Sendable (StoreUnderTest) throws -> Result
    ) async throws -> Result {
        let failures = Locked<[String]>([])
        defer { failures.withLock(\.self).forEach(record) }
        let test = StoreUnderTest(make: make, reopen: reopen, patience: patience) { failure in
            failures.withLock { $0.append(failure) }
        }
        return try await TestThread.run { try body(test) }
    }

    /// Waits until the condition holds, for stores that deliver from a thread of their own.
    ///
    /// - Returns: Whether it came to hold; if not, the failure was recorded.
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

extension PropertyListStore {
    /// Applies one write.
    func write(_ value: PropertyListValue?, forKey key: String) throws {
        var batch = PropertyListBatch()
        batch.set(value, forKey: key)
        try apply(batch)
    }
}
