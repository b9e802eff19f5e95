extension Defaults {
    /// Where the value of a key came from: the layer, the store, and the variable, the argument or the line of the file.
    ///
    /// Reads the files of file stores, to find the line. The value may change before or after.
    ///
    /// - Returns: `nil` if the store has no value, so that the key's default is read.
    public func provenance(of key: AnyKey) -> Provenance? {
        key.untyped.provenance(in: store, findingLines: true)
    }
}

extension UntypedKey {
    /// Where the entries of the key's value came from; `nil` if there are none.
    func provenance(in store: any PropertyListStore, findingLines: Bool) -> Provenance? {
        let names = entryNames
        let found = store.provenance(ofKeys: names, findingLines: findingLines)
        return Provenance(joining: names.compactMap { found[$0] })
    }
}
