import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

/// The place of the values of several stores, as a table of a database is: shared, slow, and failing when a test says so.
final class SharedMedium: Sendable {
    private struct State {
        var values: PropertyListTable?
        var isFailing = false
        var openings: UInt32 = 0
    }

    private let state = Locked(State())

    func setFailing(_ isFailing: Bool) {
        state.withLock { $0.isFailing = isFailing }
    }

    /// The number of this opening, from 1.
    func countOpening() -> UInt32 {
        state.withLock { state in
            state.openings += 1
            return state.openings
        }
    }

    /// Reads and writes the values, which are `nil` until a store has made them, in one step that happens as a whole or not at all.
    func transact<Result: Sendable>(
        _ body: (inout PropertyListTable?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // Paces calls as the way there and back does, in which other threads come in between.
        usleep(20)
        return try state.withLock { (state) throws(StoreError) in
            if state.isFailing {
                throw StoreError(.notDurable, store: "medium", reason: "it is not there", remedy: "wait")
            }
            var values = state.values
            let result = try body(&values)
            state.values = values
            return result
        }
    }

    /// The medium of stores with a fault, for the checks.
    static func make(_ fault: BrokenStore.Fault?) -> StoreConformance.Medium {
        let medium = SharedMedium()
        return .init(setFailing: medium.setFailing) { try BrokenStore(fault, on: medium) }
    }
}
