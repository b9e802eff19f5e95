/// Which keys of a store an observer wants to hear about.
public enum ObservedKeys: Sendable, Hashable {
    /// Every key.
    case all
    /// The keys of these names.
    case named(Set<UTF8Text>)

    /// The part of a change that concerns these keys, or `nil` if none of it does.
    func filter(_ change: PropertyListChange) -> PropertyListChange? {
        guard case .named(let names) = self else { return change }
        return change.part(concerning: names)
    }

    /// The present values of these keys, as the change that an observer hears first.
    func initialChange(from table: PropertyListTable) -> PropertyListChange {
        let entries: [PropertyListChange.Entry] =
            switch self {
            case .all: table.map { PropertyListChange.Entry(key: $0.key, old: nil, new: $0.value) }
            case .named(let names):
                names.map { name in
                    let key = name.wrappedValue
                    return PropertyListChange.Entry(key: key, old: nil, new: table[key])
                }
            }
        return PropertyListChange(entries: entries, isInitial: true)
    }
}
