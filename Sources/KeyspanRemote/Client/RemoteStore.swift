#if Remote
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
@_spi(StoreAuthors) public import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The values that a ``SettingsPublisher`` has for this client, as a store that is read: a layer of a `LayeredStore`.
///
/// ```swift
/// // With the trait Remote
/// func makeDefaults(over file: JSONFileStore, transport: any RemoteTransport) throws -> Defaults {
///     var options = RemoteStoreOptions()
///     options.group = .assigned(to: ClientTraits(platform: "iOS", id: "1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED"))
///     let key = try VerificationKey(id: "2026-11", base64Encoded: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
///     let remote = try RemoteStore(
///         url: URL(string: "https://settings.example.com/settings")!,
///         keys: AppKeys.allKeys,
///         verificationKeys: [key],
///         name: "greeter",
///         cache: "/var/lib/greeter/remote.cache",
///         options: options,
///         transport: transport
///     )
///     return Defaults(LayeredStore([.init("file", file, isWritable: true), .init("remote", remote)]))
/// }
/// ```
///
/// **Reads** answer from memory. The store starts at once with the values of its cache file, without the server, and
/// asks the server in the background at intervals, and sooner when a stream says so while ``isLive`` is set.
///
/// **Documents are verified** before anything else is read of them: the signature by one of the keys, the names of the
/// publisher and of the group, the time until which they may be taken, and that they are as recent as what the client
/// has seen. Only a document, or the server's word that the client has it, proves that the values are the present ones.
/// Whatever fails, the values in force stay. A failure is reported to `Defaults.onProblem(_:)` as a
/// ``RemoteStoreError``, each kind once until the server is reached again.
///
/// **Values come into force** as the options say: at once, with the next launch, or with ``activate()``; all values of
/// a version as one change. The store takes the keys that are marked with `published()` and no others. If a key cannot
/// read its value, or the value breaks a rule, the key keeps the value before, and has none at the start; the others
/// take theirs.
///
/// Provenance names the URL, the revision and its age. Writes are refused. The store follows its server until it is
/// released. Safe to use from any thread.
public final class RemoteStore: ReadOnlyStore {
    let engine: RemoteEngine

    /// `remote` and the URL, without what the client says about itself.
    public var name: String { engine.name }

    package var remedyForWrite: String { "change the setting at the server, or write to another layer" }

    /// Makes a store that reads from a server, and begins to follow it.
    ///
    /// It reads the cache file before it returns, and does not wait for the server; ``fetch()`` does.
    ///
    /// - Parameters:
    ///   - url: The URL of the publisher, without a group and a query.
    ///   - keys: The keys of the program; those marked with `published()` are taken. Of several keys of one name, the
    ///     first one decides.
    ///   - verificationKeys: The keys with which the publisher signs, in the order in which it uses them: the last one
    ///     comes last, and each has another identifier. Once the store has seen a document of one, it refuses those of
    ///     the keys before it, whatever their revisions are.
    ///   - name: The name of the publisher.
    ///   - cache: The path of the file in which it keeps its documents, and which processes with the same server and group
    ///     may share; `nil` for none. Relative paths start from the current working folder.
    ///   - options: How the store behaves.
    ///   - transport: The way to the server; by default `URLSession`, on Linux AsyncHTTPClient with the trait
    ///     `RemoteHTTPClient`.
    /// - Throws: ``RemoteStoreError`` with `invalidConfiguration`. A cache file that cannot be used is reported and
    ///   ignored.
    public convenience init(
        url: URL,
        keys: [Defaults.AnyKey],
        verificationKeys: [VerificationKey],
        name: String,
        cache: String? = nil,
        options: RemoteStoreOptions = RemoteStoreOptions(),
        transport: (any RemoteTransport)? = nil
    ) throws(RemoteStoreError) {
        let options = options.clamped
        let endpoint = try RemoteEndpoint(url, group: options.group, allowsPlaintext: options.allowsPlaintext)
        let verifier = try DocumentVerifier(of: name, verificationKeys, options)
        guard let transport = transport ?? Self.platformTransport(options) else {
            throw .invalidConfiguration("there is no transport", "give one, or add the trait RemoteHTTPClient")
        }
        try self.init(endpoint, verifier, PublishedKeys(keys), cache: cache, options, transport)
    }

    init(
        _ endpoint: RemoteEndpoint,
        _ verifier: DocumentVerifier,
        _ keys: PublishedKeys,
        cache: String?,
        _ options: RemoteStoreOptions,
        _ transport: any RemoteTransport,
        _ parameters: RemoteEngine.Parameters = RemoteEngine.Parameters()
    ) throws(RemoteStoreError) {
        if keys.keys.isEmpty {
            let remedy = "mark those that the server decides with published()"
            throw .invalidConfiguration("none of the keys is published", remedy)
        }
        engine = RemoteEngine(endpoint, verifier, keys, cache: cache, options, transport, parameters)
        engine.start()
    }

    private static func platformTransport(_ options: RemoteStoreOptions) -> (any RemoteTransport)? {
        #if canImport(Darwin)
        URLSessionTransport()
        #elseif RemoteHTTPClient
        HTTPClientTransport(connectTimeout: options.timeout)
        #else
        nil
        #endif
    }

    deinit { engine.close() }
}

extension RemoteStore {
    /// How the store stands to its server, from memory.
    public var status: RemoteStoreStatus { engine.status }

    /// Whether the store keeps a stream open, by which it learns of changes within moments.
    ///
    /// An app sets it while it is in the foreground. The store asks at intervals in any case. ``RemoteStoreStatus/isLive`` says
    /// whether there is a stream now. May be set from any thread; setting it waits for nothing.
    public var isLive: Bool {
        get { engine.state.withLock(\.wantsStream) }
        set { engine.setLive(newValue) }
    }

    /// Asks the server now, and returns when its answer was taken.
    ///
    /// With ``RemoteStoreOptions/Activation/immediately`` the values are in force then. Caches between are asked to pass
    /// the request on to the server. Calls at the same time share one request, unless its answer began to arrive before
    /// the call; the cancellation of a caller does not end it.
    ///
    /// - Returns: Whether there are other values than before.
    /// - Throws: ``RemoteStoreError``; the values in force stay.
    @discardableResult
    public func fetch() async throws(RemoteStoreError) -> Bool {
        try await engine.request(isFresh: true).value.get()
    }

    /// Lets the fetched values come into force, as one change.
    ///
    /// Observers are notified on this thread before this returns, as by a write.
    ///
    /// - Returns: Whether there were fetched values that were not in force; `false` if a rule or a `Codable` type of a key calls this
    ///   while the values come into force.
    @discardableResult
    public func activate() -> Bool { engine.activateNow() }

    /// Returns when the cache file has what was fetched and activated before.
    ///
    /// - Throws: `StoreError` with `notDurable` if the file cannot be written, or its path cannot be used.
    public func synchronize() throws(StoreError) { try engine.saveCache() }
}

// Users call it as a member of the protocol.
@_spi(StoreAuthors) extension RemoteStore {
    /// Does what ``synchronize()`` does, without blocking a thread of the cooperative pool; refuses writes.
    public func commit(_ batch: PropertyListBatch) async throws(StoreError) {
        if batch.hasEffect { try apply(batch) }
        try await BlockingWork.shared.run(for: self) { () throws(StoreError) in try self.engine.saveCache() }
    }
}

// MARK: - Reading keys

@_spi(StoreAuthors) extension RemoteStore: ProvenanceReporting, CountingStore, ActivityBroadcasting {
    package var revisionCells: [RevisionCells]? { engine.contents.revisionCells }

    package var activity: ActivityBroadcaster { engine.activity }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { engine.contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { engine.contents.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { engine.contents.snapshot() }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        engine.contents.observe(keys, initial: initial, receive)
    }

    /// The URL with the revision and its age; from memory.
    ///
    /// A value that its key keeps, because it refuses the one of the version in force, has the revision that it came
    /// with.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        let (values, kept) = (engine.contents.snapshot(), engine.reading.withLock(\.kept))
        let detail = engine.provenanceDetail(kept: nil)
        return keys.reduce(into: [:]) { found, key in
            if values[key] == nil { return }
            let revision = kept[key]
            let words = revision == nil ? detail : engine.provenanceDetail(kept: revision)
            found[key] = Provenance([.init(store: name, detail: words)])
        }
    }
}
#endif
