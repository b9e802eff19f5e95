@_spi(StoreAuthors) import KeyspanCore

/// A member that an object gets: an entry, or a group of entries.
struct JSONNewMember {
    /// The value of a new member.
    enum Content {
        case value(PropertyListValue, key: String)
        /// An element of an array, which has no name.
        case element(PropertyListValue, isOnOneLine: Bool)
        /// A group that the text does not have yet.
        case group(prefix: String, [JSONNewMember])
    }

    let name: String
    var content: Content
}

/// Finds the objects for keys that a document does not have yet.
struct NewKeyPlacement {
    /// The new members of each object, by its number.
    private(set) var members: [Int: [JSONNewMember]] = [:]

    private let document: JSONDocument
    /// The first object with each prefix.
    private var groups: TextDictionary<Int> = [:]
    private let nestsKeys: Bool

    /// The names of groups that are keys with a value.
    private let entries: Set<UTF8Text>

    /// Prepares to find the objects of keys.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - document: The text.
    init(of keys: some Sequence<String>, in document: JSONDocument) {
        self.document = document
        entries = document.form.groups.isEmpty ? [] : Set(keys.filter(document.form.groups.contains))
        let index = document.index
        for (number, group) in index.groups.enumerated().reversed() { groups[group.prefix] = number }
        guard !document.form.groups.isEmpty else {
            nestsKeys = false
            return
        }
        var counts = (nested: index.groups.count - 1, dotted: 0)
        for place in index.entries.indices {
            if index.group(ofEntryAt: place) != 0 {
                counts.nested += 1
            } else if let outermost = GroupNames.groups(around: document.key(at: place)).first,
                document.form.groups.contains(outermost)
            {
                counts.dotted += 1
            }
        }
        nestsKeys = document.form.nestsNewKeys(besides: counts.nested, dotted: counts.dotted)
    }

    /// Adds a key to the innermost object that the document has for it, in new objects if keys are nested.
    mutating func add(_ key: String, _ value: PropertyListValue) {
        guard !document.form.groups.isEmpty, let parts = GroupNames.parts(of: key) else {
            return insert(JSONNewMember(name: key, content: .value(value, key: key)), inside: [], of: 0)
        }
        let names = GroupNames.groups(around: key)
        let innermost = names.lastIndex { groups[$0 + "."] != nil }
        let outer = innermost.flatMap { groups[names[$0] + "."] } ?? 0
        let first = innermost.map { $0 + 1 } ?? 0
        // An object that has a member of that name cannot get a group of the same name.
        let newGroups = nestsKeys ? names[first...].prefix(while: canBeGroup) : []
        let name = parts[(first + newGroups.count)...].joined(separator: ".")
        let path = newGroups.enumerated().map { (name: parts[first + $0], prefix: $1 + ".") }
        insert(JSONNewMember(name: name, content: .value(value, key: key)), inside: path, of: outer)
    }

    private func canBeGroup(_ name: String) -> Bool {
        document.form.groups.contains(name) && !entries.contains(name) && document.place(ofKey: name) == nil
    }

    private mutating func insert(
        _ member: JSONNewMember,
        inside path: [(name: String, prefix: String)],
        of group: Int
    ) {
        Self.insert(member, inside: path[...], in: &members[group, default: []])
    }

    private static func insert(
        _ member: JSONNewMember,
        inside path: ArraySlice<(name: String, prefix: String)>,
        in members: inout [JSONNewMember]
    ) {
        guard let outermost = path.first else { return members.append(member) }
        let index: Int
        // Keys are added in the order of their names, so those of a group follow one another.
        if let present = members.indices.last, members[present].isGroup,
            members[present].name.hasSameUTF8(as: outermost.name)
        {
            index = present
        } else {
            index = members.count
            members.append(JSONNewMember(name: outermost.name, content: .group(prefix: outermost.prefix, [])))
        }
        guard case .group(let prefix, var inner) = members[index].content else { return }
        // So that the array is changed in place.
        members[index].content = .group(prefix: prefix, [])
        insert(member, inside: path.dropFirst(), in: &inner)
        members[index].content = .group(prefix: prefix, inner)
    }
}

extension JSONNewMember {
    fileprivate var isGroup: Bool {
        if case .group = content { true } else { false }
    }
}
