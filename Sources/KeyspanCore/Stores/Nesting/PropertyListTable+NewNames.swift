extension PropertyListTable {
    /// Whether a name that leads to nothing yet is nested: in a dictionary that is there for it, or in new ones.
    ///
    /// It depends on the keys of the writer, which the readers of its records need not have.
    func nestsNewName(_ name: String) -> Bool {
        guard let naming, GroupNames.canLeadInside(name) else { return false }
        let groups = GroupNames.groups(around: name)
        guard !groups.isEmpty, groups.allSatisfy(naming.groups.contains) else { return false }
        let innermost = innermostDictionary(around: name)
        switch naming.newNames {
        case .nested: return true
        case .likeOthers: return innermost != nil || naming.nestsMostNames { nestsMostNames(of: naming) }
        case .flat:
            guard let (path, _) = innermost else { return false }
            return path.joined(separator: ".").hasSameUTF8(as: groups.last ?? "")
        }
    }

    /// The place of a name that leads to nothing yet, which follows from the table alone.
    ///
    /// - Parameter nests: Whether it is in dictionaries: in the innermost one that is there for it, and in new ones.
    func placeOfNewName(_ name: String, nesting nests: Bool) -> EntryPlace {
        guard nests, let parts = GroupNames.parts(of: name) else { return EntryPlace(key: name) }
        guard let (path, innermost) = innermostDictionary(around: name) else {
            // A value of another kind may be in the way.
            return entry(parts[0]) == nil ? EntryPlace(parts: parts) : EntryPlace(key: name)
        }
        let rest = parts[path.reduce(0) { $0 + 1 + $1.utf8.count { $0 == GroupNames.dot } }...]
        guard let first = rest.first, rest.count > 1 else { return EntryPlace(parts: path + rest) }
        // Beside its sisters, if they have their dots.
        let isJoined = innermost[first] != nil || innermost.keys.contains { $0.utf8.contains(GroupNames.dot) }
        return EntryPlace(parts: path + (isJoined ? [rest.joined(separator: ".")] : Array(rest)))
    }

    private func innermostDictionary(around name: String) -> (path: [String], members: PropertyListDictionary)? {
        Self.firstDivision(of: name, shortFirst: false) { head, rest in
            guard case .dictionary(let members)? = entry(head) else { return nil }
            return Self.innermostDictionary(around: rest(), in: members, at: [head])
        }
    }

    private static func innermostDictionary(
        around name: String,
        in members: PropertyListDictionary,
        at path: [String]
    ) -> (path: [String], members: PropertyListDictionary) {
        firstDivision(of: name, shortFirst: false) { head, rest in
            guard case .dictionary(let inner)? = members[head] else { return nil }
            return innermostDictionary(around: rest(), in: inner, at: path + [head])
        } ?? (path, members)
    }

    /// Whether most names with groups are in dictionaries, or none is there.
    private func nestsMostNames(of naming: NestedNaming) -> Bool {
        var (nested, dotted) = (0, 0)
        for key in unsortedKeys {
            if naming.groups.contains(key), case .dictionary(let members)? = entry(key) {
                nested += 1 + members.count
            } else if naming.groups.nests(key) {
                dotted += 1
            }
        }
        return nested >= dotted
    }
}

extension EntryPlace {
    fileprivate init(parts: [String]) {
        self.init(key: parts[0], path: Array(parts.dropFirst()))
    }
}
