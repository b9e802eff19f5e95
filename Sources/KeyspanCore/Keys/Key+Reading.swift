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
        decode(coding.stored(under: name, in: store), of: store)
    }

    @inlinable
    func readAndKeep(from store: any PropertyListStore, at revision: StoreRevision) -> Value {
        let stored = coding.stored(under: name, in: store)
        if ScalarCache<Value>.fits {
            guard let value = decodeReporting(stored, of: store)?.value ?? constantDefault else { return defaultValue }
            scalarCache.keep(value, at: revision)
            return value
        }
        return readDecoded(stored, of: store, at: revision)
    }

    /// The value of a stored form, taken from the cache if it was made of the same one before, and kept there if not.
    @usableFromInline
    func readDecoded(
        _ stored: PropertyListValue?,
        of store: any PropertyListStore,
        at revision: StoreRevision
    ) -> Value {
        guard coding.sharesDecodedValues else { return decode(stored, of: store) }
        if let value = decodedCache.value(for: stored, at: revision) { return value }
        if let decoded = decodeReporting(stored, of: store) {
            decodedCache.keep(decoded.value, from: stored, isWhole: decoded.isWhole, at: revision)
            return decoded.value
        }
        guard let value = constantDefault else { return defaultValue }
        decodedCache.keep(value, from: stored, isWhole: stored == nil, at: revision)
        return value
    }

    /// The default, if it is the same each time.
    @inlinable var constantDefault: Value? {
        if case .constant(let value) = defaultSource { value } else { nil }
    }

    /// The decoded value, or the default for an absent or unreadable one; what is unreadable is reported.
    @usableFromInline
    func decode(_ stored: PropertyListValue?, of store: any PropertyListStore) -> Value {
        decodeReporting(stored, of: store)?.value ?? defaultValue
    }

    /// The decoded value and whether no part of it was left out; `nil` for an absent or unreadable one.
    ///
    /// What is unreadable is reported.
    @usableFromInline
    func decodeReporting(
        _ stored: PropertyListValue?,
        of store: any PropertyListStore
    ) -> (value: Value, isWhole: Bool)? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: false)
        do {
            let value = try coding.decode(stored, under: name, in: &context)
            if !context.skipped.isEmpty { report(context.skipped, in: stored, of: store) }
            return (value, context.skipped.isEmpty)
        } catch {
            report([error], in: stored, of: store)
            return nil
        }
    }

    /// The decoded value, every part of it, or `nil` for an absent one.
    func decodeStrictly(
        _ stored: PropertyListValue?,
        of store: any PropertyListStore
    ) throws(Defaults.ReadError) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: true)
        do {
            return try coding.decode(stored, under: name, in: &context)
        } catch {
            throw Defaults.ReadError(key: name, store: store.name, cause: error)
        }
    }

    private func report(_ errors: [ValueDecodingError], in stored: PropertyListValue, of store: any PropertyListStore) {
        let problems = errors.map { Defaults.Problem.unreadable(.init(key: name, store: store.name, cause: $0)) }
        ProblemReporter.shared.report(problems, once: stored, ofKey: name, in: store)
    }
}
