internal import Synchronization

/// An object that is opened once for all threads, at its first use, and reports problems only when all threads can use it.
///
/// It is kept in a `static let`, whose initializer blocks every thread that arrives meanwhile, its own included. So `open` must
/// not call code of the program; ``published`` calls problem handlers, which are such code.
package struct OpenedOnce<Value: Sendable>: Sendable {
    /// The opened object, whose problems may not have been reported yet.
    package let value: Value

    private let problems: HeldProblems

    /// Opens something.
    package init(_ open: () -> Value) {
        (value, problems) = HeldProblems.hold(open)
    }

    /// The opened object, after its problems were reported; called without a lock, and not by the initializer of a `static let`.
    package var published: Value {
        problems.release()
        return value
    }
}

/// Problems that were met while something was opened for all threads, until it is there for all of them.
///
/// A handler of problems is code of the program and may use what is being opened. If it were called in between, it would wait
/// for its own thread.
package final class HeldProblems: Sendable {
    private struct State {
        var reports: [(problem: Defaults.Problem, scope: OperationScope?)] = []
        var isOver = false
    }

    @TaskLocal private static var current: HeldProblems?

    private let state = Locked(State())
    private let isReleased = Atomic(false)

    private init() {}

    /// Runs code and holds the problems that it reports, until they are released.
    package static func hold<Result>(_ body: () throws -> Result) rethrows -> (Result, HeldProblems) {
        let held = HeldProblems()
        do {
            return (try $current.withValue(held, operation: body), held)
        } catch {
            held.release()
            throw error
        }
    }

    /// Reports the problems, once, in the scopes in which they were met; called without a lock.
    ///
    /// Costs one atomic load if that was done. Called while others are held, it hands them to those.
    package func release() {
        guard !isReleased.load(ordering: .acquiring) else { return }
        let reports = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.reports
        }
        isReleased.store(true, ordering: .releasing)
        for report in reports {
            OperationScope.run(in: report.scope) { report.problem.report() }
        }
    }

    /// Takes a problem if the code that reports it runs where problems are held.
    static func take(_ problem: Defaults.Problem) -> Bool {
        guard let held = current else { return false }
        let scope = OperationScope.current
        return held.state.withLock { state in
            // A task that was started where problems are held can outlive that.
            guard !state.isOver else { return false }
            state.reports.append((problem, scope))
            return true
        }
    }
}
