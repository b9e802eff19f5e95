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
        let stored = store.value(forKey: name)
        return decode(stored, in: store) ?? defaultValue
    }

    @inlinable
    func readAndKeep(from store: any PropertyListStore, at revision: StoreRevision) -> Value {
        let stored = store.value(forKey: name)
        if ScalarCache<Value>.fits {
            guard let value = decode(stored, in: store) ?? constantDefault else { return defaultValue }
            scalarCache.keep(value, at: revision)
            return value
        }
        guard Value.sharesDecodedValues else { return decode(stored, in: store) ?? defaultValue }
        if let value = decodedCache.value(for: stored, at: revision) { return value }
        guard let value = decode(stored, in: store) ?? constantDefault else { return defaultValue }
        decodedCache.keep(value, from: stored, at: revision)
        return value
    }

    /// The default, if it is the same each time.
    @inlinable var constantDefault: Value? {
        if case .constant(let value) = defaultSource { value } else { nil }
    }

    /// The decoded value, or `nil` for an absent or unreadable one; what is unreadable is reported.
    @inlinable
    func decode(_ stored: PropertyListValue?, in store: any PropertyListStore) -> Value? {
        guard let stored else { return nil }
        var context = Defaults.DecodingContext(isStrict: false)
        do {
            let value = try Value.decode(stored, in: &context)
            if !context.skipped.isEmpty { report(context.skipped, in: stored, of: store) }
            return value
        } catch {
            report([error], in: stored, of: store)
            return nil
        }
    }

    @usableFromInline
    func report(_ errors: [ValueDecodingError], in stored: PropertyListValue, of store: any PropertyListStore) {
        let problems = errors.map { Defaults.Problem.unreadable(.init(key: name, store: store.name, cause: $0)) }
        ProblemReporter.shared.report(problems, once: stored, ofKey: name, in: store)
    }
}
