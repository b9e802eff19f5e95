/// How many elements a receiver has asked for and not got.
struct Demand: Equatable {
    /// Nothing.
    static let none = Demand(remaining: 0)

    /// All that there will ever be.
    static let unlimited = Demand(remaining: nil)

    // `nil` for no limit.
    private var remaining: Int?

    /// At most so many.
    static func max(_ count: Int) -> Demand { Demand(remaining: count) }

    /// Adds what was asked for in addition.
    ///
    /// A sum that no integer holds is no limit.
    static func += (demand: inout Demand, more: Demand) {
        guard let left = demand.remaining, let right = more.remaining else { return demand = .unlimited }
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        demand.remaining = isTooLarge ? nil : sum
    }

    /// Takes one element off.
    ///
    /// - Returns: Whether one was asked for.
    mutating func take() -> Bool {
        guard let remaining else { return true }
        guard remaining > 0 else { return false }
        self.remaining = remaining - 1
        return true
    }
}
