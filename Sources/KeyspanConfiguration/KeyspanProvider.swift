#if Configuration
public import Configuration
@_spi(StoreAuthors) public import KeyspanCore

/// A store as a provider of swift-configuration: code that reads a `ConfigReader` finds the values of Keyspan.
///
/// ```swift
/// // With the trait Configuration
/// let settings = Defaults.Group<ServerKeys>(try JSONFileStore(path: "/etc/greeter.json", keys: ServerKeys.allKeys))
/// let config = ConfigReader(provider: KeyspanProvider(settings))
/// let port = config.int(forKey: "tls.port", default: 443)
/// ```
///
/// **A key** is the name that its components make with dots between them: `tls.port` is found as the entry of that name, and else as the
/// member `port` of the dictionary `tls`. Context is ignored.
///
/// **A value** converts to the type that is asked for as it does for a key of Keyspan of that type:
///
/// | type | stored value |
/// | --- | --- |
/// | `int` | an integer in the range of `Int` |
/// | `double` | a real, or an integer that a `Double` holds exactly |
/// | `bool`, `string`, `bytes` | a truth value, a text, data |
/// | an array | an array of these; `byteChunkArray` one of data |
/// | any | a text that someone typed, such as a variable, by the same rules as for keys: `yes`, `8080`, `80,443`, `<0fbd>` |
///
/// With keys, `string` and `stringArray` also give values that have no type here as people write them: a duration is `1h30m`, a date is of
/// RFC 3339, a case of an enumeration is its name, and a dictionary or a structure is JSON text.
///
/// An absent value is `nil`. One of another kind is a `Defaults.ReadError` with the key, the expected and the found kind, and the remedy, and
/// so is one that breaks a rule of its key, if the provider knows the key. No error shows a value, because readers log errors.
///
/// **Secrets** are the values of keys marked with `secret()`, and what the specifier names.
///
/// **Watching** begins with the present value and ends with the last one. A slow reader skips values in between, because one element is
/// buffered. Values of `watchValue` that do not differ are not repeated.
///
/// Reads answer from memory; a snapshot costs O(1) and is consistent. The first one after a change of a store with layers costs O(*n*) in the
/// size of the layers, and each one if a layer has no revisions. Safe to use from any thread.
public struct KeyspanProvider: Sendable {
    /// The store of the values.
    public let store: any PropertyListStore

    /// The name in access logs: `KeyspanProvider[…]` with the name of the store.
    public let providerName: String

    private let entries: ConfigEntries
    private let tables: TableCache

    /// Makes a provider of the values of a store.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - keys: The keys of the program, by which the provider knows secrets, rules, and the forms in which people write values. Other
    ///     entries are found as well.
    ///   - secrets: The further entries that are secret, by name and stored value. The members of such an entry are secret too.
    public init(
        _ store: any PropertyListStore,
        keys: [Defaults.AnyKey] = [],
        secrets: SecretsSpecifier<String, PropertyListValue> = .none
    ) {
        self.store = store
        providerName = "KeyspanProvider[\(store.name)]"
        entries = ConfigEntries(keys: keys, secrets: secrets)
        tables = TableCache(of: store)
    }

    /// Makes a provider of the store of a group, which knows the group's keys.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - secrets: The further entries that are secret, by name and stored value.
    public init<Keys: KeyGroup>(
        _ group: Defaults.Group<Keys>,
        secrets: SecretsSpecifier<String, PropertyListValue> = .none
    ) {
        self.init(group.store, keys: group.allKeys, secrets: secrets)
    }

    private var present: KeyspanSnapshot {
        KeyspanSnapshot(providerName: providerName, table: tables.table, store: store, entries: entries)
    }
}

extension KeyspanProvider: CustomStringConvertible, CustomDebugStringConvertible {
    /// The name and the number of entries.
    public var description: String { present.description }

    /// The same: no value is shown.
    public var debugDescription: String { description }
}

extension KeyspanProvider: CustomReflectable {
    /// The name alone: no value is shown.
    public var customMirror: Mirror { Mirror(self, children: ["providerName": providerName]) }
}

extension KeyspanProvider: ConfigProvider {
    /// The value of a key.
    ///
    /// - Throws: `Defaults.ReadError` if there is a value that does not convert to the type, or that breaks a rule of its key.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try present.value(forKey: key, type: type)
    }

    /// The value of a key, as ``value(forKey:type:)`` gives it: a store has the newest values in memory.
    public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    public func snapshot() -> any ConfigSnapshot { present }

    nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey,
        type: ConfigType,
        updatesHandler:
            nonisolated(nonsending) (
                _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await watch(ConfigEntries.entryNames(of: key)) { snapshots in
            let last = Locked<WatchedValue?>(nil)
            let updates = snapshots.compactMap { (snapshot) -> Result<LookupResult, any Error>? in
                let value = WatchedValue(of: key, in: snapshot)
                let isNew = last.withLock { last in
                    defer { last = value }
                    return last != value
                }
                return isNew ? snapshot.result(forKey: key, type: type).mapError { $0 } : nil
            }
            return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
        }
    }

    nonisolated(nonsending) public func watchSnapshot<Return: ~Copyable>(
        updatesHandler:
            nonisolated(nonsending) (
                _ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>
            ) async throws -> Return
    ) async throws -> Return {
        try await watch(.all) { snapshots in
            try await updatesHandler(ConfigUpdatesAsyncSequence(snapshots.map { $0 }))
        }
    }

    /// Calls a handler with a stream that has the present snapshot, and one for each change; the newest one is buffered.
    private nonisolated(nonsending) func watch<Return: ~Copyable>(
        _ keys: ObservedKeys,
        handler: nonisolated(nonsending) (AsyncStream<KeyspanSnapshot>) async throws -> Return
    ) async throws -> Return {
        let (stream, continuation) = AsyncStream<KeyspanSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // The observer is called for one change at a time, with the state after it or a later one, so its last element is the last state.
        let observation = store.observe(keys, initial: true) { _ in continuation.yield(present) }
        defer {
            observation.cancel()
            continuation.finish()
        }
        return try await handler(stream)
    }
}

/// A watched value, in the parts that a watch compares.
private struct WatchedValue: Equatable {
    let stored: StoredValue?
    let isSecret: Bool

    init(of key: AbsoluteConfigKey, in snapshot: KeyspanSnapshot) {
        stored = snapshot.storedValue(forKey: key)
        isSecret = stored.map { snapshot.isSecret($0, forKey: key) } ?? false
    }
}
#endif
