/// How a store lists the entries of a table whose names lead into dictionaries: the dictionaries that are groups of its own keys as
/// entries for these.
///
/// Only lists depend on it: of the entries of a snapshot, and of the changes for observers of all keys. A name leads to the same value
/// in every list.
package final class EntryListing: Sendable {
    private let groups: GroupNames

    /// Makes the listing of a store with keys; `nil` if they have no groups, so that each entry is one of the list.
    package init?(of names: some Sequence<String>) {
        groups = GroupNames(of: names)
        if groups.isEmpty { return nil }
    }

    /// Makes the listing of groups; `nil` if there are none.
    init?(of groups: GroupNames) {
        self.groups = groups
        if groups.isEmpty { return nil }
    }

    /// The listing of the groups of both.
    func union(_ other: EntryListing?) -> EntryListing {
        guard let other, other !== self else { return self }
        return EntryListing(of: groups.union(other.groups)) ?? self
    }

    /// The list of a table's entries, as a table whose names are those of entries.
    ///
    /// - Complexity: O(*n*) in the number of groups and of the values in them.
    func list(of table: PropertyListTable) -> PropertyListTable {
        var entries = table
        (entries.naming, entries.listing) = (nil, nil)
        let (values, twice) = leaves(of: table)
        for group in groups.names where table.entry(group)?.dictionaryValue != nil { entries.setEntry(group, to: nil) }
        for (name, value) in values {
            entries.setEntry(name, to: twice.contains(name) ? self.value(of: name, in: table) ?? value : value)
        }
        return entries
    }

    /// The names of values to which several ways lead.
    func namesHeldTwice(in table: PropertyListTable) -> Set<UTF8Text> {
        // Of two ways, at least one is by a part with dots.
        let dictionaries = groups.names.compactMap { table.entry($0)?.dictionaryValue }
        let hasParts = !dictionaries.isEmpty && table.unsortedKeys.contains { $0.utf8.contains(GroupNames.dot) }
        return hasParts || dictionaries.contains(where: Self.hasDottedNames) ? leaves(of: table).twice : []
    }

    private static func hasDottedNames(_ members: PropertyListDictionary) -> Bool {
        members.contains { name, value in
            name.utf8.contains(GroupNames.dot) || value.dictionaryValue.map(hasDottedNames) == true
        }
    }

    /// The values in groups with their names, and the names to which further ways lead.
    private func leaves(of table: PropertyListTable) -> (values: PropertyListDictionary, twice: Set<UTF8Text>) {
        var (values, twice): (PropertyListDictionary, Set<UTF8Text>) = ([:], [])
        for group in groups.names {
            guard case .dictionary(let members)? = table.entry(group) else { continue }
            for (name, value) in leaves(of: members, in: group) {
                if values.updateValue(value, forKey: name) != nil || table.entry(name) != nil { twice.insert(name) }
            }
        }
        return (values, twice)
    }

    /// The change of listed entries that a change of a table's entries is; `nil` if none changes.
    func change(_ change: PropertyListChange) -> PropertyListChange? {
        guard let (before, after) = change.tables else { return change }
        var (old, new): (PropertyListDictionary, PropertyListDictionary) = ([:], [:])
        var names: Set<UTF8Text> = []
        for entry in change.entries {
            names.insert(entry.key)
            guard groups.contains(entry.key) else { continue }
            if case .dictionary(let members)? = entry.old {
                for (name, value) in leaves(of: members, in: entry.key) { old[name] = value }
            }
            if case .dictionary(let members)? = entry.new {
                for (name, value) in leaves(of: members, in: entry.key) { new[name] = value }
            }
        }
        for name in old.keys { names.insert(name) }
        for name in new.keys { names.insert(name) }
        let entries = names.compactMap { name -> PropertyListChange.Entry? in
            let name = name.wrappedValue
            let (old, new) = (value(of: name, in: before) ?? old[name], value(of: name, in: after) ?? new[name])
            return old == new ? nil : PropertyListChange.Entry(key: name, old: old, new: new)
        }
        return entries.isEmpty ? nil : PropertyListChange(entries: entries, isQuiet: change.isQuiet)
    }

    /// The names whose values make one table of another, those in groups one by one.
    package func names(ofChangeFrom before: PropertyListTable, to after: PropertyListTable) -> Set<UTF8Text> {
        var names: Set<UTF8Text> = []
        before.forEachDifference(to: after) { key, old, new in
            insert(key, old, new, into: &names)
            return true
        }
        return names.filter { before[$0.wrappedValue] != after[$0.wrappedValue] }
    }

    private func insert(
        _ name: String,
        _ old: PropertyListValue?,
        _ new: PropertyListValue?,
        into names: inout Set<UTF8Text>
    ) {
        if old == new { return }
        let (before, after) = (old?.dictionaryValue, new?.dictionaryValue)
        let members = Set((before ?? [:]).keys.map { UTF8Text($0) }).union((after ?? [:]).keys.map { UTF8Text($0) })
        // Only by its own name does a dictionary come or go that has nothing in it.
        let areAll = after != nil && (before != nil || old == nil && !members.isEmpty)
        guard groups.contains(name), members.allSatisfy({ GroupNames.name(of: $0.wrappedValue, in: name) != nil })
        else {
            names.insert(name)
            return
        }
        if !areAll { names.insert(name) }
        for member in members {
            let member = member.wrappedValue
            insert("\(name).\(member)", before?[member], after?[member], into: &names)
        }
    }

    /// The value of an entry as it is listed; `nil` for a group, and for a part of a value.
    private func value(of name: String, in table: PropertyListTable) -> PropertyListValue? {
        table.find(name) { lists($0, named: name) }?.value
    }

    private func lists(_ found: NamedValue, named name: String) -> Bool {
        if case .dictionary = found.value, groups.contains(name) { return false }
        var around = found.place.key
        for member in found.place.path {
            guard groups.contains(around) else { return false }
            around += ".\(member)"
        }
        return true
    }

    /// The values in a group with their names.
    ///
    /// Members whose names lead nowhere, because a part is empty or begins with `$`, are one value by the name of their group.
    private func leaves(
        of members: PropertyListDictionary,
        in group: String
    ) -> [(name: String, value: PropertyListValue)] {
        var leaves: [(name: String, value: PropertyListValue)] = []
        var rest: PropertyListDictionary = [:]
        for (member, value) in members {
            guard let name = GroupNames.name(of: member, in: group) else {
                rest[member] = value
                continue
            }
            if groups.contains(name), case .dictionary(let members) = value {
                leaves += self.leaves(of: members, in: name)
            } else {
                leaves.append((name, value))
            }
        }
        if !rest.isEmpty { leaves.append((group, .dictionary(rest))) }
        return leaves
    }
}

extension PropertyListTable {
    /// The same table, which is listed in another way.
    package func listed(by listing: EntryListing?) -> PropertyListTable {
        var table = self
        table.listing = listing
        return table
    }

    /// The table with the entries that its listing has, whose names are those of entries.
    package var listed: PropertyListTable {
        if let listing { return listing.list(of: self) }
        var table = self
        table.naming = nil
        return table
    }
}
