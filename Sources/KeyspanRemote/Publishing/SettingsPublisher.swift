#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
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
/// let response = await publisher.respond(to: RemoteRequest(method: "GET", target: "/settings"))
/// ```
///
/// **Only keys marked with `published()`** leave the process, each with the value that the store has for it; a key
/// without one has its default in the client. A value that its key cannot read, or that breaks a rule, is not
/// published: clients keep the value before, or else have that of the next store below. The problem is reported to `Defaults.onProblem(_:)` as a ``SettingsPublisherNotice``, once until the value
/// is another one.
///
/// **Variants.** The closure `layers` names stores whose values some clients have in place of those of the base store:
/// for a platform, a version, a group, or a part of all clients.
///
/// ```swift
/// // With the trait Remote
/// func makePublisher(of base: InMemoryStore, _ beta: InMemoryStore, key: SigningKey) throws -> SettingsPublisher {
///     try SettingsPublisher([SearchKeys.limit], in: base, name: "greeter", signingKey: key) { client in
///         client.isIn(25, of: "new search") ? [beta] : []
///     }
/// }
///
/// enum SearchKeys {
///     static let limit = Defaults.Key<Int>("search.limit", default: 20).published()
/// }
/// ```
///
/// All clients for which it returns the same stores have one variant. Its document is made and signed once for each of
/// its states, and so is each change, which is one event for one batch of a store. Return stores that are kept, not
/// ones made for the call.
///
/// **Requests** come from any server framework to ``respond(to:)``. The publisher follows its stores until it is
/// released or closed. Safe to use from any thread.
public final class SettingsPublisher: Sendable {
    let core: PublisherCore

    /// Makes a publisher of a store, and begins to follow it.
    ///
    /// - Parameters:
    ///   - keys: The keys of the program; those marked with `published()` are published. Of several keys of one name,
    ///     the first one decides.
    ///   - store: The store that has the values.
    ///   - name: The name by which clients know this publisher: a client does not take what another one has signed
    ///     with the same key.
    ///   - signingKey: The key that signs, whose public half the clients know.
    ///   - options: How the publisher behaves.
    ///   - layers: Returns the stores whose values a client has in place of those of the store, the highest first. It
    ///     is called for each request, and for all clients on a stream after each change, on the thread that made it,
    ///     and after each ``SettingsPublisherOptions/heartbeat``, without a lock. It should be quick: until it has
    ///     returned for all clients, none of them receives the change.
    /// - Throws: ``SettingsPublisherError`` if a published key is marked as secret or has an entry of a secret key, if
    ///   no key is published, and for an invalid name or path.
    public convenience init(
        _ keys: [Defaults.AnyKey],
        in store: any PropertyListStore,
        name: String,
        signingKey: SigningKey,
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore] = { _ in [] }
    ) throws(SettingsPublisherError) {
        try self.init(
            keys,
            in: store,
            name: name,
            signingKey: signingKey,
            options: options,
            layers: layers,
            now: { Date() }
        )
    }

    /// Makes a publisher of a group's keys in its store, as the initializer with a list of keys does.
    ///
    /// - Parameters:
    ///   - group: The keys and their store.
    ///   - name: The name by which clients know this publisher.
    ///   - signingKey: The key that signs, whose public half the clients know.
    ///   - options: How the publisher behaves.
    ///   - layers: Returns the stores whose values a client has in place of those of the store, the highest first.
    /// - Throws: ``SettingsPublisherError``.
    public convenience init<Keys: KeyGroup>(
        _ group: Defaults.Group<Keys>,
        name: String,
        signingKey: SigningKey,
        options: SettingsPublisherOptions = SettingsPublisherOptions(),
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore] = { _ in [] }
    ) throws(SettingsPublisherError) {
        try self.init(
            group.allKeys,
            in: group.store,
            name: name,
            signingKey: signingKey,
            options: options,
            layers: layers
        )
    }

    init(
        _ keys: [Defaults.AnyKey],
        in store: any PropertyListStore,
        name: String,
        signingKey: SigningKey,
        options: SettingsPublisherOptions,
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore],
        now: @escaping @Sendable () -> Date
    ) throws(SettingsPublisherError) {
        guard (1...128).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw SettingsPublisherError(kind: .invalidName, publisher: name, key: nil)
        }
        let path = options.path.utf8
        guard path.first == UInt8(ascii: "/"), path.last != UInt8(ascii: "/"), !path.contains(UInt8(ascii: "?")) else {
            throw SettingsPublisherError(kind: .invalidPath, publisher: name, key: nil)
        }
        // Two keys can have one entry, and only one of them the mark.
        let secrets = Set(keys.lazy.filter(\.isSecret).flatMap(\.entryNames).map { UTF8Text($0) })
        if let secret = keys.first(where: { key in
            key.isPublished && (key.isSecret || key.entryNames.contains { secrets.contains(UTF8Text($0)) })
        }) {
            throw SettingsPublisherError(kind: .secretKey, publisher: name, key: secret.name)
        }
        let published = PublishedKeys(keys)
        if published.keys.isEmpty { throw SettingsPublisherError(kind: .noPublishedKeys, publisher: name, key: nil) }
        core = PublisherCore(
            name: name,
            keys: published,
            base: store,
            signingKey: signingKey,
            options: options,
            layers: layers,
            now: now
        )
        core.start()
    }

    deinit {
        core.close()
    }
}

extension SettingsPublisher {
    /// The name by which clients know this publisher.
    public var name: String { core.name }

    /// The number of the latest change.
    public var revision: Int64 { core.state.withLock { $0.revision } }

    /// The number of clients on a stream.
    public var streamCount: Int { core.state.withLock { $0.streams.count } }

    /// Asks `layers` again for all clients on a stream, after a change of something else that it decides by than the
    /// stores.
    ///
    /// A client for which it now returns other stores receives their whole document. Each heartbeat asks as well. This
    /// also raises the revision, unless ``SettingsPublisherOptions/revision`` decides on it, so that a client which asks
    /// at intervals, and has others now, does not go back to the values that it leaves.
    public func refreshLayers() { core.readStores(ReadingRequest(isRefresh: true)) }

    /// Ends all streams, and answers requests with the status 503 from now on.
    ///
    /// Call it when the server begins to shut down, so that open streams do not hold it up.
    public func close() { core.close() }
}
#endif
