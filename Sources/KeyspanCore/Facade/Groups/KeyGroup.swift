/// Keys that belong together, declared as the properties of a structure.
///
/// ```swift
/// struct TLSKeys: KeyGroup {
///     let certificate = Key<String?>("certificate")
///     let isRequired = Key<Bool>("isRequired", default: true)
/// }
///
/// struct ServerKeys: KeyGroup {
///     let port = Key<Int>("port", default: 8080)
///     let tls = Prefixed<TLSKeys>("tls.")
/// }
///
/// let settings = Defaults.Group<ServerKeys>(InMemoryStore())
/// settings.port = 8081
/// settings.tls.isRequired = false  // stored as "tls.isRequired"
/// ```
///
/// A property is a ``Defaults/Key``, a ``Defaults/ThrowingKey``, another group, or a group with a prefix
/// (``Defaults/Prefixed``). ``Defaults/Group`` reads and writes them in a store, and `allKeys` lists them without one.
///
/// Keys declared as static constants can be properties too, alone or in an array, so that one group lists all keys of a program:
///
/// ```swift
/// extension Defaults.Keys {
///     static let theme = Key<String>("theme", default: "light")
///     static let volume = Key<Double>("volume", default: 0.5)
/// }
///
/// struct AllKeys: KeyGroup {
///     let server = ServerKeys()
///     let others: [Defaults.AnyKey] = [.theme, .volume]
/// }
///
/// assert(AllKeys.allKeys.map(\.name) == ["port", "tls.certificate", "tls.isRequired", "theme", "volume"])
/// ```
///
/// Declare keys as constants. A computed property works too, but makes a new key for each use, which caches nothing and is not
/// listed.
public protocol KeyGroup: Sendable {
    /// Makes the keys.
    init()
}

extension KeyGroup {
    /// The type of keys, so that a group can write `Key<Int>`.
    public typealias Key = Defaults.Key

    /// The type of keys that throw, so that a group can write `ThrowingKey<Int>`.
    public typealias ThrowingKey = Defaults.ThrowingKey

    /// The type of groups with a prefix, so that a group can write `Prefixed<TLSKeys>("tls.")`.
    public typealias Prefixed = Defaults.Prefixed
}

// MARK: - Listing keys

extension KeyGroup {
    /// All keys of a group of this type and of its nested groups, in the order of their declaration, without a store.
    public static var allKeys: [Defaults.AnyKey] { Self().allKeys }

    /// All keys of this group and of its nested groups, in the order of their declaration.
    ///
    /// Reflection finds the stored properties that are keys, arrays of keys, or groups.
    public var allKeys: [Defaults.AnyKey] { allKeys(prefix: .none) }

    func allKeys(prefix: Prefix) -> [Defaults.AnyKey] {
        // The mirror of a class does not include the properties of its superclass.
        sequence(first: Mirror(reflecting: self), next: \.superclassMirror)
            .reversed()
            .flatMap(\.children)
            .flatMap { child -> [Defaults.AnyKey] in
                switch child.value {
                case let key as Defaults.AnyKey: [key.untypedVariant(prefixedBy: prefix)]
                case let keys as [Defaults.AnyKey]: keys.map { $0.untypedVariant(prefixedBy: prefix) }
                case let group as any KeyGroup: group.allKeys(prefix: prefix)
                case let group as any EnumerableKeys: group.allKeys(prefix: prefix)
                default: []
                }
            }
    }
}

/// A member of a group that has keys without being a group.
private protocol EnumerableKeys {
    func allKeys(prefix: Prefix) -> [Defaults.AnyKey]
}

extension Defaults.Prefixed: EnumerableKeys {
    /// All keys of the group, under their full names.
    public var allKeys: [Defaults.AnyKey] { allKeys(prefix: .none) }

    func allKeys(prefix outer: Prefix) -> [Defaults.AnyKey] {
        keys.allKeys(prefix: prefix.appended(to: outer))
    }
}

extension Defaults.Group {
    /// All keys of the group and of its nested groups, under their full names, in the order of their declaration.
    ///
    /// Reflection finds the stored properties that are keys, arrays of keys, or groups, each time. A throwing key in a group
    /// with a prefix is listed as a plain one of the same name.
    public var allKeys: [Defaults.AnyKey] { keys.allKeys(prefix: prefix) }
}

// MARK: - Prefixes

extension Defaults {
    /// A nested group whose keys have a prefix before their names.
    ///
    /// ```swift
    /// struct LimitKeys: KeyGroup {
    ///     let requests = Key<Int>("requests", default: 100)
    /// }
    ///
    /// struct APIKeys: KeyGroup {
    ///     let reading = Prefixed<LimitKeys>("reading.")
    ///     let writing = Prefixed<LimitKeys>("writing.")
    /// }
    ///
    /// let keys = APIKeys()
    /// assert(keys.writing.requests.name == "writing.requests")
    /// ```
    ///
    /// The prefix is used as it is, without an added dot. Prefixes of nested groups are concatenated. This has the members of
    /// the group; its keys have their full names, and are the same ones each time.
    @dynamicMemberLookup
    public struct Prefixed<Keys: KeyGroup>: Sendable {
        @usableFromInline let keys: Keys
        @usableFromInline let prefix: Prefix

        /// Makes a group with a prefix.
        public init(_ prefix: String) {
            self.init(Keys(), prefix: Prefix(prefix))
        }

        init(_ keys: Keys, prefix: Prefix) {
            self.keys = keys
            self.prefix = prefix
        }

        /// A key of the group, under its full name.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, Key<Value>>) -> Key<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }

        /// A throwing key of the group, under its full name.
        public subscript<Value>(dynamicMember path: KeyPath<Keys, ThrowingKey<Value>>) -> ThrowingKey<Value> {
            keys[keyPath: path].prefixed(by: prefix)
        }

        /// A nested group, with the same prefix.
        public subscript<Nested: KeyGroup>(dynamicMember path: KeyPath<Keys, Nested>) -> Prefixed<Nested> {
            Prefixed<Nested>(keys[keyPath: path], prefix: prefix)
        }

        /// A nested group with a prefix, with both prefixes.
        public subscript<Nested>(dynamicMember path: KeyPath<Keys, Prefixed<Nested>>) -> Prefixed<Nested> {
            let nested = keys[keyPath: path]
            return Prefixed<Nested>(nested.keys, prefix: nested.prefix.appended(to: prefix))
        }
    }
}
