/// Which keys of a store an observer wants to hear about.
public enum ObservedKeys: Sendable, Hashable {
    /// Every key.
    case all
    /// The keys of these names.
    case named(Set<UTF8Text>)

    /// The keys of these names; two spellings of one text are two names.
    public static func named(_ names: [String]) -> ObservedKeys {
        .named(Set(names.map { UTF8Text($0) }))
    }

    /// The part of a change that concerns these keys, or `nil` if none of it does.
    func filter(_ change: PropertyListChange) -> PropertyListChange? {
        guard case .named(let names) = self else { return change }
        return change.part(concerning: names)
    }

    /// The present values of these keys, as the change that an observer hears first.
    func initialChange(from table: PropertyListTable) -> PropertyListChange {
        let entries: [PropertyListChange.Entry] =
            switch self {
            case .all:
                table.map { PropertyListChange.Entry(key: $0.key, storedOld: nil, storedNew: table[stored: $0.key]) }
            case .named(let names):
                names.map { name in
                    let key = name.wrappedValue
                    return PropertyListChange.Entry(key: key, storedOld: nil, storedNew: table[stored: key])
                }
            }
        return PropertyListChange(entries: entries, isInitial: true)
    }
}
