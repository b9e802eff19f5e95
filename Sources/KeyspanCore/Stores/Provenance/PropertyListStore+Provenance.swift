extension PropertyListStore {
    /// The store's name, for each key that has a value.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        keys.reduce(into: [:]) { found, key in
            if value(forKey: key) != nil { found[key] = Provenance([.init(store: name)]) }
        }
    }

    /// Where the value of a key came from; `nil` if the store has none.
    ///
    /// Reads the files of file stores, to find the line; see ``provenance(forKeys:findingLines:)``.
    public func provenance(forKey key: String) -> Provenance? {
        provenance(forKeys: [key], findingLines: true)[key]
    }
}

extension ConstantTable {
    /// Where the values of keys came from.
    func provenance(
        forKeys keys: [String],
        store: String,
        detail: (String) -> String?
    ) -> TextDictionary<Provenance> {
        keys.reduce(into: [:]) { found, key in
            guard table[key] != nil else { return }
            found[key] = Provenance([.init(store: store, detail: detail(key))])
        }
    }
}
