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
        if naming != nil || lower.naming != nil { return overlaidByName(on: lower, dictionaries: dictionaries) }
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

    /// These entries over those of a lower table, if names lead into dictionaries of one of them.
    ///
    /// Each name has the value of the upper table that has one for it, also if that is inside of another entry.
    private func overlaidByName(
        on lower: PropertyListTable,
        dictionaries: LayeredStore.Dictionaries
    ) -> PropertyListTable {
        var (upper, result) = (self, lower)
        (upper.listing, result.listing) = (nil, nil)
        for (key, _) in result where key.utf8.contains(GroupNames.dot) && self[key] != nil {
            result.setEntry(key, to: nil)
        }
        for (key, value) in upper.storedValues {
            let hidden = lower.entry(key)
            result.setStoredEntry(key, to: dictionaries.value(value, over: lower[stored: key], ofKey: key))
            if case .dictionary(let members)? = hidden, !dictionaries.isOpen(value, ofKey: key) {
                result.uncover(members, named: key, under: self)
            }
        }
        result.naming = naming ?? lower.naming
        result.listing = listing.map { $0.union(lower.listing) } ?? lower.listing
        return result
    }

    /// Adds the members of a dictionary that an upper table hides and has no values for.
    private mutating func uncover(
        _ members: PropertyListDictionary,
        named prefix: String,
        under upper: PropertyListTable
    ) {
        for (member, value) in members {
            let name = "\(prefix).\(member)"
            switch (upper[name], value) {
            case (nil, _): if entry(name) == nil { setEntry(name, to: value) }
            case (.dictionary?, .dictionary(let inner)): uncover(inner, named: name, under: upper)
            default: break
            }
        }
    }
}
