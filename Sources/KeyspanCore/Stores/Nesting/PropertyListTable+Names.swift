/// A value to which a name leads.
package struct NamedValue: Sendable {
    package let place: EntryPlace
    package let value: PropertyListValue
}

extension PropertyListTable {
    /// The value of the name that counts.
    func value(named name: String) -> PropertyListValue? {
        guard let naming, name.utf8.contains(GroupNames.dot) else { return entry(name) }
        if !naming.deepestCounts, let value = entry(name) { return value }
        return valueInside(name) ?? (naming.deepestCounts ? entry(name) : nil)
    }

    /// The value that ``find(_:)`` finds through a dictionary, without its place.
    private func valueInside(_ name: String) -> PropertyListValue? {
        guard naming != nil, GroupNames.canLeadInside(name) else { return nil }
        let deepestCounts = naming?.deepestCounts ?? false
        func value(_ name: String, in members: PropertyListDictionary) -> PropertyListValue? {
            if !deepestCounts, let own = members[name] { return own }
            let inside = Self.firstDivision(of: name, shortFirst: deepestCounts) { head, rest in
                guard case .dictionary(let inner)? = members[head] else { return PropertyListValue?.none }
                return value(rest(), in: inner)
            }
            return inside ?? (deepestCounts ? members[name] : nil)
        }
        return Self.firstDivision(of: name, shortFirst: deepestCounts) { head, rest in
            guard case .dictionary(let members)? = entry(head) else { return nil }
            return value(rest(), in: members)
        }
    }

    /// Stores a value where its name leads, or removes it from all these places for `nil`.
    ///
    /// The names that lead into a stored dictionary lead nowhere else then, so that they have the values in it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: Its name.
    ///   - nests: Whether a name that leads nowhere yet is nested; `nil` if that depends on the naming.
    ///   - note: Called with each name whose value is replaced or removed, and with that value; `nil` for a new name.
    package mutating func set(
        _ value: PropertyListValue?,
        named name: String,
        nestingIfNew nests: Bool? = nil,
        replacing note: (_ name: String, _ old: PropertyListValue?) -> Void = { _, _ in }
    ) {
        if naming == nil {
            note(name, entry(name))
            return setEntry(name, to: value)
        }
        guard let value else { return remove(findAll(name), named: name, note) }
        let place = setAlone(value, named: name, nestingIfNew: nests, replacing: note)
        removeOthers(of: value, named: name, at: place, note)
    }

    /// Stores a value where its name leads, and leaves other places of names that lead into it.
    ///
    /// - Returns: The place.
    @discardableResult
    package mutating func setAlone(
        _ value: PropertyListValue,
        named name: String,
        nestingIfNew nests: Bool? = nil,
        replacing note: (_ name: String, _ old: PropertyListValue?) -> Void = { _, _ in }
    ) -> EntryPlace {
        let found = find(name)
        var place = found?.place ?? placeOfNewName(name, nesting: nests ?? nestsNewName(name))
        note(name, found?.value)
        if !place.path.isEmpty, value.isNestedDeeper(than: PropertyListValue.maximumNesting - place.path.count) {
            // No file can be read that has it there.
            remove(findAll(name), named: name, note)
            place = EntryPlace(key: name)
        }
        setValue(value, at: place)
        return place
    }

    private mutating func removeOthers(
        of value: PropertyListValue,
        named prefix: String,
        at place: EntryPlace,
        _ note: (_ name: String, _ old: PropertyListValue?) -> Void
    ) {
        guard case .dictionary(let members) = value else { return }
        for (member, value) in members {
            guard let name = GroupNames.name(of: member, in: prefix) else { continue }
            remove(findAll(name).filter { !$0.place.isInside(place) }, named: name, note)
            removeOthers(of: value, named: name, at: place, note)
        }
    }

    private mutating func remove(
        _ values: [NamedValue],
        named name: String,
        _ note: (_ name: String, _ old: PropertyListValue?) -> Void
    ) {
        for value in values {
            note(name, value.value)
            setValue(nil, at: value.place)
        }
    }

    /// Whether a name can only be that of an entry.
    func isEntryAlone(_ name: String) -> Bool {
        guard let naming, name.utf8.contains(GroupNames.dot) else { return true }
        return valueInside(name) == nil && (entry(name) != nil || !naming.groups.nests(name))
    }

    /// The value to which a name leads; of several, the one that counts.
    package func find(_ name: String) -> NamedValue? { find(name) { _ in true } }

    /// The values to which a name leads, each in its place; the one that counts first.
    package func findAll(_ name: String) -> [NamedValue] {
        var found: [NamedValue] = []
        _ = find(name) {
            found.append($0)
            return false
        }
        return found
    }

    /// The first value to which a name leads and that is accepted; the fewest dictionaries first, unless the deepest place counts.
    func find(_ name: String, where accepts: (NamedValue) -> Bool) -> NamedValue? {
        let deepestCounts = naming?.deepestCounts ?? false
        func own() -> NamedValue? {
            entry(name).map { NamedValue(place: EntryPlace(key: name), value: $0) }.flatMap { accepts($0) ? $0 : nil }
        }
        if !deepestCounts, let own = own() { return own }
        return findInside(name, where: accepts) ?? (deepestCounts ? own() : nil)
    }

    /// The first value to which a name leads through a dictionary.
    private func findInside(_ name: String, where accepts: (NamedValue) -> Bool) -> NamedValue? {
        guard naming != nil, GroupNames.canLeadInside(name) else { return nil }
        return Self.firstDivision(of: name, shortFirst: naming?.deepestCounts ?? false) { head, rest in
            guard case .dictionary(let members)? = entry(head) else { return nil }
            return find(rest(), in: members, at: EntryPlace(key: head), where: accepts)
        }
    }

    private func find(
        _ name: String,
        in members: PropertyListDictionary,
        at place: EntryPlace,
        where accepts: (NamedValue) -> Bool
    ) -> NamedValue? {
        let deepestCounts = naming?.deepestCounts ?? false
        func own() -> NamedValue? {
            members[name].map { NamedValue(place: place.member(name), value: $0) }.flatMap { accepts($0) ? $0 : nil }
        }
        if !deepestCounts, let own = own() { return own }
        let inside = Self.firstDivision(of: name, shortFirst: deepestCounts) { head, rest in
            guard case .dictionary(let inner)? = members[head] else { return NamedValue?.none }
            return find(rest(), in: inner, at: place.member(head), where: accepts)
        }
        return inside ?? (deepestCounts ? own() : nil)
    }

    /// The first result for the parts before and behind a dot of a name.
    static func firstDivision<Result>(
        of name: String,
        shortFirst: Bool,
        _ body: (_ head: String, _ rest: () -> String) -> Result?
    ) -> Result? {
        let utf8 = name.utf8
        var rest = utf8[...]
        while let dot = shortFirst ? rest.firstIndex(of: GroupNames.dot) : rest.lastIndex(of: GroupNames.dot) {
            let behind = utf8.index(after: dot)
            if let result = body(String(name[..<dot]), { String(name[behind...]) }) { return result }
            rest = shortFirst ? utf8[behind...] : utf8[..<dot]
        }
        return nil
    }

    /// The value at a place.
    package func value(at place: EntryPlace) -> PropertyListValue? {
        var value = entry(place.key)
        for name in place.path {
            guard case .dictionary(let members)? = value else { return nil }
            value = members[name]
        }
        return value
    }

    /// Stores a value at a place, or removes it for `nil`.
    package mutating func setValue(_ value: PropertyListValue?, at place: EntryPlace) {
        if place.path.isEmpty { return setEntry(place.key, to: value) }
        changeEntry(place.key) { Self.replace(&$0, at: place.path[...], by: value) }
    }

    private static func replace(
        _ present: inout PropertyListValue?,
        at path: ArraySlice<String>,
        by value: PropertyListValue?
    ) {
        guard let name = path.first else { return present = value }
        var members: PropertyListDictionary = [:]
        if case .dictionary(let inside)? = present { members = inside }
        // With a second reference to them, they would be copied.
        present = nil
        replace(&members[name], at: path.dropFirst(), by: value)
        present = .dictionary(members)
    }

    /// The place of the value to which a name leads, or to which it would lead if it were written.
    package func place(ofName name: String) -> EntryPlace {
        find(name)?.place ?? placeOfNewName(name, nesting: nestsNewName(name))
    }
}

extension PropertyListTable {
    /// The names whose values make another table of this one, of those in dictionaries of both one by one.
    package func namesOfDifference(to other: PropertyListTable) -> Set<UTF8Text> {
        var names: Set<UTF8Text> = []
        func insert(_ name: String, _ old: PropertyListValue?, _ new: PropertyListValue?) {
            guard case .dictionary(let before)? = old, case .dictionary(let after)? = new else {
                names.insert(name)
                return
            }
            let members = Set(before.keys.map { UTF8Text($0) }).union(after.keys.map { UTF8Text($0) })
                .map(\.wrappedValue).filter { before[$0] != after[$0] }
            let isDivided = members.allSatisfy {
                !$0.utf8.contains(GroupNames.dot) && GroupNames.name(of: $0, in: name) != nil
            }
            if !isDivided { names.insert(name) }
            for member in members where isDivided { insert("\(name).\(member)", before[member], after[member]) }
        }
        forEachDifference(to: other) { name, old, new in
            insert(name, old, new)
            return true
        }
        return names
    }

    /// The names of groups' values to which two ways lead, sorted.
    package var namesHeldTwice: [String] {
        guard let listing = naming?.listing else { return [] }
        return listing.namesHeldTwice(in: self).sorted().map(\.wrappedValue).filter { findAll($0).count > 1 }
    }
}
