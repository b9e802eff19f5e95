@_spi(StoreAuthors) import KeyspanCore

/// The entries of a property list in which keys are nested, with their places: what a file has whose text is written anew with each
/// save.
final class NestedEntries: TableDocument {
    /// The names of the members that lead to an entry, outermost first.
    typealias Path = [String]

    /// The entries under their full names.
    private let entries: PropertyListTable
    private let keys: [String]
    /// The places of entries in groups.
    private let paths: TextDictionary<Path>
    /// The places of keys that have another one, which counts.
    let shadowed: [(key: String, path: Path, value: PropertyListValue)]
    /// The names of the groups that the file has.
    private let groups: Set<UTF8Text>
    private let form: EntryForm

    /// Finds the entries of a file.
    ///
    /// - Parameters:
    ///   - members: The members of the file.
    ///   - form: Which of them are groups of entries.
    /// - Throws: ``DuplicateKey`` for a key that is there twice if the form refuses that.
    init(_ members: PropertyListTable, as form: EntryForm) throws(DuplicateKey) {
        var found = Entries(form)
        for name in members.sortedKeys {
            if let value = members[name] { try found.add(value, at: [name], named: name) }
        }
        (entries, paths, shadowed, groups) = (found.entries, found.paths, found.shadowed, found.groups)
        keys = entries.sortedKeys
        self.form = form
    }

    /// A key that a file has twice.
    struct DuplicateKey: Error {
        let key: String
    }

    /// The entries that were found so far.
    private struct Entries {
        var entries = PropertyListTable()
        var paths: TextDictionary<Path> = [:]
        var shadowed: [(key: String, path: Path, value: PropertyListValue)] = []
        var groups: Set<UTF8Text> = []
        private let form: EntryForm

        init(_ form: EntryForm) { self.form = form }

        mutating func add(_ value: PropertyListValue, at path: Path, named key: String) throws(DuplicateKey) {
            if let members = form.groups.members(of: value, named: key) {
                groups.insert(key)
                for (name, value) in members.sortedByName() {
                    try add(value, at: path + [name], named: "\(key).\(name)")
                }
                return
            }
            guard let present = entries[key] else {
                entries[key] = value
                if path.count > 1 { paths[key] = path }
                return
            }
            guard let isCounting = form.counts(path.count, over: paths[key]?.count ?? 1) else {
                throw DuplicateKey(key: key)
            }
            guard isCounting else { return shadowed.append((key, path, value)) }
            shadowed.append((key, paths[key] ?? [key], present))
            entries[key] = value
            paths[key] = path.count > 1 ? path : nil
        }
    }

    var count: Int { entries.count }

    var placeCount: Int { keys.count }

    func value(forKey key: String) -> PropertyListValue? { entries[key] }

    func hasValue(forKey key: String) -> Bool { entries[key] != nil }

    func entry(at place: Int) -> (key: String, value: PropertyListValue)? {
        entries[keys[place]].map { (keys[place], $0) }
    }

    func presentKey(at place: Int) -> String? { keys[place] }

    func hasSameEntry(at place: Int, in other: any TableDocument) -> Bool {
        guard let other = other as? NestedEntries else { return false }
        return entries[keys[place]] == other.entries[keys[place]]
    }

    /// The members that the file has again.
    var members: PropertyListTable { Self.members(of: PropertyListTable(self), over: self, as: form) }

    /// The place of an entry.
    func path(ofKey key: String) -> Path { paths[key] ?? [key] }

    /// The members with which a file has the entries of a table.
    ///
    /// - Parameters:
    ///   - table: The entries.
    ///   - document: The places of the entries that the file has already.
    ///   - form: The groups in which new keys are nested.
    static func members(
        of table: PropertyListTable,
        over document: NestedEntries?,
        as form: EntryForm
    ) -> PropertyListTable {
        if form.groups.isEmpty, document == nil { return table }
        let nestsKeys = form.nestsNewKeys(
            besides: document.map { $0.paths.count + $0.groups.count } ?? 0,
            dotted: document.map { document in
                document.keys.count {
                    document.paths[$0] == nil
                        && GroupNames.groups(around: $0).first.map(form.groups.contains) ?? false
                }
            } ?? 0
        )
        var placed: [(path: ArraySlice<String>, value: PropertyListValue)] = []
        for (key, value) in table {
            let path = document?.paths[key] ?? (document?.hasValue(forKey: key) == true ? [key] : nil)
            placed.append(
                ((path ?? form.pathOfNewKey(key, isNested: nestsKeys, besides: document?.groups ?? []))[...], value)
            )
        }
        for (key, path, value) in document?.shadowed ?? [] where table[key] != nil { placed.append((path[...], value)) }
        // An entry takes the place of a group of its name.
        placed = placed.map { path, value in
            let isBlocked = path.indices.dropLast().contains { table[path[...$0].joined(separator: ".")] != nil }
            return (isBlocked ? [path.joined(separator: ".")] : path, value)
        }
        return PropertyListTable(dictionary(of: placed))
    }

    private static func dictionary(
        of placed: [(path: ArraySlice<String>, value: PropertyListValue)]
    ) -> PropertyListDictionary {
        var dictionary: PropertyListDictionary = [:]
        var inner: TextDictionary<[(path: ArraySlice<String>, value: PropertyListValue)]> = [:]
        for (path, value) in placed {
            guard let name = path.first else { continue }
            if path.count == 1 {
                dictionary[name] = value
            } else {
                inner[name, default: []].append((path.dropFirst(), value))
            }
        }
        for (name, placed) in inner { dictionary[name] = .dictionary(Self.dictionary(of: placed)) }
        return dictionary
    }
}

extension EntryForm {
    /// The place of a key that a file does not have yet.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isNested: Whether new groups are made for it.
    ///   - groups: The names of the groups that the file has.
    fileprivate func pathOfNewKey(_ key: String, isNested: Bool, besides groups: Set<UTF8Text>) -> [String] {
        guard let parts = GroupNames.parts(of: key) else { return [key] }
        let names = GroupNames.groups(around: key)
        let depth = names.prefix { groups.contains($0) || isNested && self.groups.contains($0) }.count
        return parts[..<depth] + [parts[depth...].joined(separator: ".")]
    }
}
