extension Defaults {
    /// The name, the type and the default of one value.
    ///
    /// Declare a key once, as a constant, because it remembers the value that it read last:
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let quality = Key<Double>("quality", default: 0.8)
    ///     static let nickname = Key<String?>("nickname")
    /// }
    /// ```
    ///
    /// A key of a type that is not ``Serializable`` names a bridge. What more there is to say of a value is added to the
    /// key: ``validated(by:)``, ``summary(_:)``, ``secret()``.
    // Unchecked because `Value` need not be `Sendable`: one value, the default or the last one read, is handed to all
    // threads that read the key. That is safe for values; for references it is up to the type, which is why a class is
    // decoded anew for each read (`sharesDecodedValues`). All properties are constants; the caches lock or are atomic.
    public final class Key<Value>: AnyKey, @unchecked Sendable {
        @usableFromInline let defaultSource: DefaultSource<Value>
        @usableFromInline let coding: KeyCoding<Value>

        // The two functions of an ordinary key's coder; `nil` for one with a direct bridge. They are here once more because
        // taking them out of the enumeration copies all of it, which is a third of the cost of an uncached read.
        @usableFromInline let encodeEntry: EntryCoder<Value>.Encode?
        @usableFromInline let decodeEntry: EntryCoder<Value>.Decode?

        @usableFromInline let rules: [Rule<Value>]
        @usableFromInline let scalarCache = ScalarCache<Value>()
        @usableFromInline let decodedCache = DecodedCache<Value>()
        let writtenState = WrittenState()
        @usableFromInline let variants = PrefixVariants<Key<Value>>()

        /// The value that is read where the store has none: the constant, or what the closure returns now.
        public var defaultValue: Value { defaultSource.value }

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
            self.rules = rules
            switch coding {
            case .entry(let coder): (encodeEntry, decodeEntry) = (coder.encode, coder.decode)
            case .direct: (encodeEntry, decodeEntry) = (nil, nil)
            }
            super.init(name: name, suite: suite, details: details)
        }

        override var untyped: any UntypedKey { self }

        /// Makes a key with a default.
        ///
        /// The default is not written to the store.
        ///
        /// - Parameters:
        ///   - name: The name under which a store has the value.
        ///   - defaultValue: The value that is read where the store has none.
        ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
        ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
        @inlinable
        public convenience init(
            _ name: String,
            default defaultValue: Value,
            suite: (any PropertyListStore)? = nil,
            iCloud: Bool = false
        ) where Value: Serializable {
            self.init(
                name: name,
                suite: suite,
                default: .constant(defaultValue),
                coding: .ofType,
                details: KeyDetails(iCloud: iCloud)
            )
        }

        /// Makes a key whose default is made anew for each read that finds no value.
        ///
        /// - Parameters:
        ///   - name: The name under which a store has the value.
        ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
        ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
        ///   - makeDefault: Makes the default; called on the thread that reads.
        @inlinable
        public convenience init(
            _ name: String,
            suite: (any PropertyListStore)? = nil,
            iCloud: Bool = false,
            default makeDefault: @escaping @Sendable () -> Value
        ) where Value: Serializable {
            self.init(
                name: name,
                suite: suite,
                default: .dynamic(makeDefault),
                coding: .ofType,
                details: KeyDetails(iCloud: iCloud)
            )
        }

        /// Makes a key for a value that may be absent.
        ///
        /// - Parameters:
        ///   - name: The name under which a store has the value.
        ///   - suite: The store that the static members of ``Defaults`` use for this key; the standard store if `nil`.
        ///   - iCloud: Whether the value is to be the same on all devices of a user, where there is a store for that.
        @inlinable
        public convenience init<Wrapped>(
            _ name: String,
            suite: (any PropertyListStore)? = nil,
            iCloud: Bool = false
        ) where Value == Wrapped?, Wrapped: Serializable {
            self.init(name, default: nil, suite: suite, iCloud: iCloud)
        }
    }
}
