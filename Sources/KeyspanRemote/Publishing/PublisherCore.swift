#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The variants of a publisher: reads the stores when they change, and numbers what has changed for clients.
///
/// Stores and the host's closure are called without the lock, by one thread at a time; another thread that finds a
/// change meanwhile leaves it to that one.
final class PublisherCore: Sendable {
    let name: String
    let keys: PublishedKeys
    let base: any PropertyListStore
    let signer: MessageSigner
    let options: SettingsPublisherOptions
    private let layers: @Sendable (RemoteClient) -> [any PropertyListStore]
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
        let revision = nextRevision(after: 0)
        state.withLock { $0.revision = revision }
    }

    /// Begins to follow the base store.
    func start() {
        let observation = observe(base)
        state.withLock { $0.observation = observation }
    }

    /// Ends all streams, and follows the stores no longer.
    func close() {
        let (waiting, ended) = state.withLock { state in
            state.isClosed = true
            let waiting = state.streams.values.compactMap(\.waiting)
            state.heartbeat?.cancel()
            let ended = (state.observation, state.variants, state.heartbeat)
            (state.observation, state.heartbeat) = (nil, nil)
            (state.variants, state.groups, state.streams) = ([:], [:], [:])
            return (waiting, ended)
        }
        for continuation in waiting { continuation.resume() }
        // Released after the lock, because stores may do anything then.
        withExtendedLifetime(ended) {}
    }

    private func observe(_ store: any PropertyListStore) -> StoreObservation {
        store.observe(.named(keys.entries), initial: false) { [weak self] _ in self?.readStores() }
    }

    private func nextRevision(after last: Int64) -> Int64 {
        let proposed = options.revision?() ?? Int64(min(max(signer.now().timeIntervalSince1970 * 1_000, 0), 9e15))
        return max(proposed, last &+ 1)
    }
}

// MARK: - Variants

extension PublisherCore {
    /// The variant of a client, whose contents are there when this returns; `nil` if the publisher is closed.
    func variant(for client: RemoteClient) -> VariantIdentity? {
        variant(of: layers(client))
    }

    private func variant(of overlays: [any PropertyListStore]) -> VariantIdentity? {
        let identity = VariantIdentity(overlays)
        let isKnown = state.withLock { state -> Bool in
            state.touch(identity)
            return state.variants[identity]?.contents != nil
        }
        if isKnown { return identity }
        let source = LayeredStore(
            overlays.map { .init($0.name, $0) } + [.init(base.name, base)],
            name: "publisher \(name)"
        )
        let (isOpen, last) = state.withLock { state -> (Bool, Int64) in
            if state.isClosed { return (false, 0) }
            if state.variants[identity] == nil { state.variants[identity] = Variant(source: source) }
            state.touch(identity)
            return (true, state.revision)
        }
        guard isOpen else { return nil }
        let revision = nextRevision(after: last)
        // Registered before the values are read: a change after that is found by its observer.
        let observations = overlays.map(observe)
        var findings = PublishedValues.Findings()
        let values = PublishedValues(of: keys, in: source.snapshot(), after: nil, noting: &findings)
        let contents = contents(of: values, instead: nil, noting: &findings)
        let (unused, evicted) = state.withLock { state -> ([StoreObservation], [Variant]) in
            guard var variant = state.variants[identity] else { return (observations, []) }
            let isFirst = variant.observations.isEmpty
            if isFirst { variant.observations = observations }
            if variant.contents == nil {
                variant.contents = contents
                // The overlays of a variant that was evicted may have changed since.
                if state.hasEvicted { state.revision = max(revision, state.revision &+ 1) }
            }
            state.variants[identity] = variant
            return (isFirst ? [] : observations, state.evict(keeping: options.maximumVariants))
        }
        withExtendedLifetime((unused, evicted)) {}
        report(findings)
        return identity
    }

    /// The present document for a client; `nil` if the publisher is closed.
    func document(for client: RemoteClient) -> PublishedDocument? {
        // A variant without clients can be evicted before its document is made.
        for _ in 0..<8 {
            guard let identity = variant(for: client) else { return nil }
            if let document = document(of: identity) { return document }
        }
        return nil
    }

    /// The present document of a variant, signed now or before; `nil` if the variant is gone.
    func document(of identity: VariantIdentity) -> PublishedDocument? {
        while true {
            let found = state.withLock { state in
                state.variants[identity].flatMap { variant in
                    variant.contents.map { ($0, variant.document, state.revision) }
                }
            }
            guard let (contents, document, revision) = found else { return nil }
            let position = SettingsPosition(revision: revision, state: contents.state)
            if let document, document.position == position, signer.isFresh(document.issued) { return document }
            let made = PublishedDocument(of: contents, at: position, signedBy: signer)
            let kept = state.withLock { state -> PublishedDocument? in
                guard state.revision == revision, let variant = state.variants[identity],
                    variant.contents?.state == contents.state
                else { return nil }
                // All requests of one time receive the same bytes.
                if let other = variant.document, other.position == position, signer.isFresh(other.issued) {
                    return other
                }
                state.variants[identity]?.document = made
                return made
            }
            if let kept { return kept }
        }
    }
}

// MARK: - Reading the stores

extension PublisherCore {
    /// Reads all variants and asks the host for the overlays of all clients on a stream; called without a lock after a
    /// change.
    func readStores() {
        let mayRead = state.withLock { state in
            if state.isClosed { return false }
            if state.isReading { state.mustReadAgain = true }
            defer { state.isReading = true }
            return !state.isReading
        }
        guard mayRead else { return }
        var isDone = false
        while !isDone {
            readOnce()
            isDone = state.withLock { state in
                if state.mustReadAgain {
                    state.mustReadAgain = false
                    return false
                }
                state.isReading = false
                return true
            }
        }
    }

    private func readOnce() {
        let (variants, clients, last) = state.withLock { state in
            (state.variants.mapValues { ($0.source, $0.contents) }, Array(state.groups.keys), state.revision)
        }
        var findings = PublishedValues.Findings()
        var read: [VariantIdentity: PublishedContents] = [:]
        var isChange = false
        for (identity, (source, old)) in variants {
            let table = source.snapshot()
            let published = PublishedValues(of: keys, in: table, after: old?.published, noting: &findings)
            let new = contents(of: published, instead: old, noting: &findings)
            read[identity] = new
            if let old, old.state != new.state { isChange = true }
        }
        let revision = isChange ? nextRevision(after: last) : last
        let time = signer.now()
        let waiting = state.withLock { state in
            // A new variant may have raised it since.
            let revision = isChange ? max(revision, state.revision &+ 1) : state.revision
            state.revision = revision
            var concerned: Set<RemoteClient> = []
            for (identity, contents) in read {
                guard var variant = state.variants[identity] else { continue }
                guard variant.contents === variants[identity]?.1 else {
                    // Another thread has read a new variant first, and perhaps later.
                    state.mustReadAgain = true
                    continue
                }
                if let old = variant.contents, old.state != contents.state {
                    let number = variant.nextNumber
                    let change = PublishedChange(number, from: old, to: contents, revision: revision, time: time)
                    variant.append(change, atMost: options.maximumChanges)
                    concerned.formUnion(variant.clients)
                }
                variant.contents = contents
                state.variants[identity] = variant
            }
            return state.takeWaiting(of: concerned)
        }
        for continuation in waiting { continuation.resume() }
        moveGroups(of: clients)
        report(findings)
    }

    /// The contents with new values; the old ones if these are too large.
    private func contents(
        of published: PublishedValues,
        instead old: PublishedContents?,
        noting findings: inout PublishedValues.Findings
    ) -> PublishedContents {
        if let old, published.values == old.values { return PublishedContents(published, state: old.state) }
        let text = SettingsState.text(of: published.values)
        if text.count > options.maximumSize - 1_024 {
            findings.isTooLarge = true
            return old ?? PublishedContents(PublishedValues(), state: SettingsState(of: []))
        }
        findings.fits = true
        return PublishedContents(published, state: SettingsState(of: text))
    }

    /// Asks the host for the overlays of clients on a stream, and moves those that have others now.
    private func moveGroups(of clients: [RemoteClient]) {
        var moved: [RemoteClient] = []
        for client in clients {
            guard let identity = variant(for: client) else { return }
            let isMove = state.withLock { state in
                guard let group = state.groups[client], group.variant != identity, state.variants[identity] != nil
                else { return false }
                state.move(client, to: identity)
                return true
            }
            if isMove { moved.append(client) }
        }
        if moved.isEmpty { return }
        let waiting = state.withLock { $0.takeWaiting(of: moved) }
        for continuation in waiting { continuation.resume() }
    }

    private func report(_ findings: PublishedValues.Findings) {
        let (rejections, isTooLarge) = state.withLock { state in
            for key in findings.accepted { state.reported[key] = nil }
            let new = findings.rejections.filter { rejection in
                if state.reported[rejection.key]?.hasSameUTF8(as: rejection.reason) == true { return false }
                state.reported[rejection.key] = rejection.reason
                return true
            }
            defer { state.isSizeReported = findings.isTooLarge || state.isSizeReported && !findings.fits }
            return (new, findings.isTooLarge && !state.isSizeReported)
        }
        var notices = rejections.map { SettingsPublisherNotice.notPublished($0, publisher: name) }
        if isTooLarge { notices.append(.tooLarge(limit: options.maximumSize, publisher: name)) }
        for notice in notices {
            Defaults.Problem.storeNotice(name: "publisher \(name)", notice: notice).report()
        }
    }
}
#endif
