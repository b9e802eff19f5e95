#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The variants of a publisher: reads the stores when they change, and numbers what has changed for clients.
///
/// Stores and the host's closures are called without the lock. One thread at a time reads variants that have changed;
/// another one that finds a change meanwhile leaves it to that one. Beside it, any thread with a request asks for the
/// client's overlays, and reads a variant that is new, with all others if the host has a new number.
final class PublisherCore: Sendable {
    let name: String
    let keys: PublishedKeys
    let base: any PropertyListStore
    let signer: MessageSigner
    let options: SettingsPublisherOptions
    let layers: @Sendable (RemoteClient) -> [any PropertyListStore]
    let state: Locked<PublisherState>

    init(
        name: String,
        keys: PublishedKeys,
        base: any PropertyListStore,
        signingKey: SigningKey,
        options: SettingsPublisherOptions,
        layers: @escaping @Sendable (RemoteClient) -> [any PropertyListStore],
        now: @escaping @Sendable () -> Date
    ) {
        (self.name, self.keys, self.base) = (name, keys, base)
        self.options = options.clamped
        signer = MessageSigner(name: name, key: signingKey, validity: options.clamped.validity, now: now)
        self.layers = layers
        state = Locked(PublisherState(revision: 0))
        let revision = proposedRevision()
        state.withLock { $0.revision = revision }
    }

    /// Begins to follow the base store.
    func start() {
        let store = ObjectIdentifier(base)
        state.withLock { $0.registrations[store, default: StoreRegistration()].count += 1 }
        let observation = observe(base)
        state.withLock { $0.take(observation, at: store) }
    }

    /// Ends all streams, and follows the stores no longer.
    func close() {
        let (waiting, ended) = state.withLock { state in
            state.isClosed = true
            let waiting = state.streams.values.compactMap(\.waiting)
            state.heartbeat?.cancel()
            let ended = (state.registrations, state.variants, state.heartbeat)
            (state.registrations, state.heartbeat) = ([:], nil)
            (state.variants, state.groups, state.streams) = ([:], [:], [:])
            return (waiting, ended)
        }
        for continuation in waiting { continuation.resume() }
        // Released after the lock, because stores may do anything then.
        withExtendedLifetime(ended) {}
    }

    func observe(_ store: any PropertyListStore) -> StoreObservation {
        let request = ReadingRequest(stores: [ObjectIdentifier(store)])
        return store.observe(.named(keys.entries), initial: false) { [weak self] _ in self?.readStores(request) }
    }
}

// MARK: - Revisions

extension PublisherCore {
    /// The number that the host has for the present state, or the milliseconds since 1970.
    private func proposedRevision() -> Int64 {
        if let revision = options.revision { return min(max(revision(), 0), SettingsMessage.maximumRevision) }
        return Int64(min(max(signer.now().timeIntervalSince1970 * 1_000, 0), Double(SettingsMessage.maximumRevision)))
    }

    /// Reads stores together with the number that the host has for their present state.
    ///
    /// If the number changes while the stores are read, they are read again, so that a number never has the values of
    /// the one before.
    func withRevision<Result>(_ read: () -> Result) -> (proposed: Int64, result: Result) {
        var proposed = proposedRevision()
        guard options.revision != nil else { return (proposed, read()) }
        for _ in 0..<8 {
            let result = read()
            let later = proposedRevision()
            if later == proposed { return (proposed, result) }
            proposed = later
        }
        // A source that never rests: values that are later than their number are corrected by the next reading.
        return (proposed, read())
    }

    /// Raises the revision to the number of the state that was read.
    ///
    /// The numbers of the host are never counted up: several servers would count differently. Without them a change that
    /// comes within the millisecond of the last one, or after the clock was set back, has the next number.
    ///
    /// - Parameters:
    ///   - state: The state with the revision.
    ///   - proposed: The number that was proposed before the stores were read.
    ///   - effect: The effect of the state on clients.
    func raiseRevision(of state: inout PublisherState, to proposed: Int64, after effect: VariantEffect) {
        let isCounted = effect == .change && options.revision == nil
        if effect != .none { state.revision = max(proposed, isCounted ? state.revision + 1 : state.revision) }
    }
}
#endif
