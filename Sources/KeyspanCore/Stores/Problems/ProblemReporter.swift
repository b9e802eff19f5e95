#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Passes problems to the handler in force, or else to standard error; each unreadable value once.
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
        var reported: [Place: StoredValue] = [:]
    }

    // Bounds the memory of a program that opens stores without end; forgetting only repeats a report.
    private static let maximumRemembered = 10_000

    private let state = Locked(State())

    func setHandler(_ handler: Handler?) {
        let replaced = state.withLock { state in
            defer { state.handler = handler }
            return state.handler
        }
        // Released here, not under the lock: releasing a closure can run anyone's `deinit`, which may report a problem.
        withExtendedLifetime(replaced) {}
    }

    package func report(_ problem: Defaults.Problem) {
        if HeldProblems.take(problem) { return }
        // The handler of the running operation comes before the one of the process.
        guard let handler = OperationScope.current?.problemHandler ?? state.withLock(\.handler) else {
            return Self.writeLine(about: problem)
        }
        // Changes that a handler makes are not part of a quiet closure whose write happens to fail.
        QuietScope.leave { handler(problem) }
    }

    private static func writeLine(about problem: Defaults.Problem) {
        let line = Array("keyspan: \(problem)\n".utf8)
        // One call for each line keeps the lines of several threads apart. A failure to write to standard error cannot be
        // reported anywhere.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
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
