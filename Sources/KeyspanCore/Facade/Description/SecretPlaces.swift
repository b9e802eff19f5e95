/// The places of secret keys' values in a table.
///
/// Names are paths, so such a value can be inside of the value of another key, or around it.
struct SecretPlaces {
    private let table: PropertyListTable
    private let places: Set<EntryPlace>

    init(of keys: [Defaults.AnyKey], in table: PropertyListTable) {
        self.table = table
        places = Set(keys.filter(\.isSecret).flatMap(\.entryNames).flatMap { table.findAll($0).map(\.place) })
    }

    /// The value of a name with a text in place of each secret value; `nil` without a value.
    func shownValue(named name: String) -> PropertyListValue? {
        table.find(name).map { $0.place.isInside(places) ? Self.hidden : shown($0.value, at: $0.place) }
    }

    /// Whether the value of a name is secret, or a part of it.
    func hidePart(named name: String) -> Bool { !places.isEmpty && shownValue(named: name) != table[name] }

    private func shown(_ value: PropertyListValue, at place: EntryPlace) -> PropertyListValue {
        if places.contains(place) { return Self.hidden }
        guard case .dictionary(let members) = value else { return value }
        return .dictionary(members.reduce(into: [:]) { $0[$1.key] = shown($1.value, at: place.member($1.key)) })
    }

    private static let hidden: PropertyListValue = "(hidden secret)"
}
