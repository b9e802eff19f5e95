extension Defaults.Key {
    /// The value in a store, or the default: what the subscripts of ``Defaults`` read.
    ///
    /// The state is asked before the value, so what is kept for a state is never older than that state.
    @inlinable
    func read(from store: any PropertyListStore) -> Value {
        guard let revision = store.revision else { return readUncached(from: store) }
        if ScalarCache<Value>.fits {
            if let value = scalarCache.value(at: revision) { return value }
        } else {
            if let value = decodedCache.value(at: revision) { return value }
        }
        return readAndKeep(from: store, at: revision)
    }

    @inlinable
    func readUncached(from store: any PropertyListStore) -> Value {
        decode(stored(in: store), of: store)
    }

    @inlinable
    func readAndKeep(from store: any PropertyListStore, at revision: StoreRevision) -> Value {
        let stored = stored(in: store)
        guard ScalarCache<Value>.fits else { return readDecoded(stored, of: store, at: revision) }
        guard let value = decodeReporting(stored, of: store) ?? constantDefault else { return defaultValue }
        scalarCache.keep(value, at: revision)
        return value
    }

    /// The stored form in a store, all of it from one instant.
    @inlinable
    func stored(in store: any PropertyListStore) -> StoredValue? {
        decodeEntry == nil ? coding.stored(under: name, in: store.snapshot()) : store.storedValue(forKey: name)
    }

    /// The value of a stored form, taken from the cache if it was made of the same one before, and kept there if not.
    @inlinable
    func readDecoded(
        _ stored: StoredValue?,
        of store: any PropertyListStore,
        at revision: StoreRevision
    ) -> Value {
        guard coding.sharesDecodedValues else { return decode(stored, of: store) }
        if let value = decodedCache.value(for: stored, at: revision) { return value }
        var isWhole = stored == nil
        guard let value = decodeReporting(stored, of: store, isWhole: &isWhole) ?? constantDefault else {
            return defaultValue
        }
        decodedCache.keep(value, from: stored, isWhole: isWhole, at: revision)
        return value
    }

    /// The default, if it is the same each time.
    @inlinable var constantDefault: Value? {
        if case .constant(let value) = defaultSource { value } else { nil }
    }

    /// The decoded value, or the default for an absent or unreadable one; what is unreadable is reported.
    @inlinable
    func decode(_ stored: StoredValue?, of store: any PropertyListStore) -> Value {
        decodeReporting(stored, of: store) ?? defaultValue
    }

    /// The decoded value, or `nil` for an absent or unreadable one; what is unreadable is reported.
    @inlinable
    func decodeReporting(_ stored: StoredValue?, of store: any PropertyListStore) -> Value? {
        var isWhole = false
        return decodeReporting(stored, of: store, isWhole: &isWhole)
    }

    /// The decoded value, and whether no part of it was left out; `nil` for an absent or unreadable one.
    ///
    /// What is unreadable is reported.
    @inlinable
    func decodeReporting(
        _ stored: StoredValue?,
        of store: any PropertyListStore,
        isWhole: inout Bool
    ) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: false, extent: stored.extent)
        do {
            let value = try decode(stored.value, in: &context)
            isWhole = context.skipped.isEmpty
            if !isWhole { report(context.skipped, in: stored, of: store) }
            return value
        } catch {
            report([error], in: stored, of: store)
            return nil
        }
    }

    /// The value of a stored form.
    @inlinable
    func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        if context.readsText { return try decodeTyped(stored, in: &context) }
        return try decodeExactly(stored, in: &context)
    }

    /// The value of a stored form that is of the kind that the key stores, or of one that its bridge converts.
    @inlinable
    func decodeExactly(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        guard let decodeEntry else { return try coding.decode(stored, under: name, in: &context) }
        return try decodeEntry(stored, &context)
    }

    /// The value of a stored form that someone may have typed: a text may be a collection too, if it is written as one.
    @usableFromInline
    func decodeTyped(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        do {
            return try decodeExactly(stored, in: &context)
        } catch {
            guard let collection = coding.readingCollection(in: stored, context.extent, under: name) else { throw error }
            return try decodeExactly(collection, in: &context)
        }
    }

    /// The value in a store, every part of it, or `nil` for an absent one; decoded once, as for ``read(from:)``.
    func readStrictly(from store: any PropertyListStore) throws(Defaults.ReadError) -> Value? {
        let revision = store.revision
        let stored = stored(in: store)
        guard let revision, let stored, !ScalarCache<Value>.fits, coding.sharesDecodedValues else {
            return try decodeStrictly(stored, of: store)
        }
        if let value = decodedCache.wholeValue(for: stored, of: revision.store) { return value }
        guard let value = try decodeStrictly(stored, of: store) else { return nil }
        decodedCache.keep(value, from: stored, isWhole: true, at: revision)
        return value
    }

    /// The decoded value, every part of it, or `nil` for an absent one.
    func decodeStrictly(
        _ stored: StoredValue?,
        of store: any PropertyListStore
    ) throws(Defaults.ReadError) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
        do {
            return try decode(stored.value, in: &context)
        } catch {
            throw readError(error, in: stored, of: store)
        }
    }

    /// The decoded value, every part of it, the default for an absent one, or what is wrong with it.
    func decodeResult(
        _ stored: StoredValue?,
        of store: any PropertyListStore
    ) -> Result<Value, Defaults.ReadError> {
        do throws(Defaults.ReadError) {
            return .success(try decodeStrictly(stored, of: store) ?? defaultValue)
        } catch {
            return .failure(error)
        }
    }

    @usableFromInline
    func report(_ errors: [ValueDecodingError], in stored: StoredValue, of store: any PropertyListStore) {
        ProblemReporter.shared.report(once: stored, ofKey: name, in: store) {
            errors.map { .unreadable(readError($0, in: stored, of: store)) }
        }
    }

    /// The error of a stored form, which may be one of the past: then the place of the present one is not to blame.
    private func readError(
        _ cause: ValueDecodingError,
        in stored: StoredValue,
        of store: any PropertyListStore
    ) -> Defaults.ReadError {
        let place = provenance(in: store, findingLines: false)
        let provenance = self.stored(in: store) == stored ? place : nil
        return Defaults.ReadError(key: name, store: store.name, provenance: provenance, cause: cause)
    }
}
