/// A value between the read and the write of a change in place.
@usableFromInline
struct ValueInChange<Value> {
    /// The value, as it was read until the change is made.
    @usableFromInline var value: Value
    /// The stored form from which it was read.
    @usableFromInline let stored: StoredValue?

    @usableFromInline
    init(value: Value, stored: StoredValue?) {
        self.value = value
        self.stored = stored
    }
}

extension Defaults.TypedKey {
    /// Reads the value, or the default, with the stored form, for a write that depends on it.
    ///
    /// The revision is read before the value, as for ``value(in:)``.
    @inlinable
    final func beginChange(in store: any PropertyListStore) -> ValueInChange<Value> {
        let revision = store.revision(of: stripe)
        let stored = storedForm(in: store)
        guard let revision, !ScalarCache<Value>.fits else {
            return ValueInChange(value: value(of: stored, in: store), stored: stored)
        }
        return ValueInChange(value: cachedValue(of: stored, in: store, at: revision), stored: stored)
    }

    /// Writes a value that was changed in place, and reports it if that replaces a different value from the one that was read.
    ///
    /// The value is written in any case, because the change cannot be repeated.
    @inlinable
    final func endChange(_ change: ValueInChange<Value>, in store: any PropertyListStore) {
        do {
            if try replace(change.stored, with: change.value, isBinding: false, in: store) { return }
            try overwrite(with: change.value, in: store)
        } catch {
            Defaults.WriteError(key: name, store: store.name, cause: error).report()
        }
    }

    /// Replaces any value, as ``write(_:to:)`` does, and reports that a change was overwritten.
    @usableFromInline
    final func overwrite(with value: Value, in store: any PropertyListStore) throws(Defaults.WriteError.Cause) {
        do throws(Defaults.WriteError) {
            try write(value, to: store)
        } catch {
            throw error.cause
        }
        Defaults.Problem.changeOverwritten(key: name, store: store.name).report()
    }

    /// Replaces a stored form by a value, unless the store has another form by now.
    ///
    /// A stored value that the key cannot read is moved to the kept values, as for ``write(_:to:)``.
    ///
    /// - Parameters:
    ///   - stored: The stored form that was read.
    ///   - value: The value.
    ///   - isBinding: Whether the store decides, and not its memory, if the form is still there.
    ///   - store: The store.
    /// - Returns: `false` if there is another form, and nothing was written.
    @inlinable
    final func replace(
        _ stored: StoredValue?,
        with value: Value,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        guard let encode = encoder(for: store) else {
            return try replaceInEdit(stored, with: value, isBinding: isBinding, in: store)
        }
        let entry = try checkedEntry(of: value, encode)
        if let isWritten = try replaceEntry(stored, with: entry, encode, isBinding: isBinding, in: store) {
            return isWritten
        }
        return try replaceInEdit(stored, with: value, isBinding: isBinding, in: store)
    }

    /// Implements ``replace(_:with:isBinding:in:)`` for a key with one entry.
    ///
    /// - Returns: `nil` if there is a value to keep, and nothing was written.
    @usableFromInline
    final func replaceEntry(
        _ stored: StoredValue?,
        with entry: PropertyListValue?,
        _ encode: KeyCoding<Value>.Encode,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool? {
        let target = store.writtenStore
        // The replaced value may differ from the one that was read, which can come from another layer.
        let replaced = target !== store ? target.storedValue(forKey: name) : stored
        guard isReadable(replaced) else { return nil }
        var batch = PropertyListBatch(write(of: entry, replacing: replaced, in: store.valueForm, encode))
        batch.arbiter = isBinding ? .store : .memory
        batch.expectStored(stored, forKey: name)
        if target !== store { batch.expect(replaced?.value, ofWrittenStoreForKey: name) }
        do {
            return try store.applyUnlessConflicting(batch)
        } catch {
            throw .store(error)
        }
    }

    /// Implements ``replace(_:with:isBinding:in:)`` for a key with several entries, or with a value that it cannot read.
    @usableFromInline
    final func replaceInEdit(
        _ stored: StoredValue?,
        with value: Value,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        // The conflict may concern the entry of kept values, which all keys share.
        for attempt in 0..<16 {
            var edit = PropertyListEdit(of: store, trustingNotes: attempt == 0)
            guard coding.stored(under: name, in: &edit) == stored else { return false }
            try write(value, into: &edit)
            var batch = edit.batch
            batch.arbiter = isBinding ? .store : .memory
            do {
                try edit.checkNames(in: store.name)
                if try store.applyUnlessConflicting(batch) { return true }
            } catch {
                throw .store(error)
            }
        }
        return false
    }
}
