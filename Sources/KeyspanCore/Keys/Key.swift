extension Defaults {
    /// The name, the type and the default of one value.
    ///
    /// Declare a key once, as a constant, because it caches the value that it read last:
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let quality = Key<Double>("quality", default: 0.8)
    ///     static let nickname = Key<String?>("nickname")
    /// }
    /// ```
    ///
    /// A key for a type that is not ``Serializable`` names a bridge. Modifiers add to a key: ``validated(by:)``, ``summary(_:)``,
    /// ``secret()``, ``published()``.
    // Unchecked for the reason given at `TypedKey`, which has all the state.
    public final class Key<Value>: TypedKey<Value>, @unchecked Sendable {}

    /// A key with the type of its value: a ``Key``, or a ``ThrowingKey``.
    // Unchecked because `Value` need not be `Sendable`: one value, the default or the last one read, is shared by all threads that
    // read the key. That is safe for values. For references it is up to the type, so a class is decoded anew for each read
    // (`sharesDecodedValues`); a constant default that is an object is shared. All properties are constants; the caches lock or
    // are atomic.
    public class TypedKey<Value>: AnyKey, @unchecked Sendable {
        @usableFromInline final let defaultSource: DefaultSource<Value>
        @usableFromInline final let coding: KeyCoding<Value>
        @usableFromInline final let rules: [Rule<Value>]
        /// The stripe whose changes the caches follow: all keys for a direct bridge, which chooses the entries that it reads.
        @usableFromInline final let stripe: KeyStripe
        @usableFromInline final let scalarCache = ScalarCache<Value>()
        @usableFromInline final let decodedCache = DecodedCache<Value>()
        final let writtenState: WrittenState
        @usableFromInline final let variants = PrefixVariants<Key<Value>>()

        /// The value of the key where the store has none: the constant, or the closure's present result.
        public final var defaultValue: Value { defaultSource.value }

        @usableFromInline
        init(
            name: String,
            suite: (any PropertyListStore)?,
            default defaultSource: DefaultSource<Value>,
            coding: KeyCoding<Value>,
            rules: [Rule<Value>] = [],
            details: KeyDetails = KeyDetails()
        ) {
            self.defaultSource = defaultSource
            self.coding = coding
            stripe = coding.isDirect ? .all : KeyStripe(of: name)
            writtenState = WrittenState(of: stripe)
            self.rules = details.isSecret ? rules.map(\.concealed) : rules
            super.init(name: name, suite: suite, details: details)
        }

        override package var entryNames: [String] { coding.entries(of: name) }

        override func keepUnreadable(in edit: inout PropertyListEdit) {
            guard !isReadable(coding.stored(under: name, replacedIn: &edit)) else { return }
            keepReplaced(in: &edit)
        }

        override func addDefault(to values: inout PropertyListTable) throws(WriteError.Cause) {
            var edit = PropertyListEdit(values)
            do {
                try coding.encode(defaultValue, under: name, into: &edit)
            } catch {
                throw .encoding(isSecret ? error.concealed : error)
            }
            do {
                try edit.checkNames(in: "registered defaults")
                _ = try values.apply(edit.batch, store: "registered defaults")
            } catch {
                throw .store(error)
            }
        }

        override package func problems(in table: PropertyListTable, of store: any PropertyListStore) -> [InvalidValue] {
            guard let stored = coding.stored(under: name, in: table) else { return [] }
            var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
            do {
                let value = try decode(stored.value, in: &context)
                return rules.filter { !$0.isSatisfied(by: value) }.map {
                    invalidValue(.rule(requirement: requirement(of: $0)), found: excerpt(of: stored), in: store)
                }
            } catch {
                let failure = readError(error, in: stored, of: store)
                return [invalidValue(.unreadable(failure), found: failure.found, in: store)]
            }
        }

        private func invalidValue(
            _ cause: InvalidValue.Cause,
            found: String?,
            in store: any PropertyListStore
        ) -> InvalidValue {
            let provenance = provenance(in: store, findingLines: false)
            return InvalidValue(key: name, store: store.name, provenance: provenance, cause: cause, found: found)
        }

        override package func ruleError(for stored: StoredValue, in store: any PropertyListStore) -> ReadError? {
            if rules.isEmpty || coding.isDirect { return nil }
            var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
            guard let value = try? decode(stored.value, in: &context),
                let broken = brokenRule(by: value, of: stored.value)
            else { return nil }
            return concealed.readError(broken, in: stored, of: store)
        }

        override package var storedKind: StoredKind {
            coding.isDirect ? .other : StoredKind.of(coding.storedBy)
        }

        override package func canRead(_ entries: PropertyListTable) -> Bool {
            isReadable(coding.stored(under: name, in: entries))
        }

        /// A plain key with the same properties that shows its value in no error.
        package final var concealed: Key<Value> { copy(named: name).secret() }

        override package var concealedVariant: AnyKey { concealed }

        override package func readableForm(of stored: StoredValue) -> PropertyListValue? {
            guard let encode = coding.encodeEntry else { return nil }
            var context = Defaults.DecodingContext(isStrict: true, extent: stored.extent)
            do {
                let value = try decode(stored.value, in: &context)
                return try coding.readable?.encode(value) ?? encode(value)
            } catch {
                return nil
            }
        }

        override func write(
            _ given: StoredValue,
            into edit: inout PropertyListEdit,
            of store: any PropertyListStore
        ) throws(InvalidGivenValue) {
            var context = Defaults.DecodingContext(isStrict: true, extent: given.extent)
            let value: Value
            do {
                value = try decode(given.value, in: &context)
            } catch {
                throw InvalidGivenValue(readError(error, in: given, of: store))
            }
            do throws(WriteError.Cause) {
                try write(value, into: &edit)
            } catch {
                throw InvalidGivenValue(error)
            }
        }

        override func renamed(_ name: String) -> AnyKey { copy(named: name) }

        override func untypedVariant(prefixedBy prefix: Prefix) -> AnyKey { typedVariant(prefixedBy: prefix) }

        /// The key with the prefix before its name; the same object each time.
        final func typedVariant(prefixedBy prefix: Prefix) -> TypedKey<Value> {
            prefix.isEmpty ? self : variants.variant(for: prefix) { copy(named: prefix.text + name) }
        }

        /// A plain key with the same properties under another name, with its own caches.
        @usableFromInline
        final func copy(named name: String) -> Key<Value> {
            Key(name: name, suite: suite, default: defaultSource, coding: coding, rules: rules, details: details)
        }
    }
}

/// The source of a key's default.
@usableFromInline
enum DefaultSource<Value> {
    case constant(Value)
    /// Called for each read that finds no value.
    case dynamic(@Sendable () -> Value)

    @inlinable var value: Value {
        switch self {
        case .constant(let value): value
        case .dynamic(let make): make()
        }
    }
}

extension Defaults.Key {
    /// The key with the prefix before its name; the same object each time.
    @inlinable
    func prefixed(by prefix: Prefix) -> Defaults.Key<Value> {
        prefix.isEmpty ? self : variants.variant(for: prefix) { copy(named: prefix.text + name) }
    }

    /// The same key with a sentence that states the purpose of the value, for descriptions of the settings.
    public func summary(_ text: String) -> Defaults.Key<Value> {
        changed { $0.summary = text }
    }

    /// The same key, marked as a secret: descriptions never show its value.
    ///
    /// Errors and problem reports show a value that a key cannot use, unless the key is a secret. The rules of a secret do not list
    /// the allowed values.
    public func secret() -> Defaults.Key<Value> {
        changed { $0.isSecret = true }
    }

    /// The same key, marked as published: a settings server gives its value to clients, and a client takes it from there.
    ///
    /// Only keys with this mark leave a server through `SettingsPublisher`, and a `RemoteStore` takes no others; both come with
    /// `import KeyspanRemote`. The mark has no effect elsewhere. A key that is also marked with ``secret()`` cannot be published.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let searchLimit = Key<Int>("search.limit", default: 20).published()
    /// }
    /// ```
    public func published() -> Defaults.Key<Value> {
        changed { $0.isPublished = true }
    }

    /// The same key with additional rules for its values.
    ///
    /// `set(_:for:)` throws for a value that breaks a rule. The subscripts report it and keep the old value.
    /// A stored value that breaks one is read like one that cannot be read: the key has its default, and the problem is reported once.
    /// ``Defaults/validate(_:)`` finds all such values.
    public func validated(by rules: Defaults.Rule<Value>...) -> Defaults.Key<Value> {
        Defaults.Key(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: coding,
            rules: self.rules + rules,
            details: details
        )
    }

    private func changed(_ change: (inout KeyDetails) -> Void) -> Defaults.Key<Value> {
        var details = details
        change(&details)
        return Defaults.Key(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: coding,
            rules: rules,
            details: details
        )
    }
}
