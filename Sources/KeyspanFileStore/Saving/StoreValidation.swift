package import KeyspanCore
import Synchronization

/// Lets what others wrote into memory, unless one of those who use the store refuses it.
///
/// A version that was refused is looked at again when others have written more; until then the values before it stay.
package final class StoreValidation: Sendable {
    /// Looks at the whole contents of a store, and throws if they are not to come into force.
    package typealias Validator = @Sendable (PropertyListTable) throws -> Void

    /// What a validator is removed with.
    struct Ticket: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private struct State {
        var validators: [Ticket: Validator] = [:]
        var tickets: UInt64 = 0
        var refused: (arrivals: UInt64, error: any Error)?
        var threads: [ThreadIdentity] = []
    }

    private let state = Locked(State())
    private let runningCount = Atomic(0)

    /// Makes a validation without validators.
    init() {}

    /// Whether the calling thread is within a validator; one atomic load if no thread is.
    var isRunningOnThisThread: Bool {
        guard runningCount.load(ordering: .relaxed) > 0 else { return false }
        let thread = ThreadIdentity.current
        return state.withLock { $0.threads.contains(thread) }
    }

    /// Adds the validator of one user of the store.
    func add(_ validator: @escaping Validator) -> Ticket {
        state.withLock { state in
            state.tickets += 1
            let ticket = Ticket(number: state.tickets)
            state.validators[ticket] = validator
            return ticket
        }
    }

    /// Removes a validator, which is released without a lock because it may hold the last reference to a store.
    func remove(_ ticket: Ticket) {
        let released = state.withLock { state in
            // The others may accept what this one refused.
            defer { state.refused = nil }
            return (state.validators.removeValue(forKey: ticket), state.refused)
        }
        withExtendedLifetime(released) {}
    }

    /// Lets in what waits in the ledger.
    ///
    /// The validators are called on this thread, and without the lock of the table or the ledger.
    ///
    /// - Parameters:
    ///   - ledger: What others wrote.
    ///   - contents: The table in memory; ``CommittedTable/deliver()`` is to follow.
    ///   - refuse: Called once for each version that is refused.
    /// - Returns: Why what waits was refused; `nil` if nothing waits any more.
    func admit(
        from ledger: borrowing Locked<WriteLedger>,
        to contents: borrowing CommittedTable,
        orTell refuse: (any Error) -> Void
    ) -> (any Error)? {
        while true {
            let (validators, refused) = state.withLock { (Array($0.validators.values), $0.refused) }
            guard let arrivals = ledger.withLock({ $0.hasArrivals ? $0.arrivals : nil }) else { return nil }
            if let refused, refused.arrivals == arrivals { return refused.error }
            if !validators.isEmpty, let error = problem(of: arrivals, validators, ledger, contents) {
                if note(error, refusing: arrivals) { refuse(error) }
                return error
            }
            var isUpToDate = true
            contents.merge(deliveringInBackground: true) { table in
                ledger.withLock { ledger in
                    isUpToDate = validators.isEmpty || ledger.arrivals == arrivals
                    return isUpToDate ? ledger.admit(to: &table) : []
                }
            }
            if isUpToDate { return nil }
        }
    }

    private func problem(
        of arrivals: UInt64,
        _ validators: [Validator],
        _ ledger: borrowing Locked<WriteLedger>,
        _ contents: borrowing CommittedTable
    ) -> (any Error)? {
        var table = contents.snapshot()
        var copy = ledger.withLock { $0 }
        _ = copy.admit(to: &table)
        begin()
        defer { end() }
        do {
            for validate in validators { try validate(table) }
            return nil
        } catch {
            return error
        }
    }

    private func begin() {
        let thread = ThreadIdentity.current
        state.withLock { $0.threads.append(thread) }
        runningCount.wrappingAdd(1, ordering: .relaxed)
    }

    private func end() {
        let thread = ThreadIdentity.current
        state.withLock { state in
            guard let index = state.threads.lastIndex(of: thread) else { return }
            state.threads.remove(at: index)
        }
        runningCount.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Notes that a version was refused, and answers whether that is news.
    private func note(_ error: any Error, refusing arrivals: UInt64) -> Bool {
        // The error before is released after the lock.
        let before = state.withLock { state in
            defer { state.refused = (arrivals, error) }
            return state.refused
        }
        return before?.arrivals != arrivals
    }
}
