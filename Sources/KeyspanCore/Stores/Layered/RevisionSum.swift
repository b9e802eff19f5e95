internal import Synchronization

/// The revisions of several stores as one: a number for each stripe that grows with each change of any of the stores.
///
/// The summands are not read at one instant, and need not be, because each of them only grows. A cache keeps, for the sum that
/// a thread read first, the value that it read then. Let another thread read the same sum:
///
/// - If it began after that value was read, none of its summands is less than the other thread's, so with equal sums none is
///   greater. Then nothing has changed, and the value is the present one.
/// - If it began before, the value was the present one at an instant since it began. So it may be the answer.
///
/// The numbers of stores that expose them are read directly, without a call to the store.
// Unchecked because of the pointers. They never change, and `counted` retains the objects whose numbers they point to as long as
// this one lives.
final class RevisionSum: @unchecked Sendable {
    // Pointers without counts, so that threads that read do not contend for a count.
    private let numbers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Atomic<UInt64>>>
    private let counted: [RevisionCells]
    private let others: [any PropertyListStore]
    private let hasOthers: Bool

    /// Makes the sum of stores.
    init(of stores: [any PropertyListStore]) {
        let cells = stores.map { ($0 as? any CountingStore)?.revisionCells }
        counted = cells.flatMap { $0 ?? [] }
        others = zip(stores, cells).compactMap { $1 == nil ? $0 : nil }
        hasOthers = !others.isEmpty
        numbers = .allocate(capacity: counted.count)
        _ = numbers.initialize(from: counted.map(\.numbers))
    }

    deinit {
        numbers.deallocate()
    }

    /// The number of a stripe's state; `nil` if one of the stores does not number its states.
    func generation(of stripe: KeyStripe) -> UInt64? {
        var sum: UInt64 = 0
        for numbers in numbers {
            // A stripe's index is always within the numbers.
            sum &+= numbers[stripe.index].load(ordering: .acquiring)
        }
        return hasOthers ? generation(of: stripe, addedTo: sum) : sum
    }

    /// Adds the numbers of the stores that must be asked.
    @inline(never)
    private func generation(of stripe: KeyStripe, addedTo sum: UInt64) -> UInt64? {
        var sum = sum
        for store in others {
            guard let revision = store.revision(of: stripe) else { return nil }
            sum &+= revision.generation
        }
        return sum
    }

    /// The numbers that are added, if that is all there is to it.
    var revisionCells: [RevisionCells]? { hasOthers ? nil : counted }
}

/// A store that exposes the numbers of its states, so that stores made of it need not ask it for each read.
package protocol CountingStore: PropertyListStore {
    /// The numbers whose sums are the generations of the store's revisions, the same ones each time; none for a store that never
    /// changes, and `nil` for one that must be asked.
    var revisionCells: [RevisionCells]? { get }
}

extension CommittedTable {
    /// The numbers of the table's states.
    package var revisionCells: [RevisionCells] { [counter.cells] }
}
