/// A key together with the store in which it is observed.
package struct KeyInStore<Value>: Sendable {
    let key: Defaults.Key<Value>
    let store: any PropertyListStore

    /// Makes a pair of both.
    package init(_ key: Defaults.Key<Value>, in store: any PropertyListStore) {
        self.key = key
        self.store = store
    }

    /// The value that the entries have for the key, or the default.
    func value(in entries: EntriesObserver.Entries) -> Value {
        key.decode(entries[ObjectIdentifier(store)]?.stored(of: key), of: store)
    }
}
