internal import Synchronization

/// The program's own code that examines the contents of one source: validators, rules, bridges and `Codable` types.
///
/// Such code may call any store, although other threads may wait for its source meanwhile. So a call that waits for a source and
/// would never return throws instead: one from within the examination of that source, and one whose answer waits, through the
/// examinations that other threads run, for the thread that makes it.
package final class Examination: Sendable {
    /// A thread, and the source that it examines or waits for.
    fileprivate struct Hold: Hashable {
        let thread: ThreadIdentity
        let source: ObjectIdentifier
        /// Whether other threads cannot use the source until the examination ends.
        var isExclusive = false
    }

    fileprivate struct Holds {
        var running: [Hold] = []
        var waiting: [Hold] = []

        /// Whether a source becomes free only after a thread has ended its examinations.
        func isFree(_ source: ObjectIdentifier, onlyAfter thread: ThreadIdentity) -> Bool {
            var (sources, seen) = ([source], Set([source]))
            while let source = sources.popLast() {
                for examiner in running where examiner.source == source && examiner.isExclusive {
                    if examiner.thread == thread { return true }
                    sources += waiting.filter { $0.thread == examiner.thread && seen.insert($0.source).inserted }.map(
                        \.source
                    )
                }
            }
            return false
        }
    }

    /// The examinations of all sources of the process, and the waits of the threads that run them.
    fileprivate static let holds = Locked(Holds())
    private static let runningCount = Atomic(0)

    /// Makes the examination of a source.
    package init() {}

    /// Whether the calling thread examines any source; one atomic load if no thread does.
    package static var isRunningOnThisThread: Bool { isRunning { _ in true } }

    /// Whether the calling thread examines this source.
    package var isRunningOnThisThread: Bool {
        Self.isRunning { [source = ObjectIdentifier(self)] in $0.source == source }
    }

    /// Whether the calling thread examines any source that other threads cannot use meanwhile.
    package static var isExclusiveOnThisThread: Bool { isRunning(where: \.isExclusive) }

    private static func isRunning(where matches: (Hold) -> Bool) -> Bool {
        guard runningCount.load(ordering: .relaxed) > 0 else { return false }
        let thread = ThreadIdentity.current
        return holds.withLock { holds in holds.running.contains { $0.thread == thread && matches($0) } }
    }

    /// Runs code of the program.
    ///
    /// - Parameters:
    ///   - isExclusive: Whether the caller holds a lock that other uses of the source need.
    ///   - examine: Calls the code.
    package func run<Result, Failure: Error>(
        exclusively isExclusive: Bool = false,
        _ examine: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let hold = Hold(thread: .current, source: ObjectIdentifier(self), isExclusive: isExclusive)
        Self.holds.withLock { $0.running.append(hold) }
        Self.runningCount.wrappingAdd(1, ordering: .relaxed)
        defer {
            Self.runningCount.wrappingSubtract(1, ordering: .relaxed)
            Self.holds.withLock { holds in
                if let index = holds.running.lastIndex(of: hold) { holds.running.remove(at: index) }
            }
        }
        return try examine()
    }

    /// Throws if the calling thread examines this source.
    ///
    /// - Parameter store: The store's name, for errors.
    /// - Throws: ``StoreError`` with ``StoreError/Code/validating``.
    package func checkNotRunning(for store: String) throws(StoreError) {
        guard isRunningOnThisThread else { return }
        throw .refused(
            store,
            "a validator, rule or bridge of the store writes, opens, reloads or synchronizes the store itself"
        )
    }

    /// A call of an examining thread that may wait for a source.
    package struct Wait: Sendable {
        fileprivate let hold: Hold

        /// Notes that the thread waits no more.
        package func end() {
            Examination.holds.withLock { holds in
                if let index = holds.waiting.lastIndex(of: hold) { holds.waiting.remove(at: index) }
            }
        }
    }

    /// Notes that the calling thread may wait until this source is free.
    ///
    /// - Parameter store: The store's name, for errors.
    /// - Returns: The wait, which the caller ends; `nil` if the thread examines nothing.
    /// - Throws: ``StoreError`` with ``StoreError/Code/validating`` if the thread examines this source, or would wait forever.
    package func beginWait(for store: String) throws(StoreError) -> Wait? {
        guard Self.isRunningOnThisThread else { return nil }
        try checkNotRunning(for: store)
        let hold = Hold(thread: .current, source: ObjectIdentifier(self))
        let isRefused = Self.holds.withLock { holds in
            if holds.isFree(hold.source, onlyAfter: hold.thread) { return true }
            holds.waiting.append(hold)
            return false
        }
        guard isRefused else { return Wait(hold: hold) }
        throw .refused(
            store,
            "a validator, rule or bridge of another store uses the store, which waits for that other store"
        )
    }
}

extension StoreError {
    fileprivate static func refused(_ store: String, _ reason: String) -> StoreError {
        StoreError(.validating, store: store, reason: reason, remedy: "let it only look at what it is given")
    }
}
