extension PropertyListValue {
    /// Whether collections are nested deeper than that; looks no further than one level beyond the limit.
    ///
    /// The recursion is bounded by the limit, so a value of any depth is safe to ask.
    ///
    /// - Parameter limit: How many levels are allowed, ``maximumNesting`` if not given.
    /// - Complexity: O(*n*) in the number of values; O(1) for a value that is no collection.
    public func isNestedDeeper(than limit: Int = Self.maximumNesting) -> Bool {
        switch self {
        case .array(let elements):
            limit < 1 || elements.contains { $0.isNestedDeeper(than: limit - 1) }
        case .dictionary(let entries):
            limit < 1 || entries.values.contains { $0.isNestedDeeper(than: limit - 1) }
        case .boolean, .integer, .real, .string, .date, .data:
            false
        }
    }
}
