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
            for (key, value) in storedValues {
                let isOpen = dictionaries.isOpen(value, ofKey: key)
                result[stored: key] =
                    isOpen ? dictionaries.value(value, over: lower[stored: key], ofKey: key) : value
            }
            return result
        }
        var result = self
        for (key, value) in lower.storedValues {
            let own = self[stored: key]
            if own == nil || dictionaries != .whole {
                result[stored: key] = dictionaries.value(own, over: value, ofKey: key)
            }
        }
        return result
    }
}
