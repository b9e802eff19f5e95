/// A store that can say which of its parts a value is from.
package protocol SourceNamingStore: PropertyListStore {
    /// What the part is called that has the value of a key now; `nil` if none has one.
    func source(of key: String) -> String?
}

extension PropertyListStore {
    /// What the store, or the part of it that has the value of a key, is called.
    func sourceName(of key: String) -> String {
        (self as? any SourceNamingStore)?.source(of: key) ?? name
    }
}
