// A read goes through these steps: `value(in:)` looks for a value cached at the present revision of the key's stripe; without
// one, `storedForm(in:)` gets the stored form, `cachedValue(of:in:at:)` looks for a value decoded from an equal one, and `decode`
// converts it. A value that breaks a rule of the key is treated like one that cannot be converted. The caches have the outcome, so
// the rules are asked once for each value, and not for each read.

extension Defaults.TypedKey {
    /// The value in a store, or the default, as the subscripts of ``Defaults`` read it.
    ///
    /// The revision is read before the value, so a value is never cached for a newer state than its own.
    @inlinable
    package final func value(in store: any PropertyListStore) -> Value {
        guard let revision = store.revision(of: stripe) else { return value(of: storedForm(in: store), in: store) }
        if let value = cachedValue(at: revision) { return value }
        return cachedValue(of: storedForm(in: store), in: store, at: revision)
    }

    /// The value read at exactly that revision, or `nil`.
    @inlinable
    final func cachedValue(at revision: StoreRevision) -> Value? {
        ScalarCache<Value>.fits ? scalarCache.value(at: revision) : decodedCache.value(at: revision)
    }

    /// The stored form in a store, from one instant.
    @inlinable
    final func storedForm(in store: any PropertyListStore) -> StoredValue? {
        coding.isDirect ? coding.stored(under: name, in: store.snapshot()) : store.storedValue(forKey: name)
    }

    /// The value of a stored form, or the default: from the cache if it holds the value of an equal form, and cached otherwise.
    @inlinable
    final func cachedValue(
        of stored: StoredValue?,
        in store: any PropertyListStore,
        at revision: StoreRevision
    ) -> Value {
        if !rules.isEmpty, isReadByRule { return value(of: stored, in: store) }
        if ScalarCache<Value>.fits {
            var isWhole = false
            let readable = readableValue(of: stored, in: store, isWhole: &isWhole)
            guard let value = readable ?? constantDefault else { return defaultValue }
            scalarCache.keep(value, from: stored == nil ? .absent : isWhole ? .value : .unreadable, at: revision)
            return value
        }
        guard coding.sharesDecodedValues else { return value(of: stored, in: store) }
        if let value = decodedCache.value(for: stored, at: revision) { return value }
        var isWhole = stored == nil
        guard let value = readableValue(of: stored, in: store, isWhole: &isWhole) ?? constantDefault else {
            return defaultValue
        }
        decodedCache.keep(value, from: stored, isWhole: isWhole, at: revision)
        return value
    }

    /// The stored form in an edit, with the writes of the edit.
    @usableFromInline
    final func storedForm(in edit: inout PropertyListEdit) -> StoredValue? {
        coding.isDirect ? coding.stored(under: name, in: &edit) : edit.storedValue(forKey: name)
    }

    /// The default, unless it is computed for each read.
    @inlinable final var constantDefault: Value? {
        if case .constant(let value) = defaultSource { value } else { nil }
    }

    /// The value of a stored form, or the default if it is absent or unusable, which is reported.
    @inlinable
    final func value(of stored: StoredValue?, in store: any PropertyListStore) -> Value {
        var isWhole = false
        return readableValue(of: stored, in: store, isWhole: &isWhole) ?? defaultValue
    }

    /// The value of a stored form; `nil` if it is absent, unreadable or breaks a rule, which is reported.
    ///
    /// - Parameters:
    ///   - stored: The stored form.
    ///   - store: The store that has or had it.
    ///   - isWhole: Set to whether every part of a present form was readable. Unreadable elements are left out and reported.
    @inlinable
    final func readableValue(
        of stored: StoredValue?,
        in store: any PropertyListStore,
        isWhole: inout Bool
    ) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: false, extent: stored.extent)
        do {
            let value = try decode(stored.value, in: &context)
            if !rules.isEmpty, let broken = brokenRule(by: value, of: stored.value) {
                report(context.skipped + [broken], in: stored, of: store)
                return nil
            }
            isWhole = context.skipped.isEmpty
            if !isWhole { report(context.skipped, in: stored, of: store) }
            return value
        } catch {
            report([error], in: stored, of: store)
            return nil
        }
    }

    /// Converts a stored form to a value that the rules allow.
    @inlinable
    final func usableValue(
        of stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        let value = try decode(stored, in: &context)
        if !rules.isEmpty, let broken = brokenRule(by: value, of: stored) { throw broken }
        return value
    }

    /// The error for the first rule that a value breaks; `nil` if it breaks none.
    @usableFromInline
    final func brokenRule(by value: Value, of stored: PropertyListValue) -> ValueDecodingError? {
        guard let rule = rules.first(where: { !$0.isSatisfied(by: value) }) else { return nil }
        return ValueDecodingError(
            cause: .rule(found: stored.kind, requirement: requirement(of: rule)),
            path: ValuePath()
        )
    }

    /// Whether a rule of some key is reading this one, so that the value may not have been examined and is not cached.
    @usableFromInline final var isReadByRule: Bool { RuleScope.isEntered }

    /// Converts a stored form, whatever the rules say; if a person typed it, the text of a collection counts as that collection.
    @inlinable
    final func decode(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        if context.readsText { return try decodeTypedText(stored, in: &context) }
        return try decodeExactly(stored, in: &context)
    }

    /// Converts a stored form of the kind that the key stores, or of one that its bridge converts.
    @inlinable
    final func decodeExactly(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        if let decodeEntry = coding.decodeEntry { return try decodeEntry(stored, &context) }
        return try coding.decodeDirectly(stored, under: name)
    }

    @usableFromInline
    final func decodeTypedText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Value {
        do {
            return try decodeExactly(stored, in: &context)
        } catch {
            return try decodeCollection(of: stored, in: &context, insteadOf: error)
        }
    }

    /// Converts the collections that a text may stand for.
    ///
    /// - Throws: The error about a part of one of them if there is such an error, because the text is one of those then.
    private func decodeCollection(
        of stored: PropertyListValue,
        in context: inout Defaults.DecodingContext,
        insteadOf error: ValueDecodingError
    ) throws(ValueDecodingError) -> Value {
        let first = error
        var error = error
        if let collection = coding.readingMarkedCollections(in: stored, under: name, context.extent) {
            return try decodeExactly(collection, in: &context)
        }
        guard case .string(let text) = stored, !coding.isDirect || coding.entries(of: name).count == 1 else {
            throw error
        }
        // Such a text need not be a collection at all, so it is one only if all of its parts can be read.
        var strict = context.strict
        for collection in CollectionText.lists(in: text) {
            do throws(ValueDecodingError) {
                return try decodeExactly(collection, in: &strict)
            } catch let other {
                if error.path.steps.isEmpty, !other.path.steps.isEmpty { error = other }
            }
        }
        if first.isAboutMissingCollection, let flaw = CollectionText.flaw(of: text) {
            throw .unreadable(stored, reason: flaw)
        }
        throw error
    }
}

// MARK: - Reads of entries that are in no store

extension Defaults.TypedKey {
    /// The value of entries, or the default if they are absent or unusable, which is reported; not cached.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - store: The store that reports name.
    package final func value(ofEntries entries: PropertyListTable, in store: any PropertyListStore) -> Value {
        value(of: coding.stored(under: name, in: entries), in: store)
    }

    /// The value of entries if all parts of it are readable, `nil` if they are absent; not cached.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - store: The store that errors name.
    package final func strictValue(
        ofEntries entries: PropertyListTable,
        in store: any PropertyListStore
    ) throws(Defaults.ReadError) -> Value? {
        try strictValue(of: coding.stored(under: name, in: entries), in: store)
    }
}

// MARK: - Strict reads

extension Defaults.TypedKey {
    /// The value in a store if all parts of it are readable, `nil` for an absent one; cached as for ``value(in:)``.
    @inlinable
    final func strictValue(in store: any PropertyListStore) throws(Defaults.ReadError) -> Value? {
        guard let revision = store.revision(of: stripe) else {
            return try strictValue(of: storedForm(in: store), in: store)
        }
        switch cachedStrictRead(at: revision) {
        case .absent: return nil
        case .value(let value): return value
        case .unknown: return try cachedStrictValue(of: storedForm(in: store), in: store, at: revision)
        }
    }

    /// The result of a strict read at exactly that revision, unless that was an error.
    @inlinable
    final func cachedStrictRead(at revision: StoreRevision) -> CachedRead<Value> {
        ScalarCache<Value>.fits ? scalarCache.strictRead(at: revision) : decodedCache.strictRead(at: revision)
    }

    /// The value of a stored form if all parts of it are readable, `nil` for an absent one: from the cache if it holds the value of
    /// an equal form, and cached otherwise.
    @inlinable
    final func cachedStrictValue(
        of stored: StoredValue?,
        in store: any PropertyListStore,
        at revision: StoreRevision
    ) throws(Defaults.ReadError) -> Value? {
        if !rules.isEmpty, isReadByRule { return try strictValue(of: stored, in: store) }
        let isScalar = ScalarCache<Value>.fits
        if !isScalar {
            guard coding.sharesDecodedValues else { return try strictValue(of: stored, in: store) }
            if let stored, let value = decodedCache.wholeValue(for: stored, at: revision) { return value }
        }
        let found = try strictValue(of: stored, in: store)
        guard let value = found ?? constantDefault else { return nil }
        if isScalar {
            scalarCache.keep(value, from: found == nil ? .absent : .value, at: revision)
        } else {
            decodedCache.keep(value, from: stored, isWhole: true, at: revision)
        }
        return found
    }

    /// The value of a stored form if all parts of it are readable and it breaks no rule, `nil` for an absent one.
    @inlinable
    package final func strictValue(
        of stored: StoredValue?,
        in store: any PropertyListStore
    ) throws(Defaults.ReadError) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
        do {
            return try usableValue(of: stored.value, in: &context)
        } catch {
            throw readError(error, in: stored, of: store)
        }
    }

    /// The value of a stored form, the default for an absent one, or the error.
    final func result(
        of stored: StoredValue?,
        in store: any PropertyListStore
    ) -> Result<Value, Defaults.ReadError> {
        do throws(Defaults.ReadError) {
            return .success(try strictValue(of: stored, in: store) ?? defaultValue)
        } catch {
            return .failure(error)
        }
    }

    /// Whether the key can read a stored value in full and its rules allow it, so that replacing it loses nothing.
    @inlinable
    final func isReadable(_ stored: StoredValue?) -> Bool {
        guard let stored else { return true }
        if !ScalarCache<Value>.fits, let isWhole = decodedCache.isWhole(stored) { return isWhole }
        var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
        do {
            _ = try usableValue(of: stored.value, in: &context)
            return true
        } catch {
            return false
        }
    }

    @usableFromInline
    final func report(_ errors: [ValueDecodingError], in stored: StoredValue, of store: any PropertyListStore) {
        ProblemReporter.shared.report(once: stored, ofKey: name, in: store) {
            readErrors(errors, in: stored, of: store).map { .unreadable($0) }
        }
    }
}
