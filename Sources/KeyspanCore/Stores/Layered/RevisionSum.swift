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
// Unchecked because of the pointer. The references behind it never change, and `counted` retains their objects as long as this
// one lives.
final class RevisionSum: @unchecked Sendable {
    // References without counts, so that threads that read do not contend for a count.
    private let cells: UnsafeMutableBufferPointer<Unmanaged<RevisionCells>>
    private let counted: [RevisionCells]
    private let others: [any PropertyListStore]
    private let hasOthers: Bool

    /// Makes the sum of stores.
    init(of stores: [any PropertyListStore]) {
        let cells = stores.map { ($0 as? any CountingStore)?.revisionCells }
        counted = cells.flatMap { $0 ?? [] }
        others = zip(stores, cells).compactMap { $1 == nil ? $0 : nil }
        hasOthers = !others.isEmpty
        self.cells = .allocate(capacity: counted.count)
        _ = self.cells.initialize(from: counted.map { Unmanaged.passUnretained($0) })
    }

    deinit {
        cells.deallocate()
    }

    /// The number of a stripe's state; `nil` if one of the stores does not number its states.
    func generation(of stripe: KeyStripe) -> UInt64? {
        var sum: UInt64 = 0
        for cells in cells {
            sum &+= cells._withUnsafeGuaranteedRef { $0.generation(of: stripe) }
        }
        if !hasOthers { return sum }
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
