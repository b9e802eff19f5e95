/// Typed access to the values of one store.
///
/// ```swift
/// extension Defaults.Keys {
///     static let launchCount = Key<Int>("launchCount", default: 0)
/// }
///
/// let defaults = Defaults(InMemoryStore())
/// defaults[.launchCount] = 3
/// defaults.modify(.launchCount) { $0 += 1 }
/// ```
///
/// `Defaults` is also the namespace of keys and bridges. Its static members, which come with `import Keyspan`, work on the
/// program's standard store: `Defaults[.launchCount] = 3`.
///
/// The plain subscript never fails. If a key cannot use the stored value, because it cannot be read or breaks a rule of the key, the
/// subscript returns the key's default. If a value cannot be written, the old one stays. Both are reported to ``onProblem(_:)``.
/// ``value(for:)`` and `set(_:for:)` throw instead. Safe to use from any thread; reading does no I/O.
public struct Defaults: Sendable {
    /// The store of the values.
    public let store: any PropertyListStore

    /// Makes typed access to a store.
    ///
    /// The suites of keys are ignored: the given store takes precedence.
    @inlinable
    public init(_ store: any PropertyListStore) {
        self.store = store
    }

    /// The value of a key, or the key's default if there is none or it cannot be used.
    ///
    /// A value that cannot be used stays in the store and is reported to ``onProblem(_:)`` once. Reading an unchanged value again
    /// decodes nothing and asks no rule. For numbers and other small plain values, it neither locks nor allocates.
    ///
    /// Setting writes one batch. A value that cannot be stored is reported to ``onProblem(_:)`` and the old value stays;
    /// `nil` removes the entry of the key, which then has its default.
    ///
    /// Changing a value in place, `defaults[.launchCount] += 1`, reads it and then writes it, in two steps. If another writer
    /// comes in between, its change is overwritten, which is reported as ``Problem/changeOverwritten(key:store:)``.
    /// ``modify(_:_:)-(Defaults.Key<Value>,_)`` does both in one step.
    public subscript<Value>(key: Key<Value>) -> Value {
        @inlinable
        get { key.value(in: store) }
        @inlinable
        nonmutating set {
            do {
                try key.write(newValue, to: store)
            } catch {
                error.report()
            }
        }
        @inlinable
        nonmutating _modify {
            var change = key.beginChange(in: store)
            defer { key.endChange(change, in: store) }
            yield &change.value
        }
    }
}

// MARK: - Access that throws

extension Defaults {
    /// The value of a key, or its default if there is none; an error if there is one that cannot be used.
    ///
    /// Collections are read whole: an unreadable element is an error, while the subscript of a plain key leaves it out.
    ///
    /// - Throws: ``ReadError``, which distinguishes a value of another kind, one with unreadable content, and one that breaks a rule.
    @inlinable
    public func value<Value>(for key: Key<Value>) throws(ReadError) -> Value {
        try strictValue(for: key)
    }

    /// The value of a key, or `nil` if the store has none; an error if there is one that cannot be used.
    ///
    /// - Throws: ``ReadError``, which distinguishes a value of another kind, one with unreadable content, and one that breaks a rule.
    @inlinable
    public func storedValue<Value>(for key: Key<Value>) throws(ReadError) -> Value? {
        try key.strictValue(in: store)
    }

    @inlinable
    func strictValue<Value>(for key: TypedKey<Value>) throws(ReadError) -> Value {
        try key.strictValue(in: store) ?? key.defaultValue
    }

    /// The value of a throwing key, or its default if there is none.
    ///
    /// To write, call ``set(_:for:)-(_,Defaults.ThrowingKey<Value>)``, because Swift has no setters that throw.
    ///
    /// - Throws: ``ReadError`` if there is a value that cannot be used.
    @inlinable
    public subscript<Value>(key: ThrowingKey<Value>) -> Value {
        get throws(ReadError) { try strictValue(for: key) }
    }

    /// The value of a key, or the error with which reading it in full failed.
    public subscript<Value>(resultOf key: Key<Value>) -> Result<Value, ReadError> { result(of: key) }

    /// The value of a throwing key, or the error with which reading it failed.
    public subscript<Value>(resultOf key: ThrowingKey<Value>) -> Result<Value, ReadError> { result(of: key) }

    private func result<Value>(of key: TypedKey<Value>) -> Result<Value, ReadError> {
        do {
            return .success(try strictValue(for: key))
        } catch {
            return .failure(error)
        }
    }

    /// Writes the value of a key, or throws and leaves the old one.
    ///
    /// - Parameters:
    ///   - value: The new value. `nil` removes the entry of the key, which then has its default.
    ///   - key: The key.
    /// - Throws: ``WriteError`` if the value has no stored form, breaks a rule of the key, or the store refuses it.
    @inlinable
    public func set<Value>(_ value: Value, for key: Key<Value>) throws(WriteError) {
        try key.write(value, to: store)
    }

    /// Writes the value of a throwing key, or throws and leaves the old one.
    ///
    /// - Throws: ``WriteError`` if the value has no stored form, breaks a rule of the key, or the store refuses it.
    public func set<Value>(_ value: Value, for key: ThrowingKey<Value>) throws(WriteError) {
        try key.write(value, to: store)
    }

    /// Whether readers of the store see a value for the key, usable or not.
    ///
    /// Registered defaults and launch arguments count, as for `object(forKey:)` of `UserDefaults`.
    public func hasValue(for key: AnyKey) -> Bool {
        key.entryNames.contains { store.storedValue(forKey: $0) != nil }
    }

    /// Checks that every stored value can be read in full and satisfies the rules of its key; absent values are valid.
    ///
    /// A program calls this at its start, to find all problems at once instead of one key at a time. All values are from one
    /// instant. Nothing is changed. If there are problems, each file is read once for each key with one, to name the lines.
    ///
    /// - Throws: ``ValidationError`` with all problems.
    public func validate(_ keys: [AnyKey]) throws(ValidationError) {
        let table = store.snapshot()
        var problems: [InvalidValue] = []
        for key in keys.map(SecretEntries(of: keys).concealed) {
            let found = key.problems(in: table, of: store)
            if found.isEmpty { continue }
            let provenance = key.provenance(in: store, findingLines: true)
            problems += found.map { $0.located(at: provenance) }
        }
        if !problems.isEmpty { throw ValidationError(problems: problems) }
    }

    /// Returns when everything written before is as durable as the store promises; see ``PropertyListStore/synchronize()``.
    ///
    /// May block the thread on the disk or the network.
    public func synchronize() throws(StoreError) {
        try store.synchronize()
    }

    /// Returns when everything written before is as durable as the store promises, without blocking a thread.
    public func synchronize() async throws(StoreError) {
        try await store.synchronize()
    }
}

// MARK: - Keys on a store

/// Keys on the store itself, for code that has a store at hand where it had `UserDefaults`.
extension PropertyListStore {
    /// The value of a key in this store, as the subscript of ``Defaults`` reads and writes it.
    public subscript<Value>(key: Defaults.Key<Value>) -> Value {
        get { Defaults(self)[key] }
        set { Defaults(self)[key] = newValue }
        _modify { yield &Defaults(self)[key] }
    }
}

/// The second name that Defaults 9 has, for code where `Defaults` means something else.
public typealias _Defaults = Defaults
