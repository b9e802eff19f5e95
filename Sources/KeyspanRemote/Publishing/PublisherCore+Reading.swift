#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The result of reading the stores of a variant.
struct VariantReading: Sendable {
    /// The contents; `nil` if they are too large and there were none before.
    let contents: PublishedContents?
    let findings: PublishedValues.Findings
    /// The difference from the contents before.
    let difference: ContentsDifference?
}

extension PublisherCore {
    /// The most times that a thread which has changed a store reads them for other threads as well.
    private static let maximumRounds = 8

    /// Reads the variants with stores that have changed, and asks the host for the overlays of all clients on a stream;
    /// called without a lock.
    func readStores(_ request: ReadingRequest) {
        guard state.withLock({ $0.beginReading(request) }) else { return }
        for _ in 0..<Self.maximumRounds {
            guard let request = state.withLock({ $0.takeReading() }) else { return }
            readOnce(request)
        }
        // If other threads never stop writing, this one must still return from its own write.
        Task {
            while let request = state.withLock({ $0.takeReading() }) {
                readOnce(request)
                await Task.yield()
            }
        }
    }

    private func readOnce(_ request: ReadingRequest) {
        let isBase = request.stores.contains(ObjectIdentifier(base))
        let (variants, groups) = state.withLock { state in
            let concerned = state.variants.filter { identity, _ in
                isBase || identity.overlays.contains(where: request.stores.contains)
            }
            return (concerned.mapValues { ($0.source, $0.contents) }, state.groups.mapValues(\.variant))
        }
        let (proposed, readings) = withRevision { variants.mapValues { read($0.0, after: $0.1) } }
        // Before the changes are visible: a client that moves receives no change of the variant that it leaves.
        let moves = findMoves(of: groups)
        let time = signer.now()
        let (waiting, new, released) = state.withLock { state in
            let kept = readings.filter { state.variants[$0.key] != nil }
            let current = kept.filter { state.variants[$0.key]?.contents === variants[$0.key]?.1 }
            // Another thread has read a new variant first, and perhaps earlier.
            if current.count < kept.count { state.readNext(ReadingRequest(stores: request.stores)) }
            var effects: [VariantIdentity: VariantEffect] = [:]
            for (identity, reading) in current { effects[identity] = state.effect(of: reading, on: identity) }
            let isMove = moves.contains { state.isChange($0.key, to: $0.value) }
            let isChange = isMove || request.isRefresh || effects.values.contains(.change)
            let effect: VariantEffect = isChange ? .change : effects.values.contains(.unknown) ? .unknown : .none
            raiseRevision(of: &state, to: proposed, after: effect)
            var concerned = Set(moves.keys)
            var new = PublishedValues.Findings()
            for (identity, reading) in current {
                guard var variant = state.variants[identity] else { continue }
                if let difference = reading.difference {
                    variant.append(difference, revision: state.revision, at: time, atMost: options.maximumChanges)
                }
                if effects[identity] == .change { concerned.formUnion(variant.clients) }
                variant.contents = reading.contents
                state.variants[identity] = variant
                new.formUnion(state.note(reading.findings, of: identity))
            }
            for (client, identity) in moves {
                if state.groups[client]?.variant == groups[client] { state.move(client, to: identity) }
                state.endUse(of: identity)
            }
            return (state.takeWaiting(of: concerned), new, state.evict(keeping: options.maximumVariants))
        }
        for continuation in waiting { continuation.resume() }
        withExtendedLifetime(released) {}
        report(new)
    }

    /// Asks the host for the overlays of clients on a stream.
    ///
    /// - Returns: The clients that have others now, with their new variants, which cannot be evicted until the caller
    ///   ends their use.
    private func findMoves(of groups: [RemoteClient: VariantIdentity]) -> [RemoteClient: VariantIdentity] {
        var moves: [RemoteClient: VariantIdentity] = [:]
        for (client, old) in groups {
            let overlays = layers(client)
            if VariantIdentity(overlays) == old { continue }
            moves[client] = withVariant(of: overlays) { state, identity in
                state.variants[identity]?.uses += 1
                return identity
            }
        }
        return moves
    }

    /// Reads the stores of a variant.
    func read(_ source: VariantSource, after old: PublishedContents?) -> VariantReading {
        var findings = PublishedValues.Findings()
        var published = PublishedValues(
            of: keys,
            in: source.store.snapshot(),
            after: old?.published,
            noting: &findings
        )
        if old == nil, !findings.rejections.isEmpty {
            for table in source.lowerTables { published.fill(findings.rejections.map(\.key), of: keys, from: table) }
        }
        let contents = contents(of: published, instead: old, noting: &findings)
        let difference = old.flatMap { old in
            contents.flatMap { $0.state == old.state ? nil : ContentsDifference(from: old, to: $0) }
        }
        return VariantReading(contents: contents, findings: findings, difference: difference)
    }

    /// The contents with new values; the old ones if these are too large.
    private func contents(
        of published: PublishedValues,
        instead old: PublishedContents?,
        noting findings: inout PublishedValues.Findings
    ) -> PublishedContents? {
        if let old, published.values == old.values {
            return PublishedContents(published, state: old.state, size: old.size)
        }
        let text = SettingsState.text(of: published.values)
        if text.count > options.maximumSize - 1_024 {
            findings.isTooLarge = true
            return old
        }
        return PublishedContents(published, state: SettingsState(of: text), size: text.count)
    }

    func report(_ new: PublishedValues.Findings) {
        var notices = new.rejections.map { SettingsPublisherNotice.notPublished($0, publisher: name) }
        if new.isTooLarge { notices.append(.tooLarge(limit: options.maximumSize, publisher: name)) }
        for notice in notices {
            Defaults.Problem.storeNotice(name: "publisher \(name)", notice: notice).report()
        }
    }
}

extension PublisherState {
    /// The effect of a reading on the clients of a variant, whose first contents it takes.
    fileprivate mutating func effect(of reading: VariantReading, on identity: VariantIdentity) -> VariantEffect {
        guard let variant = variants[identity] else { return .none }
        if !variant.isRead { return takeFirst(reading.contents, of: identity) }
        // The first contents that are not too large count as a change.
        let isFirst = variant.contents == nil && reading.contents != nil
        return reading.difference != nil || isFirst ? .change : .none
    }

    /// Whether a move of a client gives it other values.
    fileprivate func isChange(_ client: RemoteClient, to identity: VariantIdentity) -> Bool {
        guard let group = groups[client], group.variant != identity else { return false }
        return variants[group.variant]?.contents?.state != variants[identity]?.contents?.state
    }
}
#endif
