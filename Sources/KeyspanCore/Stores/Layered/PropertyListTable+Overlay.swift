extension PropertyListTable {
    /// These entries, and those of a lower table for all other keys; dictionaries that both have may be merged.
    ///
    /// - Complexity: O(*m* log *n*) for *m* keys in the smaller and *n* in the larger table, and the members that are merged.
    func overlaid(
        on lower: PropertyListTable,
        dictionaries: LayeredStore.Dictionaries = .whole
    ) -> PropertyListTable {
        if count < lower.count {
            var result = lower
            for (key, value) in self {
                let isOpen = dictionaries.isOpen(value, ofKey: key)
                result[key] = isOpen ? dictionaries.value(value, over: lower[key], ofKey: key) : value
            }
            return result
        }
        var result = self
        for (key, value) in lower {
            let own = self[key]
            if own == nil || dictionaries != .whole {
                result[key] = dictionaries.value(own, over: value, ofKey: key)
            }
        }
        return result
    }
}
