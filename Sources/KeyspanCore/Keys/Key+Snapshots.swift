/// A state of a store, for reads that use what was decoded for the store before.
@usableFromInline
struct StoreState: Sendable {
    /// The values.
    @usableFromInline let table: PropertyListTable

    /// The store that has or had them.
    @usableFromInline let store: any PropertyListStore

    /// The revision of all keys, read before the values: as long as the store has it, the values are the present ones.
    @usableFromInline let revision: StoreRevision?

    /// Takes the present state of a store.
    init(of store: any PropertyListStore) {
        self.store = store
        revision = store.revision
        table = store.snapshot()
    }

    /// Makes a state of values that a store had.
    init(_ table: PropertyListTable, of store: any PropertyListStore) {
        self.store = store
        self.table = table
        revision = nil
    }

    /// The revision of a stripe in this state; `nil` if the store has changed since, or does not number its states.
    ///
    /// The stripe's revision is read before that of all keys, which changes first. So if the latter is as it was, the former
    /// is too.
    @inlinable
    func revision(of stripe: KeyStripe) -> StoreRevision? {
        guard let revision, let present = store.revision(of: stripe), store.revision == revision else { return nil }
        return present
    }
}

extension Defaults.TypedKey {
    /// The value in a state, or the default.
    @inlinable
    final func value(in state: StoreState) -> Value {
        if let revision = state.revision(of: stripe) {
            // A read of the store may have kept a later value under this number, after the store had left it.
            if let value = cachedValue(at: revision), state.revision(of: stripe) == revision { return value }
            if isPresent(in: state, at: revision) {
                return cachedValue(of: storedForm(in: state), in: state.store, at: revision)
            }
        }
        let stored = storedForm(in: state)
        if let value = earlierValue(of: stored) { return value }
        var isWhole = false
        guard let value = readableValue(of: stored, in: state.store, isWhole: &isWhole) else { return defaultValue }
        if isWhole { keepEarlier(value, of: stored, in: state) }
        return value
    }

    /// The value in a state if all parts of it are readable, `nil` for an absent one.
    @inlinable
    final func strictValue(in state: StoreState) throws(Defaults.ReadError) -> Value? {
        if let revision = state.revision(of: stripe) {
            let cached = cachedStrictRead(at: revision)
            if case .unknown = cached {
                if isPresent(in: state, at: revision) {
                    return try cachedStrictValue(of: storedForm(in: state), in: state.store, at: revision)
                }
            } else if state.revision(of: stripe) == revision {
                if case .value(let value) = cached { return value }
                return nil
            }
        }
        let stored = storedForm(in: state)
        if let value = earlierValue(of: stored) { return value }
        guard let value = try strictValue(of: stored, in: state.store) else { return nil }
        keepEarlier(value, of: stored, in: state)
        return value
    }

    /// Asks the store for the key, and returns whether its value is still that of the state.
    ///
    /// Some stores begin to follow the changes of a key by other processes when they are first asked for it. A value that is
    /// cached here would keep every later read from asking.
    @usableFromInline
    final func isPresent(in state: StoreState, at revision: StoreRevision) -> Bool {
        _ = state.store.storedValue(forKey: name)
        return state.revision(of: stripe) == revision
    }

    @usableFromInline
    final func storedForm(in state: StoreState) -> StoredValue? {
        coding.stored(under: name, in: state.table)
    }

    /// The value decoded from an equal stored form before, if every part of it was readable.
    @usableFromInline
    final func earlierValue(of stored: StoredValue?) -> Value? {
        guard let stored, !ScalarCache<Value>.fits, coding.sharesDecodedValues else { return nil }
        return decodedCache.wholeValue(for: stored)
    }

    /// Caches the value of a state that is not the present one, for the next such state with an equal stored form.
    ///
    /// It does not replace the present value, because reads of the store itself are more frequent.
    @usableFromInline
    final func keepEarlier(_ value: Value, of stored: StoredValue?, in state: StoreState) {
        guard !ScalarCache<Value>.fits, coding.sharesDecodedValues, rules.isEmpty || !isReadByRule else { return }
        decodedCache.keep(
            value,
            from: stored,
            isWhole: true,
            at: .ofNoStore,
            unlessAt: state.store.revision(of: stripe)
        )
    }
}
