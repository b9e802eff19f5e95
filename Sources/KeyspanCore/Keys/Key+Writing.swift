extension Defaults.Key {
    /// Writes a value to a store in one batch, or throws and leaves the old one.
    ///
    /// A stored value that the key cannot read is not lost: it is kept beside, in the same batch.
    @inlinable
    func write(_ value: Value, to store: any PropertyListStore) throws(Defaults.WriteError) {
        do throws(Defaults.WriteError.Cause) {
            guard let encodeEntry else { return try writeEdit(value, to: store) }
            let entry = try checkedEntry(of: value, encodeEntry)
            if try !writeEntry(entry, to: store) { try writeEdit(value, to: store) }
        } catch {
            throw Defaults.WriteError(key: name, store: store.name, cause: error)
        }
    }

    /// Writes the one entry of the key, which takes the place of a value that was looked at, and of no other.
    ///
    /// Of a store with layers only the one that is written can lose something. What another process writes at the same time
    /// is not known here: a file keeps the later one of two values, as it does of two that can be read.
    ///
    /// - Returns: `false` if there is a value that has to be kept, and nothing was written.
    @usableFromInline
    func writeEntry(
        _ entry: PropertyListValue?,
        to store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        var batch = PropertyListBatch(entry.map { .set($0, key: name) } ?? .remove(key: name))
        batch.arbiter = .memory
        batch.writtenState = writtenState
        do {
            // The store itself first: to ask for its layers costs a tenth of a write.
            batch.needsWrittenState =
                writtenState.isCurrent(store.revision) || writtenState.isCurrent(store.writtenStore.revision)
            if batch.needsWrittenState, try store.applyUnlessConflicting(batch) { return true }
            batch.needsWrittenState = false
            let target = store.writtenStore
            var retries = ConflictRetries()
            while true {
                let revision = target.revision
                let replaced = target.storedValue(forKey: name)
                guard isReadable(replaced) else { return false }
                // A store that names no written store may wrap one that does, and passes this on as it is.
                batch.expectOnly(replaced?.value, isAboutWrittenStore: target !== store, forKey: name)
                if try store.applyUnlessConflicting(batch) { return true }
                if retries.areExhausted(at: revision, expecting: batch.expectations) {
                    // A store that stays as it is and meets no expectation knows none, and a plain write depends on none.
                    batch.expectNothing()
                    try store.apply(batch)
                    return true
                }
            }
        } catch {
            throw .store(error)
        }
    }

    /// The stored form of a value that keeps the rules.
    @inlinable
    func checkedEntry(
        of value: Value,
        _ encode: (Value) throws(ValueEncodingError) -> PropertyListValue?
    ) throws(Defaults.WriteError.Cause) -> PropertyListValue? {
        if !rules.isEmpty { try validate(value) }
        do {
            return try encode(value)
        } catch {
            throw .encoding(error)
        }
    }

    /// Writes a value in an edit, which sees all entries of the key and can write others.
    @usableFromInline
    func writeEdit(_ value: Value, to store: any PropertyListStore) throws(Defaults.WriteError.Cause) {
        try store.edit(
            { (edit) throws(Defaults.WriteError.Cause) in try write(value, into: &edit) },
            isPlainWrite: true,
            storeFailure: { .store($0) }
        )
    }

    /// Writes a value to an edit, or throws and leaves it as it was.
    func write(_ value: Value, into edit: inout PropertyListEdit) throws(Defaults.WriteError.Cause) {
        try validate(value)
        do {
            if let encodeEntry {
                let encoded = try encodeEntry(value)
                keepUnreadable(in: &edit)
                edit[name] = encoded
            } else {
                // A copy, because a direct bridge can fail after some of its writes.
                var written = edit
                keepUnreadable(in: &written)
                try coding.encode(value, under: name, into: &written)
                edit = written
            }
        } catch {
            throw .encoding(error)
        }
    }

    @usableFromInline
    func validate(_ value: Value) throws(Defaults.WriteError.Cause) {
        for rule in rules where !rule.isSatisfied(by: value) {
            throw .invalid(requirement: rule.requirement)
        }
    }

    /// Whether nothing is lost when another value takes the place of this one.
    @inlinable
    func isReadable(_ stored: StoredValue?) -> Bool {
        guard let stored else { return true }
        if !ScalarCache<Value>.fits, let isWhole = decodedCache.isWhole(stored) { return isWhole }
        var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
        do {
            _ = try decode(stored.value, in: &context)
            return true
        } catch {
            return false
        }
    }
}

extension Defaults.Key: UntypedKey {
    var entryNames: [String] { coding.entries(of: name) }

    func keepUnreadable(in edit: inout PropertyListEdit) {
        guard !isReadable(coding.stored(under: name, replacedIn: &edit)) else { return }
        KeptValues.keep(entryNames, ofKey: name, in: &edit)
    }

    func remove(from edit: inout PropertyListEdit) {
        keepUnreadable(in: &edit)
        for entry in entryNames {
            edit[entry] = nil
        }
    }

    func problems(in table: PropertyListTable, of store: any PropertyListStore) -> [Defaults.InvalidValue] {
        do {
            guard let value = try decodeStrictly(coding.stored(under: name, in: table), of: store) else { return [] }
            return rules.filter { !$0.isSatisfied(by: value) }.map {
                invalidValue(.rule(requirement: $0.requirement), in: store)
            }
        } catch {
            return [invalidValue(.unreadable(error), in: store)]
        }
    }

    private func invalidValue(
        _ cause: Defaults.InvalidValue.Cause,
        in store: any PropertyListStore
    ) -> Defaults.InvalidValue {
        let provenance = provenance(in: store, findingLines: false)
        return Defaults.InvalidValue(key: name, store: store.name, provenance: provenance, cause: cause)
    }

    func renamed(_ name: String) -> Defaults.AnyKey { renamedKey(name) }

    func prefixed(by prefix: Prefix) -> Defaults.AnyKey {
        let key: Defaults.Key<Value> = self.prefixed(by: prefix)
        return key
    }

    /// The same key under another name, with caches of its own.
    @usableFromInline
    func renamedKey(_ name: String) -> Defaults.Key<Value> {
        Defaults.Key(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: coding,
            rules: rules,
            details: details
        )
    }
}
