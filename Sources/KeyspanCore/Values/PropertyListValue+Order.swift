extension PropertyListValue {
    /// A total order of stored values, so that a collection without an order is always stored in the same one.
    ///
    /// Numbers, dates and data go by their value, texts by their UTF-8; values of different kinds and collections by their description.
    @usableFromInline
    static func isOrderedBefore(_ left: Self, _ right: Self) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)) where left != right: left < right || right.isNaN && !left.isNaN
        case (.string(let left), .string(let right)): left.utf8Precedes(right)
        case (.date(let left), .date(let right)): left < right
        case (.data(let left), .data(let right)): left.lexicographicallyPrecedes(right)
        default: left.description.utf8Precedes(right.description)
        }
    }
}
