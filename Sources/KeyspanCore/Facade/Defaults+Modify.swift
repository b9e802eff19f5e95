/// Changes of one value that depend on the present one.
extension Defaults {
    /// Changes the value of a key in one step, without losing concurrent changes by other threads or processes.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let launchCount = Key<Int>("launchCount", default: 0)
    ///     static let servers = Key<[String]>("servers", default: [])
    /// }
    ///
    /// let defaults = Defaults(InMemoryStore())
    /// defaults.modify(.launchCount) { $0 += 1 }
    /// let server = defaults.modify(.servers) { $0.popLast() }
    /// ```
    ///
    /// If the value cannot be written, or the store refuses it, that is reported to ``onProblem(_:)``, the old value stays, and
    /// the closure's result is returned anyway. ``commit(_:)`` throws instead, and changes several values.
    ///
    /// In memory it costs about as much as a read and a write. Over a file it also waits for the file's lock, unless only one
    /// process writes the file (`FileStoreOptions.Expectations`). Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ key: Key<Value>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, error) = try modify(key, change) { () throws(Failure) in key.beginChange(in: store) }
        error?.report()
        return result
    }

    /// Changes the value of a throwing key in one step, without losing concurrent changes by other threads or processes.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error; ``ReadError`` if there is a value that cannot be read; ``WriteError`` if the new one has
    ///   no stored form, breaks a rule of the key, or the store refuses it. Nothing has changed then.
    @discardableResult
    public func modify<Value, Result>(
        _ key: ThrowingKey<Value>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        let (result, error) = try modify(key, change) {
            let stored = key.storedForm(in: store)
            return ValueInChange(value: try key.strictValue(of: stored, in: store) ?? key.defaultValue, stored: stored)
        }
        if let error { throw error }
        return result
    }

    /// Reads, changes and writes a value until no other writer comes in between.
    ///
    /// - Returns: The closure's result, and the error if the value could not be written.
    private func modify<Value, Result, Failure: Error>(
        _ key: TypedKey<Value>,
        _ change: (inout Value) throws(Failure) -> Result,
        reading read: () throws(Failure) -> ValueInChange<Value>
    ) throws(Failure) -> (Result, WriteError?) {
        var retries = ConflictRetries()
        while true {
            let revision = store.revision
            var present = try read()
            let result = try change(&present.value)
            do throws(WriteError.Cause) {
                if try key.replace(present.stored, with: present.value, isBinding: true, in: store) {
                    return (result, nil)
                }
            } catch {
                return (result, WriteError(key: key.name, store: store.name, cause: error))
            }
            // A store that stays the same reports the same conflict forever.
            let expectation = PropertyListBatch.Expectation(key: key.name, value: present.stored?.value)
            if retries.areExhausted(at: revision, expecting: [expectation]) {
                let conflict = StoreError.conflict(key: key.name, store: store.name)
                return (result, WriteError(key: key.name, store: store.name, cause: .store(conflict)))
            }
        }
    }

    /// The value of a key; if the store has none, the initial value, which is written.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let firstUse = Key<Date?>("firstUse")
    /// }
    ///
    /// let firstUse = Defaults(InMemoryStore())[.firstUse, initialisingWith: .now]
    /// ```
    ///
    /// The value is written once: if two threads race, both get the value of the first one. An unreadable stored value is moved
    /// to the kept values, see ``keptValues()``, and replaced. If the store refuses the write, that is reported to
    /// ``onProblem(_:)``, and the initial value is returned without being written.
    public subscript<Value>(key: Key<Value?>, initialisingWith initial: @autoclosure () -> Value) -> Value {
        if let value = self[key] { return value }
        let initial = initial()
        do throws(WriteError.Cause) {
            return try store.edit(
                { (edit: inout PropertyListEdit) throws(WriteError.Cause) -> Value in
                    // Another thread may have written a value meanwhile.
                    if let value = key.value(of: key.coding.stored(under: key.name, in: &edit), in: store) {
                        return value
                    }
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

extension PropertyListStore {
    /// Changes the value of a key in one step, as ``Defaults/modify(_:_:)-(Defaults.Key<Value>,_)`` does.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ key: Defaults.Key<Value>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Defaults(self).modify(key, change)
    }
}
