/// The move of a value from another store.
struct MigrationMove: Sendable {
    let oldName: String
    let source: any PropertyListStore
    let key: Defaults.AnyKey

    /// Copies the entries from the other store to the edit.
    ///
    /// - Returns: What was copied, by its names in the other store.
    func copy(into edit: inout PropertyListEdit) -> PropertyListDictionary {
        let (old, new) = (key.untyped.renamed(oldName).untyped.entryNames, key.untyped.entryNames)
        guard new.allSatisfy({ edit[$0] == nil }) else { return [:] }
        let table = source.snapshot()
        var copied: PropertyListDictionary = [:]
        for (old, new) in zip(old, new) {
            guard let value = table[old] else { continue }
            edit[new] = value
            copied[old] = value
        }
        return copied
    }

    /// Removes from the other store what was copied, unless it was written anew there.
    func removeOriginals(_ copied: PropertyListDictionary) throws(StoreError) {
        try source.edit { edit in
            for (name, value) in copied where edit[name] == value {
                edit[name] = nil
            }
        }
        try source.synchronize()
    }
}
