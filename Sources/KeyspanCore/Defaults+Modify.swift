/// Changes of one value that depend on what it was.
extension Defaults {
    /// Changes the value of a key in one step: what another thread or process writes meanwhile is not lost.
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
    /// A value that cannot be written, or a store that refuses, is reported to ``onProblem(_:)``, the old value stays, and
    /// the result of the closure is given all the same. ``commit(_:)`` throws instead, and changes several values.
    ///
    /// Costs about what a read and a write cost in memory. Over a file it also waits for the file's lock, unless only one
    /// process writes that (`FileStoreOptions.Expectations`). Safe to use from any thread.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error.
    @discardableResult
    public func modify<Value, Result, Failure: Error>(
        _ key: Key<Value>,
        _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var retries = ConflictRetries()
        while true {
            let revision = store.revision
            var present = key.beginChange(in: store)
            let result = try change(&present.value)
            do throws(WriteError.Cause) {
                if try key.replace(present.stored, with: present.value, isBinding: true, in: store) { return result }
                try key.endIfOver(&retries, at: revision, expecting: present.stored, in: store)
            } catch {
                WriteError(key: key.name, store: store.name, cause: error).report()
                return result
            }
        }
    }

    /// Changes the value of a key that throws in one step: what another thread or process writes meanwhile is not lost.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the value. It is called again, with the new value, if another writer comes in between; it should
    ///     do nothing else. Nothing is written if it throws.
    /// - Returns: What the closure returned for the value that was written.
    /// - Throws: The closure's error; ``ReadError`` if there is a value that cannot be read; ``WriteError`` if the new one has
    ///   no stored form, breaks a rule of the key, or the store refuses it. Nothing has changed then.
    @discardableResult
    public func modify<Value, Result>(
        _ key: ThrowingKey<Value>,
        _ change: (inout Value) throws -> Result
    ) throws -> Result {
        let key = key.key
        var retries = ConflictRetries()
        while true {
            let revision = store.revision
            let stored = key.stored(in: store)
            var value = try key.decodeStrictly(stored, of: store) ?? key.defaultValue
            let result = try change(&value)
            do throws(WriteError.Cause) {
                if try key.replace(stored, with: value, isBinding: true, in: store) { return result }
                try key.endIfOver(&retries, at: revision, expecting: stored, in: store)
            } catch {
                throw WriteError(key: key.name, store: store.name, cause: error)
            }
        }
    }
}

extension Defaults.Key {
    /// Throws the conflict that has ended a round, if the store stays as it is.
    fileprivate func endIfOver(
        _ retries: inout ConflictRetries,
        at revision: StoreRevision?,
        expecting stored: StoredValue?,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) {
        let expectation = PropertyListBatch.Expectation(key: name, value: stored?.value)
        guard retries.areExhausted(at: revision, expecting: [expectation]) else { return }
        throw .store(.conflict(key: name, store: store.name))
    }
}
