@_spi(StoreAuthors) import KeyspanCore
import Synchronization

/// The form of one file, whose groups become more when a store is opened with more keys, or another process writes one.
package final class FileForm: Sendable {
    private let state: Locked<EntryForm>
    /// Whether there are groups, for threads that do not need to know which.
    private let groupsExist: Atomic<Bool>

    /// Makes the form of a file.
    package init(_ form: EntryForm = EntryForm()) {
        state = Locked(form)
        groupsExist = Atomic(!form.groups.isEmpty)
    }

    /// Whether keys may be nested.
    var hasGroups: Bool { groupsExist.load(ordering: .relaxed) }

    /// The form now.
    package var current: EntryForm { state.withLock { $0 } }

    /// The form with more keys; `nil` if the file need not be read again for them, because the same members are groups.
    ///
    /// Then the form has the keys on return.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - areOwn: Whether they are those of a store; if not, only the groups around them count.
    func form(with keys: some Sequence<String>, areOwn: Bool = true) -> EntryForm? {
        state.withLock { form in
            var changed = form
            var hasOtherGroups = false
            if areOwn {
                hasOtherGroups = changed.groups.add(keys)
            } else {
                for key in keys where changed.groups.addGroups(around: key) { hasOtherGroups = true }
            }
            if hasOtherGroups { return changed }
            form = changed
            return nil
        }
    }

    /// Replaces the form; called with the file's mutex, after the file was read in the new form.
    func change(to form: EntryForm) {
        state.withLock { $0 = form }
        groupsExist.store(!form.groups.isEmpty, ordering: .relaxed)
    }

    /// The number of nested collections of a value in a group: a store without the keys reads the whole group as one value.
    private static let mostLevels = PropertyListValue.maximumNesting - GroupNames.mostLevels

    /// Rejects a batch that writes a value under the name of a group, or one that is nested too deeply for its group.
    func check(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        guard hasGroups else { return }
        let groups = current.groups
        try batch.writes.forEach { (write) throws(StoreError) in
            guard let value = write.value else { return }
            if groups.nests(write.key), value.isNestedDeeper(than: Self.mostLevels) {
                throw StoreError(
                    .nestingTooDeep,
                    store: store,
                    key: write.key,
                    reason: "the value has more than \(Self.mostLevels) nested collections, and groups are around it",
                    remedy: "store it in a flatter form"
                )
            }
            guard groups.contains(write.key) else { return }
            throw StoreError(
                .unsupportedValue,
                store: store,
                key: write.key,
                reason: "the name is that of a group of keys, which a file may nest in an object of that name",
                remedy: "write the keys of the group, or declare a key of that name"
            )
        }
    }
}

extension GroupNames {
    /// The members of a dictionary that is a group; `nil` for any other value or name.
    func members(of value: PropertyListValue, named name: String) -> PropertyListDictionary? {
        guard contains(name), case .dictionary(let members) = value, members.keys.allSatisfy({ Self.isPlain($0) })
        else {
            return nil
        }
        return members
    }

    /// The entries that a dictionary under the name of a group stands for; `nil` for any other value or name.
    func entries(of value: PropertyListValue, named name: String) -> [(key: String, value: PropertyListValue)]? {
        members(of: value, named: name)?.flatMap { member, value in
            let key = "\(name).\(member)"
            return entries(of: value, named: key) ?? [(key, value)]
        }
    }

    /// The same table with groups in place of their dictionaries.
    ///
    /// An entry of its own counts more than the member of a dictionary.
    func separated(_ table: PropertyListTable) -> PropertyListTable {
        if isEmpty { return table }
        var separated = table
        for (name, value) in table {
            guard let entries = entries(of: value, named: name) else { continue }
            separated[name] = nil
            for (key, value) in entries where table[key] == nil { separated[key] = value }
        }
        return separated
    }

    /// The same changes without removals of groups, of which the table has no entry.
    func withoutGroups(_ delta: TableDelta, over table: PropertyListTable) -> TableDelta {
        if isEmpty { return delta }
        var rest = delta
        for (name, value) in delta.writes where value == nil && contains(name) && table[name] == nil {
            rest.forget(name)
        }
        return rest
    }

    /// The same changes, with a write of a whole group as writes of the entries that it gets and loses.
    func separated(_ delta: TableDelta, over table: PropertyListTable) -> TableDelta {
        if isEmpty || !delta.writes.keys.contains(where: contains) { return delta }
        var separated = TableDelta()
        // A group before the groups in it, whose writes are of its entries.
        let groups = delta.writes.filter { contains($0.key) }.sorted { $0.key.utf8.count < $1.key.utf8.count }
        for (name, value) in groups {
            for (key, _) in table where key.hasUTF8Prefix(name + ".") { separated.write(nil, forKey: key) }
            if let value, let entries = entries(of: value, named: name) {
                for (key, value) in entries { separated.write(value, forKey: key) }
                if table[name] != nil { separated.write(nil, forKey: name) }
            } else {
                separated.write(value, forKey: name)
            }
        }
        for (key, value) in delta.writes where !contains(key) { separated.write(value, forKey: key) }
        return separated
    }

    private static func isPlain(_ name: String) -> Bool { name.utf8.first != UInt8(ascii: "$") }
}
