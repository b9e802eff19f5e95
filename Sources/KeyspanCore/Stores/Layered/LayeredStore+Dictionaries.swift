extension LayeredStore {
    /// The rule for a dictionary that several layers have.
    public enum Dictionaries: Sendable, Hashable {
        /// The one of the highest layer, whole.
        case whole

        /// The members of all of them, each from the highest layer that has it; so on for members that are dictionaries.
        ///
        /// The layers are merged from the lowest up. A value of another kind hides everything below it.
        case merged

        /// As ``merged`` for the keys of these names, and as ``whole`` for all others.
        case mergedForKeys(Set<UTF8Text>)

        /// Whether a value of a key lets members of lower layers be seen.
        func isOpen(_ stored: StoredValue, ofKey key: String) -> Bool {
            guard case .dictionary = stored.value else { return false }
            return switch self {
            case .whole: false
            case .merged: true
            case .mergedForKeys(let keys): keys.contains(key)
            }
        }

        /// What readers see of a value over a lower one.
        func value(_ upper: StoredValue?, over lower: StoredValue?, ofKey key: String) -> StoredValue? {
            guard let upper else { return lower }
            guard let lower, isOpen(upper, ofKey: key) else { return upper }
            return StoredValue(upper.value.merged(over: lower.value), extent: .merged(upper, over: lower))
        }
    }
}

extension PropertyListValue {
    /// The members of this dictionary and those of a lower one that it has not; another value as it is.
    func merged(over lower: PropertyListValue) -> PropertyListValue {
        guard case .dictionary(let upperMembers) = self, case .dictionary(let lowerMembers) = lower else { return self }
        return .dictionary(upperMembers.merging(lowerMembers) { $0.merged(over: $1) })
    }
}

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
