/// The move of a value from another store.
struct MigrationMove: Sendable {
    let oldName: String
    let source: any PropertyListStore
    let key: Defaults.AnyKey

    /// Copies the entries from the other store to the edit.
    ///
    /// - Returns: What was copied, by its names in the other store.
    func copy(into edit: inout PropertyListEdit) -> PropertyListDictionary {
        let (old, new) = (key.renamed(oldName).entryNames, key.entryNames)
        guard new.allSatisfy({ edit[$0] == nil }) else { return [:] }
        let originals = originals(of: old)
        var copied: PropertyListDictionary = [:]
        for (old, new) in zip(old, new) {
            guard let value = originals[old] else { continue }
            edit[new] = value
            copied[old] = value
        }
        return copied
    }

    /// The values in the other store, as that store has them for good.
    ///
    /// The absence of a value counts too: it is not looked for again.
    private func originals(of names: [String]) -> PropertyListTable {
        var retries = ConflictRetries()
        while true {
            let (revision, table) = (source.revision, source.snapshot())
            // An empty store need not make a lock beside a file that nobody has.
            if table.isEmpty { return table }
            var batch = PropertyListBatch()
            batch.arbiter = .durableState
            for name in names { batch.expect(table[name], forKey: name) }
            do {
                try source.apply(batch)
                return table
            } catch {
                // A store that cannot be written cannot compare; its memory is all that is known.
                guard error.isRepeatable, !retries.areExhausted(at: revision, expecting: batch.expectations) else {
                    return table
                }
            }
        }
    }

    /// Removes from the other store what was copied, unless it was written anew there.
    func removeOriginals(_ copied: PropertyListDictionary) throws(StoreError) {
        try source.edit(
            decidedDurably: true,
            { (edit) throws(StoreError) in
                for (name, value) in copied where edit[name] == value {
                    edit[name] = nil
                }
            },
            storeFailure: { $0 }
        )
        try source.synchronize()
    }
}
