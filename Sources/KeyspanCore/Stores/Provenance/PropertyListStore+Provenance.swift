/// A store that can say more about where its values came from than its own name, such as a line of a file or a variable.
///
/// A store that wraps another one conforms to this and passes on the answer of that one.
public protocol ProvenanceReporting: PropertyListStore {
    /// Where the values of keys came from, for people: ``Defaults/describe(_:)`` and errors print it.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether to look for the lines of values in a file, which may read it and wait for the disk. If not,
    ///     the answer comes from memory.
    /// - Returns: An entry for each of the keys that has a value now.
    func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance>
}

extension PropertyListStore {
    /// Where the values of keys came from: the store's own answer if it is ``ProvenanceReporting``, and otherwise its name.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - findingLines: Whether to look for the lines of values in a file, which may read it and wait for the disk.
    /// - Returns: An entry for each of the keys that has a value now.
    package func provenance(ofKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        if let store = self as? any ProvenanceReporting {
            return store.provenance(forKeys: keys, findingLines: findingLines)
        }
        return keys.reduce(into: [:]) { found, key in
            if storedValue(forKey: key) != nil { found[key] = Provenance([.init(store: name)]) }
        }
    }

    /// Where the value of a key came from; `nil` if the store has none.
    ///
    /// Reads the files of file stores, to find the line.
    public func provenance(forKey key: String) -> Provenance? {
        provenance(ofKeys: [key], findingLines: true)[key]
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
