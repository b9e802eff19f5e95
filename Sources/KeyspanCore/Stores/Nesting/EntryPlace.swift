/// Where a value is: the entry, and the members that lead to it through dictionaries.
package struct EntryPlace: Sendable, Hashable {
    /// The key of the entry.
    @UTF8Text package private(set) var key: String
    /// The names of the members, outermost first; none for the value of the entry itself.
    package var path: [String] { names.map(\.wrappedValue) }

    private let names: [UTF8Text]

    /// Makes a place.
    package init(key: String, path: [String] = []) {
        self.key = key
        names = path.map { UTF8Text($0) }
    }

    /// The name by which keys find the value.
    package var name: String { names.isEmpty ? key : key + "." + path.joined(separator: ".") }
}

extension EntryPlace {
    /// The place of a member.
    func member(_ name: String) -> EntryPlace { EntryPlace(key: key, path: path + [name]) }

    /// Whether another one is around it.
    func isInside(_ other: EntryPlace) -> Bool {
        key.hasSameUTF8(as: other.key) && names.count > other.names.count && names.starts(with: other.names)
    }

    /// Whether one of some places is around it.
    package func isInside(_ places: Set<EntryPlace>) -> Bool {
        path.indices.contains { places.contains(EntryPlace(key: key, path: Array(path[..<$0]))) }
    }
}
