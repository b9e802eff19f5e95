import Keyspan
import KeyspanCore

#if Etcd
import KeyspanEtcd
#endif

extension Domain {
    /// The keys and values of an existing domain.
    ///
    /// A domain exists if it has a file, or keys in the journal of a file that does not exist yet, or in a cluster. Nothing is created.
    ///
    /// - Parameter names: Keys that are reported if a file has them twice, nested and with dots.
    /// - Throws: ``ToolError`` if the domain does not exist or cannot be read.
    func contents(reaching names: [String] = []) throws(ToolError) -> PropertyListTable {
        let table = try snapshot(reaching: names)
        guard try isAbsent(table) else { return table }
        guard let file else {
            throw .absent(
                "The domain \(name.quoted) has no keys; check the prefix."
            )
        }
        let remedy = name.hasSameUTF8(as: file.path) ? "check the path" : "`keyspan domains` lists those that do"
        throw .absent("The domain \(name.quoted) does not exist; \(remedy).")
    }

    /// Whether contents are those of a domain that does not exist.
    func isAbsent(_ contents: PropertyListTable) throws(ToolError) -> Bool {
        if !contents.isEmpty { return false }
        guard let file else { return true }
        return try !file.exists()
    }

    /// The keys and values as the file or the cluster has them; an empty table if it has none.
    ///
    /// - Parameter names: Keys that are reported if a file has them twice, nested and with dots.
    /// - Throws: ``ToolError`` if the domain cannot be read.
    func snapshot(reaching names: [String] = []) throws(ToolError) -> PropertyListTable {
        switch place {
        case .file(let file): try file.open(reaching: names).snapshot()
        #if Etcd
        case .cluster(let prefix): try prefix.open().snapshot()
        #endif
        }
    }

    /// The value of a key, which may be nested.
    ///
    /// - Throws: ``ToolError`` if the domain or the key does not exist or the domain cannot be read.
    func value(forKey key: String) throws(ToolError) -> PropertyListValue {
        let members = try contents(reaching: [key])
        guard let value = members[key] else { throw missingKeyError(key, in: members) }
        return value
    }

    /// Applies a batch and returns when it is on the disk or committed by the cluster; creates a file that does not exist.
    ///
    /// - Parameters:
    ///   - names: The keys that the batch writes, which may be nested: they are written where they are.
    ///   - mayBeRecords: Whether these may be the library's own records, which are refused otherwise.
    ///   - keepsValues: Whether the batch keeps the values that it removes or replaces; if they are still there in another form, it need
    ///     not.
    ///   - change: Makes the batch from the contents of the domain, and adds expectations for the values that it uses.
    /// - Returns: The values that are kept.
    /// - Throws: ``ToolError`` if nothing has changed, or if the change may not be durable.
    @discardableResult
    func write(
        reaching names: [String] = [],
        mayBeRecords: Bool = false,
        keepsValues: Bool = true,
        _ change: (PropertyListTable, inout PropertyListBatch) throws(ToolError) -> Void
    ) throws(ToolError) -> ReplacedValues {
        do {
            if !mayBeRecords { try LibraryEntries.check(names, in: name) }
        } catch {
            throw failure(error)
        }
        let store = try open(reaching: names, for: .writing)
        defer { Self.end(store) }
        var (isKeeping, lost) = (keepsValues, ReplacedValues())
        while true {
            let table = store.snapshot()
            var batch = PropertyListBatch()
            try change(table, &batch)
            var replaced = isKeeping ? keep(in: &batch, on: table, writing: names) : lost
            do {
                try store.apply(batch)
            } catch {
                // Another process was faster; the store has its values now.
                if error.isRepeatable { continue }
                // A cluster may refuse the record alone: for its size, for the name of its entry, or because it has space for removals only.
                let isForSpace = file == nil && error.code == .notApplied
                guard isForSpace || Self.mayBeForRecord(error), !replaced.values.isEmpty else {
                    throw failure(error.naming(batch))
                }
                replaced.lose(forSpace: isForSpace)
                (isKeeping, lost) = (false, replaced)
                continue
            }
            replaced.reportLoss(in: name)
            return replaced
        }
    }

    private static func mayBeForRecord(_ error: StoreError) -> Bool {
        #if Etcd
        if error.code == .refused { return true }
        #endif
        return error.code == .tooLarge
    }

    /// Adds the record of the values that a batch replaces, and expects these.
    private func keep(
        in batch: inout PropertyListBatch,
        on table: PropertyListTable,
        writing names: [String]
    ) -> ReplacedValues {
        var after = table
        // The store itself refuses the batch, in words of its own.
        guard (try? after.applyNamed(batch, store: name)) != nil else { return ReplacedValues() }
        let changed = file == nil ? table.keysOfDifference(to: after) : Set<UTF8Text>(names)
        for key in changed.sortedTexts() { batch.expect(table[key], forKey: key) }
        var replaced = ReplacedValues(from: table, to: after, writing: Set(names), isNested: file != nil)
        replaced.keep(in: &after)
        // The cluster may refuse an entry that need not be written.
        if after[KeptValues.entryName] == table[KeptValues.entryName] { return replaced }
        batch.expect(table[KeptValues.entryName], forKey: KeptValues.entryName)
        batch.set(after[KeptValues.entryName], forKey: KeptValues.entryName)
        return replaced
    }

    /// Replaces all keys in one step, and keeps the values that go.
    ///
    /// The library's own records and the reference to a schema stay, unless the new contents have their own.
    ///
    /// - Parameter entries: The new contents.
    /// - Returns: The contents before.
    @discardableResult
    func replace(by entries: PropertyListDictionary) throws(ToolError) -> PropertyListTable {
        var (before, staying, removed) = (PropertyListTable(), [String](), 0)
        func change(_ table: PropertyListTable) -> PropertyListTable {
            before = table
            let new = table.replaced(by: entries)
            staying = table.sortedKeys.filter { entries[$0] == nil && new[$0] != nil && $0 != KeptValues.entryName }
            removed = table.sortedKeys.count { new[$0] == nil }
            return new
        }
        let replaced: ReplacedValues
        if let file {
            replaced = try file.rewrite { (table) throws(ToolError) in
                let new = change(table)
                return new == table ? nil : new
            }
        } else {
            replaced = try write { (table, batch) throws(ToolError) in
                _ = change(table)
                try WriteRequest.replace(entries).add(to: &batch, on: table)
            }
        }
        var clauses: [String] = []
        // A prefix may be that of more than one program.
        if file == nil, removed > 0 {
            clauses.append(
                "\(removed) \(removed == 1 ? "entry" : "entries") of \(name.quoted) \(removed == 1 ? "is" : "are") removed"
            )
        }
        if !staying.isEmpty {
            let names = staying.map(\.quoted).joined(separator: ", ")
            clauses.append("the domain's own \(staying.count == 1 ? "entry \(names) stays" : "entries \(names) stay")")
        }
        replaced.report(in: self, clauses)
        return before
    }

    /// Puts a kept value back and returns when it is on the disk or committed by the cluster; the present value is kept in its place.
    ///
    /// - Throws: ``ToolError`` if the store rejects the change, or if it may not be durable.
    func restore(_ kept: Defaults.KeptValue) throws(ToolError) {
        let names = kept.entries.keys.map(\.self) + (kept.absentEntries?.map(\.wrappedValue) ?? []) + [kept.key]
        let store = try open(reaching: names, for: .restoring)
        defer { Self.end(store) }
        let defaults = Defaults(store)
        do {
            try defaults.restore(kept)
            try defaults.synchronize()
        } catch {
            throw failure(error)
        }
    }

    /// Ends the use of a store that may have written, so that a cluster keeps nothing of it.
    private static func end(_ store: any PropertyListStore) {
        #if Etcd
        // All writes are committed, and a lease that cannot be given back expires.
        if let store = store as? EtcdStore { try? store.close() }
        #endif
    }

    private func failure(_ error: StoreError) -> ToolError {
        switch place {
        case .file: .failure("\(error)")
        #if Etcd
        case .cluster(let prefix): prefix.failure(error)
        #endif
        }
    }

    /// The error for a key that the domain does not have.
    ///
    /// It names what stands in the way of a path, or the nearest name that the domain has.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - members: The contents of the domain.
    func missingKeyError(_ key: String, in members: PropertyListTable) -> ToolError {
        let subject = "The domain \(name.quoted) has no key \(key.quoted)"
        let list = "\(ShellWord.command("read", [name])) lists its keys."
        if file != nil, let obstacle = NestedName(key)?.obstacle(in: members) {
            return .absent("\(subject): \(obstacle); \(list)")
        }
        let mask = secretMask(members)
        let names = NestedName.few(in: members, isNested: file != nil) { mask.isSecret($0) }
        guard let nearest = Suggestion.nearest(to: key, among: names)
        else {
            return .absent("\(subject); \(list)")
        }
        return .absent("\(subject); did you mean \(nearest.quoted)? \(list)")
    }

    /// Opens the store of the domain; creates nothing.
    ///
    /// - Parameters:
    ///   - names: The keys that are read and written where a file nests them.
    ///   - purpose: What for.
    /// - Throws: ``ToolError`` if the file is unusable or the cluster cannot be reached.
    func open(
        reaching names: [String] = [],
        for purpose: DomainFile.Purpose
    ) throws(ToolError) -> any PropertyListStore {
        switch place {
        case .file(let file): try file.open(reaching: names, for: purpose)
        #if Etcd
        case .cluster(let prefix): try prefix.open()
        #endif
        }
    }
}

extension PropertyListTable {
    /// The entries in place of all others but the library's own records and the reference to a schema.
    ///
    /// Kept values stay as well if the entries have some: a document that has them is older than those.
    func replaced(by entries: PropertyListDictionary) -> PropertyListTable {
        var new = self
        for key in sortedKeys
        where entries[key] == nil && !LibraryEntries.contains(key) && !key.hasSameUTF8(as: SchemaReference.member) {
            new[key] = nil
        }
        let kept = self[KeptValues.entryName]
        for (key, value) in entries { new[key] = value }
        if let kept { new[KeptValues.entryName] = kept }
        return new
    }
}
