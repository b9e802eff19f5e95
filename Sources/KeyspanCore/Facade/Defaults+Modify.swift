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
    /// defaults.modify(.servers) { $0.append("eu-1") }
    /// ```
    ///
    /// If the value cannot be written, or the store refuses it, that is reported to ``onProblem(_:)``, and the old value stays.
    /// ``commit(_:_:)`` throws instead, and returns a result of the change.
    ///
    /// In memory it costs about as much as a read and a write. Over a file it also waits for the file's lock, unless only one
    /// process writes the file (`FileStoreOptions.Expectations`). The `UserDefaults` of Apple's systems has no such operation: there
    /// only changes through the same store are never lost. Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Throws: The closure's error.
    public func modify<Value, Failure: Error>(
        _ key: Key<Value>,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        let (_, error) = try modify(key, change) { () throws(Failure) in key.beginChange(in: store) }
        error?.report()
    }

    /// Changes the value of a throwing key in one step, without losing concurrent changes by other threads or processes.
    ///
    /// Behaves as ``commit(_:_:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error; ``ReadError`` if there is a value that cannot be used; ``WriteError`` if the new one has
    ///   no stored form, breaks a rule of the key, or the store refuses it. Nothing has changed then.
    @discardableResult
    public func modify<Value, Result>(
        _ key: ThrowingKey<Value>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        try commit(key, change)
    }

    /// Changes the value of a key in one step, or throws and changes nothing.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let ticket = Key<Int>("ticket", default: 0)
    /// }
    ///
    /// let tickets = Defaults(InMemoryStore())
    /// let ticket = try tickets.commit(.ticket) { number in
    ///     number += 1
    ///     return number
    /// }
    /// print(ticket)  // prints: 1
    /// ```
    ///
    /// The result is that of the value that was written: no other thread or process gets the same ticket. As with
    /// ``modify(_:_:)-(Defaults.Key<Value>,_)``, a plain key whose stored value cannot be read has its default. A throwing key throws.
    ///
    /// Over a file it waits for the file's lock, unless only one process writes the file. The asynchronous form blocks no thread.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The closure's error; ``ReadError`` if a throwing key has a value that cannot be read; ``WriteError`` if the new value
    ///   has no stored form, breaks a rule of the key, or the store refuses it. Nothing has changed then.
    @discardableResult
    public func commit<Value, Result>(
        _ key: TypedKey<Value>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        let (result, error) = try modify(key, change) { () throws(any Error) in
            if key is Key<Value> { return key.beginChange(in: store) }
            let stored = key.storedForm(in: store)
            return ValueInChange(value: try valueToChange(of: stored, by: key), stored: stored)
        }
        if let error { throw error }
        return result
    }

    /// Changes the value of a key in one step, and returns when the change is durable, without blocking a thread.
    ///
    /// Observers run on a thread of the library, not on the caller's actor.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure is called: the caller's.
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between, and should
    ///     have no other effects. Nothing is written if it throws.
    /// - Returns: The closure's result for the value that was written.
    /// - Throws: The errors of the synchronous form. If the store's error is ``StoreError/Code/notDurable``, readers see the change,
    ///   and a later `synchronize()` tries again to make it durable.
    @discardableResult
    public func commit<Value, Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ key: TypedKey<Value>,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await store.edit(isolation: isolation) { (edit: inout PropertyListEdit) throws(any Error) -> Result in
            var value = try valueToChange(of: key.storedForm(in: &edit), by: key)
            let result = try change(&value)
            do throws(WriteError.Cause) {
                try key.write(value, into: &edit)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
            return result
        } storeFailure: { error in
            WriteError(key: key.name, store: store.name, cause: .store(error))
        }
    }

    /// The value of a stored form before a change; that of a throwing key in full.
    private func valueToChange<Value>(of stored: StoredValue?, by key: TypedKey<Value>) throws(ReadError) -> Value {
        if key is Key<Value> { return key.value(of: stored, in: store) }
        return try key.strictValue(of: stored, in: store) ?? key.defaultValue
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
    /// The value is written once: if two threads race, both get the value of the first one. A stored value that the key cannot
    /// use is moved to the kept values, see ``keptValues()``, and replaced. If the store refuses the write, that is reported to
    /// ``onProblem(_:)``, and the initial value is returned without being written: two callers can get two values then. Where that must
    /// not happen, such as for an identifier, ``commit(_:_:)`` throws instead.
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
    public func modify<Value, Failure: Error>(
        _ key: Defaults.Key<Value>,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        try Defaults(self).modify(key, change)
    }
}
