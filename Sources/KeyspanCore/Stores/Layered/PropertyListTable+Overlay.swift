extension PropertyListTable {
    /// These entries, and those of a lower table for all other keys.
    ///
    /// - Complexity: O(*m* log *n*) for *m* keys in the smaller and *n* in the larger table.
    func overlaid(on lower: PropertyListTable) -> PropertyListTable {
        if count < lower.count {
            var result = lower
            for (key, value) in self {
                result[key] = value
            }
            return result
        }
        var result = self
        for (key, value) in lower where self[key] == nil {
            result[key] = value
        }
        return result
    }
}
