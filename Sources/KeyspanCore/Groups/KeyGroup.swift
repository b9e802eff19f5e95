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
/// A property is a ``Defaults/Key``, a ``Defaults/ThrowingKey``, another group, or a group whose names get a prefix
/// (``Defaults/Prefixed``). ``Defaults/Group`` reads and writes them in a store.
///
/// Declare keys as constants. A computed property works too, but makes a new key for each use, which remembers nothing,
/// and is not found where all keys of a group are asked for.
public protocol KeyGroup: Sendable {
    /// Makes the keys.
    init()
}

extension KeyGroup {
    /// The type of keys, so that a group can write `Key<Int>`.
    public typealias Key = Defaults.Key

    /// The type of keys that throw, so that a group can write `ThrowingKey<Int>`.
    public typealias ThrowingKey = Defaults.ThrowingKey

    /// The type of groups whose names get a prefix, so that a group can write `Prefixed<TLSKeys>("tls.")`.
    public typealias Prefixed = Defaults.Prefixed
}
