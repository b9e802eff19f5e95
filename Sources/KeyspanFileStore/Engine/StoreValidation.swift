@_spi(StoreAuthors) package import KeyspanCore

/// Lets other processes' writes take effect in memory, unless a validator of the store rejects them.
///
/// A rejected version is examined again when others have written more; until then the previous values stay.
package final class StoreValidation: Sendable {
    /// Examines the whole contents of a store, and throws to reject them.
    package typealias Validator = @Sendable (PropertyListTable) throws -> Void

    /// Identifies a validator.
    struct Ticket: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private struct State {
        var validators: [Ticket: Validator] = [:]
        var valueChecks: [Ticket: UnusableValueCheck] = [:]
        /// The number of validators and checks that were added.
        var tickets: UInt64 = 0
        var rejected: (arrivals: UInt64, error: any Error)?
        /// The number of the last version whose examination was noted.
        var noted: UInt64 = 0
        /// The last version of others that was rejected as a whole.
        var refused: UInt64?
        var heldReports = HeldBackReports()
    }

    private let state = Locked(State())
    /// The calls of validators, rules and bridges.
    let examination = Examination()

    /// Makes a validation without validators.
    init() {}

    /// Adds the validator of one user of the store.
    func add(_ validator: @escaping Validator) -> Ticket {
        state.withLock { state in
            state.tickets += 1
            let ticket = Ticket(number: state.tickets)
            state.validators[ticket] = validator
            return ticket
        }
    }

    /// Adds the check of values of one user of the store.
    func add(_ check: UnusableValueCheck) -> Ticket {
        state.withLock { state in
            state.tickets += 1
            let ticket = Ticket(number: state.tickets)
            state.valueChecks[ticket] = check
            return ticket
        }
    }

    /// Removes a validator or a check, which is released without a lock because it may hold the last reference to a store.
    func remove(_ ticket: Ticket) {
        let released = state.withLock { state in
            // The others may accept what this one rejected.
            defer { state.rejected = nil }
            return (
                state.validators.removeValue(forKey: ticket), state.valueChecks.removeValue(forKey: ticket),
                state.rejected
            )
        }
        withExtendedLifetime(released) {}
    }

    /// Lets the ledger's incoming writes take effect, but for those of values that are held back.
    ///
    /// The validators are called on this thread, and without the lock of the table or the ledger.
    ///
    /// - Parameters:
    ///   - ledger: The writes of other processes.
    ///   - contents: The table in memory; the caller then calls ``CommittedTable/deliver()``.
    ///   - size: The estimated size of the table.
    ///   - isFileHeld: Whether the calling thread keeps others from the file meanwhile.
    ///   - onAdmission: Called if writes have changed the table, under no lock of it.
    ///   - onRejection: Called once for each version that is rejected, and for each value that is held back.
    /// - Returns: Why incoming writes were rejected or held back; `nil` if none are left.
    func admit(
        from ledger: borrowing Locked<WriteLedger>,
        to contents: borrowing CommittedTable,
        of size: borrowing FileSizeEstimate,
        holdingFile isFileHeld: Bool = false,
        onAdmission: () -> Void,
        onRejection: (any Error) -> Void
    ) -> (any Error)? {
        while true {
            let (arrivals, incoming) = ledger.withLock { ($0.arrivals, $0.hasArrivals ? $0 : nil) }
            guard let incoming else {
                note(nil, of: arrivals)
                return nil
            }
            let (validators, checks, rejected, tickets) = state.withLock { state in
                (Array(state.validators.values), Array(state.valueChecks.values), state.rejected, state.tickets)
            }
            if let rejected, rejected.arrivals == arrivals { return rejected.error }
            let isExamined = !validators.isEmpty || !checks.isEmpty
            var held: (values: HeldValues, table: PropertyListTable)?
            if isExamined {
                do {
                    held = try examination.run(exclusively: isFileHeld) {
                        try examine(incoming, over: contents.snapshot(), with: validators, checks)
                    }
                } catch {
                    if note(error, of: arrivals, refusing: incoming.versions) { onRejection(error) }
                    return error
                }
            }
            var (isUpToDate, isChange) = (true, false)
            contents.merge(deliveringInBackground: true) { table in
                ledger.withLock { ledger in
                    // A store that opens meanwhile examines what memory has once its validator was added.
                    isUpToDate =
                        state.withLock { $0.tickets == tickets } && (!isExamined || ledger.arrivals == arrivals)
                    guard isUpToDate else { return [] }
                    ledger.accept(holdingBack: held?.values.entries ?? [])
                    let changes = ledger.show(in: &table)
                    isChange = !changes.isEmpty
                    for change in changes { size.add(FileSizeEstimate.growth(by: change.new, forKey: change.key)) }
                    return changes
                }
            }
            if isChange { onAdmission() }
            guard isUpToDate else { continue }
            if note(held?.values, of: arrivals, held?.table ?? [:]), let held { onRejection(held.values) }
            return held?.values
        }
    }

    /// Examines the table with the version of others.
    ///
    /// The validators see it without the values that are held back, as it will be.
    ///
    /// - Returns: The values that are held back, and the table with them; `nil` if there are none.
    /// - Throws: The error of a check that refuses such values, or of the first validator that rejects the table.
    private func examine(
        _ ledger: WriteLedger,
        over before: PropertyListTable,
        with validators: [Validator],
        _ checks: [UnusableValueCheck]
    ) throws -> (values: HeldValues, table: PropertyListTable)? {
        let (visible, written) = (ledger.visible, ledger.visible(acceptingAllBut: []))
        // What this process has written since is not examined.
        if before.changes(of: ledger.awaitedEntries, to: written).isEmpty { return nil }
        var (after, held, isFinal) = (written, HeldValues(), false)
        // Repeated, because a value that is held back may be inside of the value of another key.
        while !isFinal {
            isFinal = true
            for check in checks {
                let error = check.unusableValues(
                    in: after,
                    after: check.policy == .areRefused ? nil : visible,
                    beside: checks,
                    writtenTo: ledger.awaitedEntries.map(\.wrappedValue),
                    unless: { visible[$0] == written[$0] || held.entries.contains(UTF8Text($0)) }
                )
                guard let error else { continue }
                if check.policy == .areRefused { throw error }
                if held.append(error) { isFinal = false }
            }
            if !isFinal { after = ledger.visible(acceptingAllBut: held.entries) }
        }
        for validate in validators { try validate(after) }
        return held.entries.isEmpty ? nil : (held, written)
    }

    /// Notes what the examination of a version has found.
    ///
    /// - Parameters:
    ///   - error: Why the version was rejected, or which of its values are held back; `nil` if all of it is in effect.
    ///   - arrivals: The number of the version.
    ///   - table: The version, if values of it are held back.
    ///   - version: The number of the version as others wrote it, if all of it is rejected.
    /// - Returns: Whether to report that: neither the version nor a later one was rejected before, and not all of the values
    ///   were held back before.
    @discardableResult
    private func note(
        _ error: (any Error)?,
        of arrivals: UInt64,
        _ table: PropertyListTable = [:],
        refusing version: UInt64? = nil
    ) -> Bool {
        // Released after the lock.
        var previous: (any Error)?
        defer { withExtendedLifetime(previous) {} }
        return state.withLock { state in
            if arrivals < state.noted || state.rejected?.arrivals == arrivals { return false }
            state.noted = arrivals
            let held = error as? HeldValues
            if let error {
                previous = state.rejected?.error
                state.rejected = (arrivals, error)
            }
            if let version {
                defer { state.refused = version }
                return state.refused != version
            }
            return state.heldReports.note(held, of: table)
        }
    }
}

/// The values that are held back, as the reason why.
struct HeldValues: Error, CustomStringConvertible {
    private(set) var entries: Set<UTF8Text> = []
    private(set) var description = ""

    /// Adds values that are held back, by another store or together with others.
    ///
    /// - Returns: Whether they were not all held back already, as by a store with the same keys.
    mutating func append(_ error: UnusableValuesError) -> Bool {
        if error.entries.isSubset(of: entries) { return false }
        entries.formUnion(error.entries)
        description += (description.isEmpty ? "" : "; ") + error.description
        return true
    }
}
