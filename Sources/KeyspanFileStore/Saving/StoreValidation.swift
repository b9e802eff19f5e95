package import KeyspanCore

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
        var refused: UInt64?
    }

    private let state = Locked(State())

    /// Makes a validation without validators.
    init() {}

    /// Whether there are validators.
    var isNeeded: Bool { state.withLock { !$0.validators.isEmpty } }

    /// Adds the validator of one user of the store.
    func add(_ validator: @escaping Validator) -> Ticket {
        state.withLock { state in
            state.tickets += 1
            let ticket = Ticket(number: state.tickets)
            state.validators[ticket] = validator
            return ticket
        }
    }

    /// Removes a validator.
    func remove(_ ticket: Ticket) {
        state.withLock { $0.validators[ticket] = nil }
    }

    /// Lets in what waits in the ledger; called without any lock if there are validators.
    ///
    /// - Parameters:
    ///   - ledger: What others wrote.
    ///   - contents: The table in memory; ``CommittedTable/deliver()`` is to follow.
    ///   - refuse: Called once for each version that is refused.
    func admit(
        from ledger: borrowing Locked<WriteLedger>,
        to contents: borrowing CommittedTable,
        orTell refuse: (any Error) -> Void
    ) {
        while true {
            let (validators, refused) = state.withLock { (Array($0.validators.values), $0.refused) }
            let arrivals = ledger.withLock { $0.hasArrivals ? $0.arrivals : nil }
            guard let arrivals, refused != arrivals else { return }
            if !validators.isEmpty, let error = problem(of: arrivals, validators, ledger, contents) {
                if note(refused: arrivals) { refuse(error) }
                return
            }
            var isUpToDate = true
            contents.merge(deliveringInBackground: true) { table in
                ledger.withLock { ledger in
                    isUpToDate = validators.isEmpty || ledger.arrivals == arrivals
                    return isUpToDate ? ledger.admit(to: &table) : []
                }
            }
            if isUpToDate { return }
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
        do {
            for validate in validators { try validate(table) }
            return nil
        } catch {
            return error
        }
    }

    /// Notes that a version was refused, and answers whether that is news.
    private func note(refused arrivals: UInt64) -> Bool {
        state.withLock { state in
            defer { state.refused = arrivals }
            return state.refused != arrivals
        }
    }
}
