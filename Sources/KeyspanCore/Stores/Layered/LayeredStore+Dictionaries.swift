extension LayeredStore {
    /// What readers see of a dictionary that several layers have.
    public enum Dictionaries: Sendable, Hashable {
        /// The one of the highest layer, whole.
        case whole

        /// The members of all of them, each from the highest layer that has it; so on for members that are dictionaries.
        ///
        /// The layers are joined from the lowest up. A value that is no dictionary hides all that is below it.
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
