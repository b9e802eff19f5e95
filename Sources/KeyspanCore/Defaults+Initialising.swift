extension Defaults {
    /// The value of a key, which is recorded now if the store has none.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let firstUse = Key<Date?>("firstUse")
    /// }
    ///
    /// let firstUse = Defaults(InMemoryStore())[.firstUse, initialisingWith: .now]
    /// ```
    ///
    /// The value is recorded once: of two threads that ask at the same time, both get the value of the one that was first.
    /// A stored value that cannot be read is kept, see ``keptValues()``, and replaced. If the store refuses, that is
    /// reported to ``onProblem(_:)``, and the initial value is given without being recorded.
    public subscript<Value>(key: Key<Value?>, initialisingWith initial: @autoclosure () -> Value) -> Value {
        if let value = self[key] { return value }
        let initial = initial()
        do throws(WriteError.Cause) {
            return try store.edit(
                { (edit: inout PropertyListEdit) throws(WriteError.Cause) -> Value in
                    // What another thread has recorded meanwhile counts.
                    if let value = key.decode(key.coding.stored(under: key.name, in: &edit), of: store) { return value }
                    try key.write(initial, into: &edit)
                    return initial
                },
                storeFailure: { .store($0) }
            )
        } catch {
            WriteError(key: key.name, store: store.name, cause: error).report()
            return initial
        }
    }
}
