/// A value of a key on its way from a read to the write that depends on it.
@usableFromInline
struct ValueInChange<Value> {
    /// The value: at first as it was read.
    @usableFromInline var value: Value
    /// The stored form that it was read from.
    @usableFromInline let stored: StoredValue?

    @usableFromInline
    init(value: Value, stored: StoredValue?) {
        self.value = value
        self.stored = stored
    }
}

extension Defaults.Key {
    /// Reads the value, or the default, together with the stored form, for a write that depends on it.
    ///
    /// The state is asked before the value, as for ``read(from:)``.
    @inlinable
    func beginChange(in store: any PropertyListStore) -> ValueInChange<Value> {
        let revision = store.revision
        let stored = stored(in: store)
        guard let revision, !ScalarCache<Value>.fits else {
            return ValueInChange(value: decode(stored, of: store), stored: stored)
        }
        return ValueInChange(value: readDecoded(stored, of: store, at: revision), stored: stored)
    }

    /// Writes a value that was changed in place, and reports if that replaces another one than the one that was read.
    ///
    /// The value is written in any case, because the change cannot be made again.
    @inlinable
    func endChange(_ change: ValueInChange<Value>, in store: any PropertyListStore) {
        do {
            if try replace(change.stored, with: change.value, isBinding: false, in: store) { return }
            try overwrite(with: change.value, in: store)
        } catch {
            Defaults.WriteError(key: name, store: store.name, cause: error).report()
        }
    }

    /// Writes a value as ``write(_:to:)`` does, which expects nothing of the value there, and reports that.
    @usableFromInline
    func overwrite(with value: Value, in store: any PropertyListStore) throws(Defaults.WriteError.Cause) {
        do throws(Defaults.WriteError) {
            try write(value, to: store)
        } catch {
            throw error.cause
        }
        Defaults.Problem.changeOverwritten(key: name, store: store.name).report()
    }

    /// Writes a value in the place of the one that was read from a stored form, unless another one is there by now.
    ///
    /// A stored value that the key cannot read is kept beside, as for ``write(_:to:)``.
    ///
    /// - Parameters:
    ///   - stored: The stored form that was read.
    ///   - value: The value.
    ///   - isBinding: Whether the store has to compare with what it stores for good.
    ///   - store: The store.
    /// - Returns: `false` if another value is there, and nothing was written.
    @inlinable
    func replace(
        _ stored: StoredValue?,
        with value: Value,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        guard let encodeEntry else {
            return try replaceInEdit(stored, with: value, isBinding: isBinding, in: store)
        }
        let entry = try checkedEntry(of: value, encodeEntry)
        if let isWritten = try replaceEntry(stored, with: entry, isBinding: isBinding, in: store) { return isWritten }
        return try replaceInEdit(stored, with: value, isBinding: isBinding, in: store)
    }

    /// Does what ``replace(_:with:isBinding:in:)`` does for a key with one entry.
    ///
    /// - Returns: `nil` if there is a value that has to be kept, and nothing was written.
    @usableFromInline
    func replaceEntry(
        _ stored: StoredValue?,
        with entry: PropertyListValue?,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool? {
        var batch = PropertyListBatch(entry.map { .set($0, key: name) } ?? .remove(key: name))
        batch.arbiter = isBinding ? .store : .memory
        batch.writtenState = writtenState
        batch.expectStored(stored, forKey: name)
        let target = store.writtenStore
        if target !== store {
            // The value that is replaced need not be the one that was read, which can be of another layer.
            let replaced = target.storedValue(forKey: name)
            guard isReadable(replaced) else { return nil }
            batch.expect(replaced?.value, ofWrittenStoreForKey: name)
        } else if !isReadable(stored) {
            return nil
        }
        do {
            return try store.applyUnlessConflicting(batch)
        } catch {
            throw .store(error)
        }
    }

    /// Does what ``replace(_:with:isBinding:in:)`` does for a key with several entries, or one that cannot read its value.
    @usableFromInline
    func replaceInEdit(
        _ stored: StoredValue?,
        with value: Value,
        isBinding: Bool,
        in store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        // A conflict may be one of the entry in which unreadable values are kept, which all keys share.
        for _ in 0..<16 {
            var edit = PropertyListEdit(store.layeredState)
            guard coding.stored(under: name, in: &edit) == stored else { return false }
            try write(value, into: &edit)
            var batch = edit.batch
            batch.arbiter = isBinding ? .store : .memory
            do {
                if try store.applyUnlessConflicting(batch) { return true }
            } catch {
                throw .store(error)
            }
        }
        return false
    }
}
