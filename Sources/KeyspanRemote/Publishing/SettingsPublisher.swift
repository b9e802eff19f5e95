#if Remote
@_spi(StoreAuthors) public import KeyspanCore

/// Publishes the values of a store's keys to clients, each of which reads them with a ``RemoteStore``.
///
/// ```swift
/// // With the trait Remote
/// struct AppKeys: KeyGroup {
///     let searchLimit = Key<Int>("search.limit", default: 20).published()
///     let database = Key<String>("database", default: "localhost")
/// }
///
/// let store = InMemoryStore()
/// let publisher = try SettingsPublisher(
///     AppKeys.allKeys,
///     in: store,
///     name: "greeter",
///     signingKey: .generate(id: "2026-11")
/// )
/// let response = publisher.respond(to: HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/settings/all"))
/// ```
///
/// **Only keys marked with `published()`** leave the process, each with the value that the store has for it; a key
/// without one has its default in the client. A value that its key cannot read, or that breaks a rule, is not
/// published: clients keep the value before, or else have that of the next store below. The problem is reported to
/// `Defaults.onProblem(_:)` as a ``SettingsPublisherNotice``, once until the value is another one.
///
/// **Groups** of clients have values of other stores in place of those of the base store: for a platform, a version, or
/// a part of all clients. The program names them once; the group `all` is always there, and has the base store alone. A
/// client names its group, or sends its traits, by which the closure assigns it to one.
///
/// ```swift
/// // With the trait Remote
/// func makePublisher(of base: InMemoryStore, _ beta: InMemoryStore, key: SigningKey) throws -> SettingsPublisher {
///     try SettingsPublisher(
///         [SearchKeys.limit],
///         in: base,
///         name: "greeter",
///         signingKey: key,
///         groups: ["beta": [beta]]
///     ) { traits in
///         traits.isIn(25, of: "new search") ? "beta" : "all"
///     }
/// }
///
/// enum SearchKeys {
///     static let limit = Defaults.Key<Int>("search.limit", default: 20).published()
/// }
/// ```
///
/// The document of a group is made and signed once for each of its states, however many clients ask for it. A change of
/// a store costs a reading for each group, on the thread that makes it, and an event for each client on a stream.
///
/// **Requests** come from any server framework to ``respond(to:from:)``. The publisher follows its stores until it is
/// released or closed. Safe to use from any thread.
public final class SettingsPublisher: Sendable {
    let core: PublisherCore

    /// The group of all clients that are in no other one.
    static let baseGroup = "all"

    /// Makes a publisher of a store, and begins to follow it.
    ///
    /// - Parameters:
    ///   - keys: The keys of the program; those marked with `published()` are published. Of several keys of one name,
    ///     the first one decides.
    ///   - store: The store that has the values.
    ///   - name: The name by which clients know this publisher: a client does not take what another one has signed
    ///     with the same key.
    ///   - signingKey: The key that signs, whose public half the clients know.
    ///   - groups: The groups of clients by their names, of 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`,
    ///     each with the stores whose values it has in place of those of the store, the highest first.
    ///   - options: How the publisher behaves.
    ///   - group: Returns the name of the group of a client with some traits. It is called for each request that has
    ///     traits, on the thread of the request and without a lock, and for nothing else. Another name than one of the
    ///     groups counts as `all`, and is reported.
    /// - Throws: ``SettingsPublisherError`` if a published key is marked as secret or has a part of a secret key, if no
    ///   key is published, and for an invalid name, group or path.
    public convenience init(
        _ keys: [Defaults.AnyKey],
        in store: any PropertyListStore,
        name: String,
        signingKey: SigningKey,
        groups: [String: [any PropertyListStore]] = [:],
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        group: @escaping @Sendable (_ traits: ClientTraits) -> String = { _ in "all" }
    ) throws(SettingsPublisherError) {
        let options = options.clamped
        let signer = DocumentSigner(name: name, key: signingKey, validity: options.validity)
        try self.init(keys, store, signer, groups, options, assign: group)
    }

    init(
        _ keys: [Defaults.AnyKey],
        _ store: any PropertyListStore,
        _ signer: DocumentSigner,
        _ groups: [String: [any PropertyListStore]],
        _ options: SettingsPublisherOptions,
        assign: @escaping @Sendable (ClientTraits) -> String
    ) throws(SettingsPublisherError) {
        let name = signer.name
        guard (1...128).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw SettingsPublisherError(kind: .invalidName, publisher: name)
        }
        let parts = options.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty, parts.dropFirst().allSatisfy(KeyIdentifier.isValid) else {
            throw SettingsPublisherError(kind: .invalidPath, publisher: name)
        }
        if let invalid = groups.keys.sorted().first(where: {
            !KeyIdentifier.isGroup($0) || $0.hasSameUTF8(as: Self.baseGroup)
        }) {
            throw SettingsPublisherError(kind: .invalidGroup, publisher: name, group: invalid)
        }
        let secrets = SecretEntries(of: keys)
        if let secret = keys.first(where: { $0.isPublished && ($0.isSecret || secrets.haveOne(of: $0)) }) {
            throw SettingsPublisherError(kind: .secretKey, publisher: name, key: secret.name)
        }
        let published = PublishedKeys(keys)
        if published.keys.isEmpty { throw SettingsPublisherError(kind: .noPublishedKeys, publisher: name) }
        let all = groups.merging([Self.baseGroup: []]) { own, _ in own }.sorted { $0.key < $1.key }
            .map { PublishedGroup($0.key, $0.value, over: store) }
        core = PublisherCore(signer, published, all, options, assign: assign)
        core.start()
    }

    deinit { core.close() }
}

extension SettingsPublisher {
    /// The name by which clients know this publisher.
    public var name: String { core.signer.name }

    /// The number of the latest change.
    public var revision: Int64 { core.state.withLock { $0.revision ?? 0 } }

    /// The number of clients on a stream.
    public var streamCount: Int { core.state.withLock { $0.streams.count } }

    /// The number of requests for a stream that were refused because there were too many.
    public var refusedStreamCount: Int { core.state.withLock { $0.refusedStreamCount } }

    /// Lets all clients on a stream ask for their group again, after a change of something that the closure decides by.
    ///
    /// Clients without a stream do so once an hour, when they start, and when the program says so.
    public func refreshGroups() { core.sendGroupsChanged() }

    /// Ends all streams, and answers requests with the status 503 from now on.
    ///
    /// Call it when the server begins to shut down, so that open streams do not hold it up.
    public func close() { core.close() }
}
#endif
