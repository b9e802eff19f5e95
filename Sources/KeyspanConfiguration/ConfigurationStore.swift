#if Configuration
public import Configuration
@_spi(StoreAuthors) public import KeyspanCore

/// A provider or reader of swift-configuration as a store that is read: a layer of a `LayeredStore`.
///
/// ```swift
/// // With the trait Configuration
/// let provider = EnvironmentVariablesProvider()
/// let defaults = Defaults(
///     LayeredStore([
///         .init("environment", ConfigurationStore(provider, keys: ServerKeys.allKeys)),
///         .init("memory", InMemoryStore(), isWritable: true),
///     ])
/// )
/// let timeout = defaults[Defaults.Key<Duration>("http.timeout", default: .seconds(5))]  // HTTP_TIMEOUT=1m30s
/// ```
///
/// **The store has the values of the keys that it is given**, because a provider cannot list its own. The key `tls.port` is the key with
/// the components `tls` and `port`.
///
/// **A value is asked for in the type of its key**:
///
/// | key of | type | also read, if the provider refuses that, and for an array if the key cannot read it |
/// | --- | --- | --- |
/// | `Bool` | `bool` | `string` |
/// | an integer | `int` | `string` |
/// | `Double`, `Float` | `double` | `int`, `string` |
/// | `String`, `URL`, `Duration`, an enumeration with texts, … | `string` | |
/// | `Data` | `bytes` | `string` |
/// | an array or a set of these | the array of that type | `stringArray`, `string` |
/// | anything else: `Date`, `Decimal`, a dictionary, a structure | `string` | all other types |
///
/// A text converts as a variable does: a duration is `1m30s`, a dictionary `cpu=2,memory=4`, a `Codable` structure JSON text. The member
/// of a nested group is a key of its own; a dictionary is one value.
///
/// **The provider is followed** until the store is released. Each of its versions takes effect as one change. If a provider refuses a
/// value in all of these types, or the key can use none of them, the key keeps the value before, and has none at the start; the
/// others take theirs. The value before also stays if another key of the name could use it and cannot use the new one. A key with several
/// entries keeps all of them, and so do keys that share one of these. That is reported to `Defaults.onProblem(_:)` as a `StoreError` with
/// the code `valueRefused`, once until the provider gives a value again.
///
/// **A secret** is a key marked with `secret()`: Keyspan never shows its value. If a provider marks a value as secret whose key is not, a
/// ``ConfigurationNotice`` says so once, and no error shows the value. A reader does not say which values its providers mark: over a
/// reader, no error shows a value.
///
/// Provenance names the provider and its own name for the key, or the reader. Versions that take effect and values that are refused are
/// reported as the activity of the store; its contents are stale while a value is refused, and after a failure of the provider. Reads
/// answer from memory, and writes are refused. Safe to use from any thread.
public final class ConfigurationStore: ReadOnlyStore {
    /// The name of the provider, or the description of the reader.
    public let name: String

    package var remedyForWrite: String { "change the source of the provider, or write to another layer" }

    private let contents = CommittedTable([:])
    /// The provider's name for each key, where it is another one.
    private let origins = Locked(TextDictionary<String>())
    private let following = Locked<Task<Void, Never>?>(nil)
    package let activity = ActivityBroadcaster()

    /// Reads a provider, and follows its changes.
    ///
    /// - Parameters:
    ///   - provider: The provider, whose snapshots are read.
    ///   - keys: The keys of the program. Of several keys of one name, the first one decides the type.
    ///   - isWatching: Whether the store follows the provider, in a task of its own. Otherwise its values never change.
    public convenience init(_ provider: some ConfigProvider, keys: [Defaults.AnyKey], isWatching: Bool = true) {
        self.init(of: ProviderSource(provider: provider), keys: keys, isWatching: isWatching)
    }

    /// Reads a reader, and follows the changes of its providers.
    ///
    /// The scope of the reader is a prefix of the keys' names. A value that the first provider refuses is not looked for in the next
    /// one, as for all reads of a reader. The reader's access reporter receives the reads of the store, not those of the program: for
    /// each version one read of each entry and of each type that is tried. That of an absent value is an error.
    ///
    /// - Parameters:
    ///   - reader: The reader.
    ///   - keys: The keys of the program. Of several keys of one name, the first one decides the type.
    ///   - isWatching: Whether the store follows the reader, in a task of its own. Otherwise its values never change.
    public convenience init(_ reader: ConfigReader, keys: [Defaults.AnyKey], isWatching: Bool = true) {
        self.init(of: ReaderSource(reader: reader), keys: keys, isWatching: isWatching)
    }

    private init(of source: some ConfigurationSource, keys: [Defaults.AnyKey], isWatching: Bool) {
        name = source.name
        var reading = ConfigurationReading(of: source.name, keys: keys)
        take(source.version(), by: &reading)
        if !reading.isComplete { activity.noteStaleness(ofFirstVersion: true) }
        if isWatching { follow(source, after: reading) }
    }

    deinit {
        following.withLock { $0.take() }?.cancel()
    }
}

// MARK: - Following the provider

extension ConfigurationStore {
    /// Reads a version and lets its values take effect.
    private func take(_ version: some ConfigurationVersion, by reading: inout ConfigurationReading) {
        let start = activity.start
        let problems = reading.read(version)
        activity.noteReading()
        origins.withLock { [reading] in $0 = reading.origins }
        var isChange = false
        contents.merge(deliveringInBackground: true) { [reading] table in
            var entries: [PropertyListChange.Entry] = []
            table.forEachDifference(to: reading.table) { key, _, _ in
                entries.append(
                    .init(key: key, storedOld: table[stored: key], storedNew: reading.table[stored: key])
                )
                return true
            }
            table = reading.table
            isChange = !entries.isEmpty
            return entries
        }
        if isChange { activity.noteReload(since: start) }
        if reading.isComplete { activity.noteAcceptance() } else { activity.noteStaleness() }
        let refusesMore = problems.contains { if case .storeFailed = $0 { true } else { false } }
        if refusesMore { activity.note(.rejected) }
        // Before the handler of problems, which may take any time.
        contents.deliver()
        for problem in problems { problem.report() }
        activity.deliver()
    }

    private func follow(_ source: some ConfigurationSource, after reading: ConfigurationReading) {
        let name = name
        let task = Task { [weak self] in
            var reading = reading
            var failure: (any Error)?
            do {
                try await source.follow { version in
                    guard !Task.isCancelled, let self else { return false }
                    self.take(version, by: &reading)
                    return true
                }
            } catch {
                failure = error
            }
            // A provider that ends by itself has no more changes. The end of a canceled task is that of the store.
            guard let self, !Task.isCancelled else { return }
            if failure != nil { activity.noteStaleness() }
            Defaults.Problem.storeNotice(name: name, notice: ConfigurationNotice.watchEnded(by: failure, store: name))
                .report()
        }
        following.withLock { $0 = task }
    }
}

// MARK: - Reading keys

@_spi(StoreAuthors) extension ConfigurationStore: ProvenanceReporting, CountingStore, ActivityBroadcasting {
    package var revisionCells: [RevisionCells]? { contents.revisionCells }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { contents.snapshot()[stored: key] }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    /// The provider with its own name for each key, where that is another one; from memory.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        let (values, origins) = (contents.snapshot(), self.origins.withLock { $0 })
        return keys.reduce(into: [:]) { found, key in
            guard values[key] != nil else { return }
            found[key] = Provenance([.init(store: name, detail: origins[key].map { "key \($0)" })])
        }
    }
}
#endif
