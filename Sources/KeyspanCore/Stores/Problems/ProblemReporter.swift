/// Passes problems to the handler in force, each unreadable value once.
package final class ProblemReporter: Sendable {
    package typealias Handler = @Sendable (Defaults.Problem) -> Void

    package static let shared = ProblemReporter()

    /// An unreadable value is one of these: a key in a store.
    private struct Place: Hashable {
        let store: UInt64
        @UTF8Text var key: String
    }

    private struct State {
        var handler: Handler?
        var fallback: Handler?
        var reported: [Place: StoredValue] = [:]
        /// Unknown names that were found before there was anyone to report them to: arguments and variables are often read
        /// before the first file is opened.
        var early: [Defaults.Problem] = []
    }

    private static let maximumEarly = 100

    // Bounds the memory of a program that opens stores without end; forgetting only repeats a report.
    private static let maximumRemembered = 10_000

    private let state = Locked(State())

    func setHandler(_ handler: Handler?) {
        let replaced = state.withLock { state in
            defer { state.handler = handler }
            return state.handler
        }
        reportEarly()
        // Released here, not under the lock: releasing a closure can run anyone's `deinit`, which may report a problem.
        withExtendedLifetime(replaced) {}
    }

    /// Sets what is called while no one has set a handler: the modules that may write to standard error do so.
    package func setFallback(_ handler: @escaping Handler) {
        let replaced = state.withLock { state in
            defer { state.fallback = handler }
            return state.fallback
        }
        reportEarly()
        withExtendedLifetime(replaced) {}
    }

    /// Reports what was found before there was a handler to that of the process, because the running operation did not find it;
    /// called without the lock.
    private func reportEarly() {
        let early = state.withLock { state in
            if state.handler == nil, state.fallback == nil { return [Defaults.Problem]() }
            defer { state.early = [] }
            return state.early
        }
        OperationScope.leave { early.forEach(report) }
    }

    package func report(_ problem: Defaults.Problem) {
        if HeldProblems.take(problem) { return }
        // The handler of the running operation comes before the one of the process.
        let handler =
            OperationScope.current?.problemHandler
            ?? state.withLock { state in
                if let handler = state.handler ?? state.fallback { return handler }
                if case .unknownName = problem, state.early.count < Self.maximumEarly { state.early.append(problem) }
                return nil
            }
        guard let handler else { return }
        // Changes that a handler makes are not part of a quiet closure whose write happens to fail.
        QuietScope.leave { handler(problem) }
    }

    /// Reports what is wrong with a stored value, unless that was done for the same key and value before.
    func report(
        once stored: StoredValue,
        ofKey key: String,
        in store: any PropertyListStore,
        problems: () -> [Defaults.Problem]
    ) {
        guard isNew(stored, ofKey: key, in: store) else { return }
        for problem in problems() {
            report(problem)
        }
    }

    private func isNew(_ stored: StoredValue, ofKey key: String, in store: any PropertyListStore) -> Bool {
        // The address identifies a store without revisions; a later store at the same address is rare and harmless.
        let identifier = store.revision?.store ?? UInt64(UInt(bitPattern: ObjectIdentifier(store)))
        let place = Place(store: identifier, key: key)
        return state.withLock { state in
            guard state.reported[place] != stored else { return false }
            if state.reported.count == Self.maximumRemembered { state.reported = [:] }
            state.reported[place] = stored
            return true
        }
    }
}

extension Defaults.Problem {
    package func report() {
        ProblemReporter.shared.report(self)
    }
}
