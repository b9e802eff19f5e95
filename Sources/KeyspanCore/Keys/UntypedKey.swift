/// What can be asked of a key whose type of value is not known.
protocol UntypedKey: Sendable {
    /// The names of the entries that the value is in.
    var entryNames: [String] { get }

    /// Keeps the stored value where a person finds it again, if the key cannot read it and it is about to go.
    func keepUnreadable(in edit: inout PropertyListEdit)

    /// Removes the entries of the value, which is kept if the key cannot read it.
    func remove(from edit: inout PropertyListEdit)

    /// Adds the stored form of the default as it is now.
    func addDefault(to values: inout PropertyListTable) throws(Defaults.WriteError.Cause)

    /// What is wrong with the value that a store has: it cannot be read, or breaks a rule.
    func problems(in table: PropertyListTable, of store: any PropertyListStore) -> [Defaults.InvalidValue]

    /// The same key under another name.
    func renamed(_ name: String) -> Defaults.AnyKey

    /// The key whose name has the prefix before it; the same object each time.
    func prefixed(by prefix: Prefix) -> Defaults.AnyKey
}
